"""The contract of a store."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as AnyCollection
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from graph_store.access import Access
from graph_store.bundles import (
    ChunkSentences,
    Collection,
    DocumentBundle,
    DocumentState,
    FloatVector,
    Generation,
    NamePlaces,
    NamesOfPassages,
    PassageGraph,
    PassageLinks,
    PassageSample,
    PreviousGeneration,
    SourceState,
    StoreCounts,
    TokenVectors,
)
from graph_store.copies import StoreCopies
from graph_store.filters import Filters
from graph_store.records import (
    Chunk,
    Community,
    Document,
    Entity,
    Hit,
    Mention,
    Parent,
    Relation,
    SearchKind,
    TreeNode,
)
from graph_store.searches import NOTHING_ALONG, Along, Search
from graph_store.spaces import VectorSpaces

_Found = TypeVar("_Found")


class GraphStore(VectorSpaces, StoreCopies, Protocol):
    """Documents, chunks, vectors, graph, communities and trees of many tenants.

    Every read takes an ``Access`` and never shows, counts or ranks a record that the caller may not read; ids that are
    missing or forbidden are left out of the answer without a word, so a caller cannot tell the two apart. Reads by id
    return records in the order asked, without duplicates. Writes need the store opened for writing (one writer,
    else ``StoreLocked``); a write that returns is durable, one that raises has changed nothing.
    """

    @property
    def identity(self) -> str:
        """What tells this store from every other, however its place is written; a copy of it has one of its own."""
        ...

    @property
    def embedding_model(self) -> str:
        """The id of the embedding model that all vectors of this store were made with, as of its opening."""
        ...

    @property
    def dimension(self) -> int:
        """The number of dimensions of every vector in the store."""
        ...

    @property
    def token_space(self) -> str:
        """The name of the space that all token vectors of this store are in; "none" where it keeps none."""
        ...

    @property
    def token_dimension(self) -> int:
        """The number of dimensions of every token vector in the store; 0 where it keeps none."""
        ...

    def close(self) -> None:
        """Release files and locks; calling it twice is harmless."""
        ...

    # -- writing ------------------------------------------------------------------------------------------------------

    def write_documents(self, bundles: Sequence[DocumentBundle]) -> None:
        """Add or replace whole documents in one transaction.

        The derived layer of each touched tenant becomes stale (``derived_fingerprint`` turns None); parts of it that
        rested on replaced chunks are no longer shown. Raises ``InvalidRecord`` for vectors that are zero, not finite,
        not of unit length (1e-3) or of another dimension, and for token vectors that are missing or break their record.
        """
        ...

    def delete_documents(self, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
        """Delete documents with all that belongs to them, and every derived record whose evidence is gone.

        Returns the ids that existed. The derived layer becomes stale as in ``write_documents``.
        """
        ...

    def publish(self, generation: Generation) -> None:
        """Replace the derived layer of one tenant in one transaction and mark it current.

        A whole generation sets the count of changed documents (see ``PreviousGeneration``) back to 0.
        """
        ...

    def require_whole(self, tenant: str) -> None:
        """Mark the derived layer of a tenant stale, and say that the next one is not to be repaired from it.

        This holds until the next ``publish``; what readers see does not change.
        """
        ...

    def remember_sources(
        self, tenant: str, states: Mapping[str, SourceState], *, forget: AnyCollection[str] = ()
    ) -> None:
        """Remember what source files gave, by their paths, in place of what was known of them; ``forget`` others.

        A state is forgotten by itself as soon as one of its documents is written anew or deleted. Nothing derived
        becomes stale. Raises ``InvalidRecord`` for a state that names a document which the tenant does not have.
        """
        ...

    # -- state for indexing (whole tenants, no caller) ----------------------------------------------------------------

    def source_states(self, tenant: str) -> Mapping[str, SourceState]:
        """Return path -> state of all source files that are remembered, ordered by path; ids of documents sorted."""
        ...

    def document_states(self, tenant: str) -> Mapping[str, DocumentState]:
        """Return document id -> state of all documents of the tenant, whoever may read them."""
        ...

    def tenant_counts(self, tenant: str) -> StoreCounts:
        """Count all that the tenant has, whoever may read it."""
        ...

    def tenants(self) -> tuple[str, ...]:
        """Return the tenants that have documents or a derived layer, sorted."""
        ...

    def derived_fingerprint(self, tenant: str) -> str | None:
        """Return the fingerprint of the published generation; None where it is stale or was never published.

        A generation is stale once documents of the tenant were written or deleted after it.
        """
        ...

    def read_collection(self, tenant: str) -> Collection:
        """Read everything of a tenant that the derived layer is made from."""
        ...

    def read_generation(self, tenant: str) -> PreviousGeneration:
        """Read the reports and tree nodes of a tenant as they stand, whoever may read them, with their vectors.

        Communities are ordered by level and id, nodes likewise. What was made from chunks that are gone is mended
        already (see ``write_documents``), and its id is among ``mended`` until the next ``publish``. Entities that a
        language model described are ordered by id.
        """
        ...

    def content_digest(self, tenant: str) -> str:
        """Return a SHA-256 in hexadecimal over the records of a tenant: equal for equal content, whatever its history.

        Vectors do not count, nor what tells of the store or of the sources only (sequences, versions, times).
        """
        ...

    # -- reading ------------------------------------------------------------------------------------------------------

    def one_state(self) -> AbstractContextManager[None]:
        """Let all reads of this thread within the context see one state of the store, whatever is committed meanwhile.

        May be nested. A store on a server that keeps no snapshots raises ``StoreChanged`` at the end of the context
        where something was committed meanwhile that the reads may have seen a part of: they are to be done again.
        """
        ...

    def in_one_state(self, work: Callable[[], _Found]) -> _Found:
        """Return what ``work`` returns, all of whose reads in this thread saw one state of the store.

        May be nested. A store on a server that keeps no snapshots does the work again where something of the tenant was
        committed meanwhile, whatever the work came to, so ``work`` must bear to be done twice; where commits follow
        each other faster than that it is let through after a few attempts, each single read being of one state.
        """
        ...

    def counts(self, access: Access) -> StoreCounts:
        """Count what the caller may read."""
        ...

    def list_documents(self, access: Access) -> tuple[Document, ...]:
        """Return all readable documents, ordered by id."""
        ...

    def documents(self, access: Access, document_ids: Sequence[str]) -> tuple[Document, ...]:
        """Return readable documents by id."""
        ...

    def document_text(self, access: Access, document_id: str) -> str | None:
        """Return the cleaned text of a document, None where it is missing or forbidden."""
        ...

    def chunks(self, access: Access, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return readable chunks by id."""
        ...

    def document_chunks(self, access: Access, document_id: str) -> tuple[Chunk, ...]:
        """Return the readable chunks of a document by position."""
        ...

    def parents(self, access: Access, parent_ids: Sequence[str]) -> tuple[Parent, ...]:
        """Return readable parents by id."""
        ...

    def sentences(self, access: Access, chunk_ids: Sequence[str]) -> ChunkSentences:
        """Return the sentences of readable chunks, chunks in the order asked, then by position."""
        ...

    def search_keywords(
        self, access: Access, text: str, *, kind: SearchKind, k: int, filters: Filters = ()
    ) -> tuple[Hit, ...]:
        """Return at most ``k`` readable records by BM25 (k1 1.2, b 0.75), best first, ties by id.

        ``text`` is any text: it is tokenised (stop words out, stemmed), an empty one finds nothing.
        Filters apply to the documents of chunks; for reports and tree nodes they apply to all documents below, so a
        derived text is found only where every one of its chunks passes. Raises as ``filtered_documents`` does.
        """
        ...

    def search_vectors(
        self, access: Access, vector: FloatVector, *, kind: SearchKind, k: int, filters: Filters = ()
    ) -> tuple[Hit, ...]:
        """Return at most ``k`` readable records by cosine with ``vector`` ((d,), unit length), best first, ties by id.

        Fewer than ``k`` come back only where fewer than ``k`` records pass access and filters.
        """
        ...

    def search_many(
        self, access: Access, searches: Sequence[Search], *, along: Along = NOTHING_ALONG
    ) -> tuple[tuple[Hit, ...], ...]:
        """Return what ``search_keywords`` or ``search_vectors`` does for each search, in the order asked.

        A store on a server sends them together, and reads with them what the caller will ask for next in the same piece
        of work (see ``in_one_state``), which changes no answer. Raises as the two do.
        """
        ...

    def cosines(self, access: Access, vector: FloatVector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return chunk id -> cosine with ``vector`` for the readable chunks among ``chunk_ids``."""
        ...

    def chunk_vectors(self, access: Access, chunk_ids: Sequence[str]) -> Mapping[str, FloatVector]:
        """Return chunk id -> unit vector (d,) for the readable chunks among ``chunk_ids``."""
        ...

    def token_vectors(self, access: Access, chunk_ids: Sequence[str]) -> Mapping[str, TokenVectors]:
        """Return chunk id -> token vectors for the readable chunks among ``chunk_ids``; empty where none are kept."""
        ...

    def filtered_documents(self, access: Access, filters: Filters) -> frozenset[str] | None:
        """Return the ids of readable documents that pass ``filters``; None where there is no filter.

        Raises ``UnknownMetadataKey`` for a key that no readable document has, naming those that they have, and
        ``IncomparableValue`` where no readable document has a value of the same kind (see ``MetadataFilter``), and
        ``TooManyConditions`` for more than 100 filters or 5,000 values in them.
        """
        ...

    def superseded_documents(self, access: Access) -> frozenset[str]:
        """Return the ids of readable documents that another readable one supersedes (see ``Versions``), at any time."""
        ...

    def passage_graph(self, access: Access) -> PassageGraph:
        """Return the readable part of the passage graph; cached until the next write, so the call is cheap.

        It grows with the collection; ``passage_sample``, ``passage_links``, ``name_places`` and ``passage_names`` give
        what one question needs of it.
        """
        ...

    def passage_sample(self, access: Access, *, most: int) -> PassageSample:
        """Count the readable chunks, and choose at most ``most`` of them, evenly over their order.

        They are ordered by document id, then position; of n chunks the first is chosen, and each that follows the last
        chosen one by n // ``most`` places (1 where there are fewer). Cached until the next write.
        """
        ...

    def name_places(self, access: Access, keys: AnyCollection[str], *, most: int) -> Mapping[str, NamePlaces]:
        """Return name key -> where it stands, for the names among ``keys`` that a readable passage has.

        At most ``most`` home passages and ``most`` mentioning chunks of each name are told, and counts of all. The
        names are those of ``PassageGraph``: only names that the caller may see, in chunks that it may read. All in one
        read, whose cost is that of the passages of these names.
        """
        ...

    def passage_names(self, access: Access, chunk_ids: Sequence[str], *, most: int) -> NamesOfPassages:
        """Return the names of the readable chunks among ``chunk_ids``, and where these stand, as ``name_places`` does.

        All in one read, whose cost is that of the passages of these names.
        """
        ...

    def passage_links(self, access: Access, chunk_ids: Sequence[str], *, most: int) -> Mapping[str, PassageLinks]:
        """Return chunk id -> the ``most`` strongest edges, for the readable chunks among ``chunk_ids`` that have any.

        All in one read, whose cost is that of the edges of these chunks, however large the graph is.
        """
        ...

    def entities(self, access: Access, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return entities with at least one readable mention or home, by id; only readable aliases."""
        ...

    def find_entities(self, access: Access, name: str) -> tuple[Entity, ...]:
        """Return the readable entities whose name or alias has the name key of ``name``, most mentions first."""
        ...

    def list_entities(self, access: Access) -> tuple[Entity, ...]:
        """Return all readable entities, ordered by id."""
        ...

    def entity_mentions(self, access: Access, entity_id: str) -> tuple[Mention, ...]:
        """Return the readable mentions of an entity, ordered by chunk id and offset."""
        ...

    def entity_relations(self, access: Access, entity_id: str) -> tuple[Relation, ...]:
        """Return relations with the entity as source or target, with their readable evidence, by weight."""
        ...

    def list_relations(self, access: Access) -> tuple[Relation, ...]:
        """Return all relations with readable evidence, ordered by id."""
        ...

    def communities(
        self, access: Access, *, level: int | None = None, ids: AnyCollection[str] | None = None
    ) -> tuple[Community, ...]:
        """Return readable communities, ordered by level, then size (largest first), then id."""
        ...

    def tree_nodes(
        self,
        access: Access,
        *,
        level: int | None = None,
        document_id: str | None = None,
        ids: AnyCollection[str] | None = None,
    ) -> tuple[TreeNode, ...]:
        """Return readable tree nodes, ordered by level (highest first), then id."""
        ...

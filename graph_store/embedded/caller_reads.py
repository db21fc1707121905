"""What a caller reads of the embedded store: every method takes an ``Access`` and keeps to it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as AnyCollection
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from graph_store.access import Access
from graph_store.bundles import (
    ChunkSentences,
    FloatVector,
    NamePlaces,
    NamesOfPassages,
    PassageGraph,
    PassageLinks,
    PassageSample,
    StoreCounts,
    TokenVectors,
)
from graph_store.embedded import derived_reads, document_reads, entity_reads
from graph_store.embedded.access_sql import Scopes
from graph_store.embedded.change_log import read_sequences
from graph_store.embedded.counting import count_records
from graph_store.embedded.database import Database
from graph_store.embedded.keyword_catalog import KeywordCatalog
from graph_store.embedded.near_names import read_name_places, read_passage_names
from graph_store.embedded.passage_graph import PassageGraphs, read_links, read_sample
from graph_store.embedded.search import HitSearch, SearchRequest
from graph_store.embedded.space_watch import SpaceWatch
from graph_store.embedded.store_files import folder_identity
from graph_store.embedded.vector_catalog import VectorCatalog
from graph_store.filters import Filters
from graph_store.records import Chunk, Community, Document, Entity, Hit, Mention, Parent, Relation, SearchKind, TreeNode
from graph_store.remembered import Remembered
from graph_store.searches import NOTHING_ALONG, Along, KeywordSearch, Search
from graph_store.settings import StoreSettings

_Found = TypeVar("_Found")

_SAMPLES_KEPT = 16


class CallerReads:
    """The half of a ``GraphStore`` that answers callers; each read sees one state of the database, and so do all reads
    within ``one_state``.
    """

    def __init__(self, folder: Path, database: Database, *, settings: StoreSettings) -> None:
        self._folder = folder
        self._database = database
        self._watch = SpaceWatch(folder, database)
        self._keywords = KeywordCatalog(folder, database, settings)
        self._vectors = VectorCatalog(folder, watch=self._watch, settings=settings)
        self._scopes = Scopes()
        self._search = HitSearch(database, self._keywords, self._vectors, scopes=self._scopes, settings=settings)
        self._graphs = PassageGraphs()
        self._samples: Remembered[PassageSample] = Remembered(_SAMPLES_KEPT)

    @property
    def identity(self) -> str:
        """What tells this store from every other: its folder, whatever leads there."""
        return folder_identity(self._folder)

    @property
    def embedding_model(self) -> str:
        """The id of the embedding model that all vectors of this store were made with, as of its opening."""
        return self._watch.space.embedding_model

    @property
    def dimension(self) -> int:
        """The number of dimensions of every vector in the store."""
        return self._watch.space.dimension

    @property
    def token_space(self) -> str:
        """The name of the space that all token vectors of this store are in; "none" where it keeps none."""
        return self._watch.space.token_space

    @property
    def token_dimension(self) -> int:
        """The number of dimensions of every token vector in the store; 0 where it keeps none."""
        return self._watch.space.token_dimension

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Let all reads of this thread within the context see one state (see ``GraphStore``)."""
        with self._database.snapshot():
            yield

    def in_one_state(self, work: Callable[[], _Found]) -> _Found:
        """Return what ``work`` returns from one state of the store; it is done once (see ``GraphStore``)."""
        with self._database.snapshot():
            return work()

    def counts(self, access: Access) -> StoreCounts:
        """Count what the caller may read."""
        with self._database.snapshot() as connection:
            return count_records(connection, self._scopes.of(connection, access))

    def list_documents(self, access: Access) -> tuple[Document, ...]:
        """Return all readable documents, ordered by id."""
        with self._database.snapshot() as connection:
            return document_reads.read_documents(connection, self._scopes.of(connection, access))

    def documents(self, access: Access, document_ids: Sequence[str]) -> tuple[Document, ...]:
        """Return readable documents by id."""
        with self._database.snapshot() as connection:
            return document_reads.read_documents(connection, self._scopes.of(connection, access), document_ids)

    def document_text(self, access: Access, document_id: str) -> str | None:
        """Return the cleaned text of a document, None where it is missing or forbidden."""
        with self._database.snapshot() as connection:
            return document_reads.read_text(connection, self._scopes.of(connection, access), document_id)

    def chunks(self, access: Access, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return readable chunks by id."""
        with self._database.snapshot() as connection:
            return document_reads.read_chunks(connection, self._scopes.of(connection, access), chunk_ids)

    def document_chunks(self, access: Access, document_id: str) -> tuple[Chunk, ...]:
        """Return the readable chunks of a document by position."""
        with self._database.snapshot() as connection:
            return document_reads.read_document_chunks(connection, self._scopes.of(connection, access), document_id)

    def parents(self, access: Access, parent_ids: Sequence[str]) -> tuple[Parent, ...]:
        """Return readable parents by id."""
        with self._database.snapshot() as connection:
            return document_reads.read_parents(connection, self._scopes.of(connection, access), parent_ids)

    def sentences(self, access: Access, chunk_ids: Sequence[str]) -> ChunkSentences:
        """Return the sentences of readable chunks, chunks in the order asked, then by position."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, access)
            dimension = self._watch.of(connection).dimension
            return document_reads.read_sentences(connection, scope, chunk_ids, dimension=dimension)

    def search_keywords(
        self, access: Access, text: str, *, kind: SearchKind, k: int, filters: Filters = ()
    ) -> tuple[Hit, ...]:
        """Return at most ``k`` readable records by BM25, best first, ties by id (see ``GraphStore``)."""
        return self._search.by_keywords(SearchRequest(access=access, kind=kind, k=k, filters=filters), text)

    def search_vectors(
        self, access: Access, vector: FloatVector, *, kind: SearchKind, k: int, filters: Filters = ()
    ) -> tuple[Hit, ...]:
        """Return at most ``k`` readable records by cosine, best first, ties by id (see ``GraphStore``)."""
        return self._search.by_vector(SearchRequest(access=access, kind=kind, k=k, filters=filters), vector)

    def search_many(
        self,
        access: Access,
        searches: Sequence[Search],
        *,
        along: Along = NOTHING_ALONG,  # noqa: ARG002 - is at hand
    ) -> tuple[tuple[Hit, ...], ...]:
        """Return the hits of each search, all of one state (see ``GraphStore``)."""
        with self._database.snapshot():
            return tuple(self._hits(access, search) for search in searches)

    def _hits(self, access: Access, search: Search) -> tuple[Hit, ...]:
        request = SearchRequest(access=access, kind=search.kind, k=search.k, filters=search.filters)
        if isinstance(search, KeywordSearch):
            return self._search.by_keywords(request, search.text)
        return self._search.by_vector(request, search.vector)

    def cosines(self, access: Access, vector: FloatVector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return chunk id -> cosine with ``vector`` for the readable chunks among ``chunk_ids``."""
        return self._search.cosines(access, vector, chunk_ids)

    def chunk_vectors(self, access: Access, chunk_ids: Sequence[str]) -> Mapping[str, FloatVector]:
        """Return chunk id -> unit vector (d,) for the readable chunks among ``chunk_ids``."""
        return self._search.chunk_vectors(access, chunk_ids)

    def token_vectors(self, access: Access, chunk_ids: Sequence[str]) -> Mapping[str, TokenVectors]:
        """Return chunk id -> token vectors for the readable chunks among ``chunk_ids``; empty where none are kept."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, access)
            dimension = self._watch.of(connection).token_dimension
            return document_reads.read_tokens(connection, scope, chunk_ids, dimension=dimension)

    def filtered_documents(self, access: Access, filters: Filters) -> frozenset[str] | None:
        """Return the ids of readable documents that pass ``filters``; None where there is no filter."""
        return self._search.filtered_documents(access, filters)

    def superseded_documents(self, access: Access) -> frozenset[str]:
        """Return the ids of readable documents that another readable one supersedes."""
        return self._search.superseded_documents(access)

    def passage_graph(self, access: Access) -> PassageGraph:
        """Return the readable part of the passage graph."""
        with self._database.snapshot() as connection:
            return self._graphs.of(connection, self._scopes.of(connection, access))

    def passage_sample(self, access: Access, *, most: int) -> PassageSample:
        """Count the readable chunks and choose ``most`` of them evenly (see ``GraphStore``)."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, access)
            key = (scope, read_sequences(connection, scope.tenant), most)
            return self._samples.of(key, lambda: read_sample(connection, scope, most=most))

    def name_places(self, access: Access, keys: AnyCollection[str], *, most: int) -> Mapping[str, NamePlaces]:
        """Return name key -> where it stands, for the names among ``keys`` that a readable passage has."""
        with self._database.snapshot() as connection:
            return read_name_places(connection, self._scopes.of(connection, access), keys, most=most)

    def passage_names(self, access: Access, chunk_ids: Sequence[str], *, most: int) -> NamesOfPassages:
        """Return the names of the readable chunks among ``chunk_ids``, and where these stand."""
        with self._database.snapshot() as connection:
            return read_passage_names(connection, self._scopes.of(connection, access), chunk_ids, most=most)

    def passage_links(self, access: Access, chunk_ids: Sequence[str], *, most: int) -> Mapping[str, PassageLinks]:
        """Return chunk id -> the ``most`` strongest edges of readable chunks."""
        with self._database.snapshot() as connection:
            return read_links(connection, self._scopes.of(connection, access), chunk_ids, most=most)

    def entities(self, access: Access, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return entities with at least one readable mention or home, by id; only readable names."""
        with self._database.snapshot() as connection:
            return entity_reads.read_entities(connection, self._scopes.of(connection, access), entity_ids)

    def find_entities(self, access: Access, name: str) -> tuple[Entity, ...]:
        """Return the readable entities whose name or alias has the name key of ``name``, most mentions first."""
        with self._database.snapshot() as connection:
            return entity_reads.find_entities(connection, self._scopes.of(connection, access), name)

    def list_entities(self, access: Access) -> tuple[Entity, ...]:
        """Return all readable entities, ordered by id."""
        with self._database.snapshot() as connection:
            return entity_reads.read_entities(connection, self._scopes.of(connection, access))

    def entity_mentions(self, access: Access, entity_id: str) -> tuple[Mention, ...]:
        """Return the readable mentions of an entity, ordered by chunk id and offset."""
        with self._database.snapshot() as connection:
            return derived_reads.read_mentions(connection, self._scopes.of(connection, access), entity_id)

    def entity_relations(self, access: Access, entity_id: str) -> tuple[Relation, ...]:
        """Return relations with the entity as source or target, with their readable evidence, by weight."""
        with self._database.snapshot() as connection:
            found = derived_reads.read_relations(connection, self._scopes.of(connection, access), entity_id)
        return tuple(sorted(found, key=lambda relation: (-relation.weight, relation.id)))

    def list_relations(self, access: Access) -> tuple[Relation, ...]:
        """Return all relations with readable evidence, ordered by id."""
        with self._database.snapshot() as connection:
            return derived_reads.read_relations(connection, self._scopes.of(connection, access))

    def communities(
        self, access: Access, *, level: int | None = None, ids: AnyCollection[str] | None = None
    ) -> tuple[Community, ...]:
        """Return readable communities, ordered by level, then size (largest first), then id."""
        with self._database.snapshot() as connection:
            return derived_reads.read_communities(connection, self._scopes.of(connection, access), level=level, ids=ids)

    def tree_nodes(
        self,
        access: Access,
        *,
        level: int | None = None,
        document_id: str | None = None,
        ids: AnyCollection[str] | None = None,
    ) -> tuple[TreeNode, ...]:
        """Return readable tree nodes, ordered by level (highest first), then id."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, access)
            return derived_reads.read_tree_nodes(connection, scope, level=level, document_id=document_id, ids=ids)

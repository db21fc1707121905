"""The embedded store: SQLite as the system of record, with keyword and vector indexes that can be thrown away."""

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from graph_store.access import Access
from graph_store.bundles import (
    ChunkSentences,
    Collection,
    DocumentBundle,
    DocumentState,
    FloatVector,
    Generation,
    PassageGraph,
    StoreCounts,
    TokenVectors,
)
from graph_store.embedded import derived_reads, document_reads, entity_reads
from graph_store.embedded.access_sql import Scopes, whole_tenant
from graph_store.embedded.change_log import mark_data_changed, prune_log, read_sequences
from graph_store.embedded.collection_reads import read_collection
from graph_store.embedded.content_digest import digest_content
from graph_store.embedded.counting import count_records, read_tenants
from graph_store.embedded.database import Database
from graph_store.embedded.derived_rows import replace_generation
from graph_store.embedded.document_rows import delete_document_rows, insert_document
from graph_store.embedded.keyword_catalog import KeywordCatalog
from graph_store.embedded.lost_evidence import find_touched, mend_derived
from graph_store.embedded.passage_graph import PassageGraphs
from graph_store.embedded.record_checks import check_bundle, check_generation
from graph_store.embedded.search import HitSearch, SearchRequest
from graph_store.embedded.store_files import (
    NO_TOKENS,
    StoreState,
    check_state,
    open_for_reading,
    open_for_writing,
    prepare_folder,
    read_state,
)
from graph_store.embedded.token_checks import check_tokens
from graph_store.embedded.vector_catalog import VectorCatalog
from graph_store.embedded.writer_lock import WriterLock
from graph_store.errors import StoreUnusable
from graph_store.filters import Filters
from graph_store.records import Chunk, Community, Document, Entity, Hit, Mention, Parent, Relation, SearchKind, TreeNode
from graph_store.settings import StoreSettings


class EmbeddedStore:
    """A ``GraphStore`` in a folder. Make one with ``create_or_open`` (to write) or ``open`` (to read).

    Any number of threads and processes may read while one writes. A reader sees each commit with its next call; only
    keywords of the newest documents may take until the writer publishes or closes.
    """

    def __init__(self, folder: Path, *, database: Database, lock: WriterLock | None, settings: StoreSettings) -> None:
        self._folder = folder
        self._database = database
        self._lock = lock
        self._settings = settings
        self._state = read_state(folder, database)
        self._keywords = KeywordCatalog(folder, database, settings)
        self._vectors = VectorCatalog(
            folder, model=self._state.embedding_model, dimension=self._state.dimension, settings=settings
        )
        self._scopes = Scopes()
        self._search = HitSearch(database, self._keywords, self._vectors, scopes=self._scopes, settings=settings)
        self._graphs = PassageGraphs()
        self._worked_on: set[str] = set()

    @classmethod
    def create_or_open(
        cls,
        folder: Path,
        *,
        embedding_model: str,
        dimension: int,
        token_space: str = NO_TOKENS,
        token_dimension: int = 0,
        settings: StoreSettings | None = None,
    ) -> "EmbeddedStore":
        """Open a store for writing, making it where there is none; without a ``token_space`` it keeps no tokens.

        Raises ``StoreLocked`` where another writer is at work and ``StoreMismatch`` where the store was made otherwise.
        """
        settings = settings or StoreSettings()
        prepare_folder(folder)
        lock = WriterLock(folder)
        try:
            wanted = StoreState(
                embedding_model=embedding_model,
                dimension=dimension,
                token_space=token_space,
                token_dimension=token_dimension,
            )
            database = open_for_writing(folder, wanted=wanted, settings=settings)
            return cls(folder, database=database, lock=lock, settings=settings)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        settings: StoreSettings | None = None,
        read_only: bool = True,
        expected_model: str | None = None,
        expected_tokens: str | None = None,
    ) -> "EmbeddedStore":
        """Open an existing store, by default to read, which works beside a writer.

        Raises ``StoreMissing`` where there is no store, ``StoreMismatch`` where it has another format, embedding model
        or token space than expected, and ``StoreLocked`` as ``create_or_open`` does.
        """
        settings = settings or StoreSettings()
        database = open_for_reading(folder, settings, read_only=read_only)
        lock = None
        try:
            state = read_state(folder, database)
            check_state(folder, state, expected_model=expected_model, expected_tokens=expected_tokens)
            lock = None if read_only else WriterLock(folder)
            return cls(folder, database=database, lock=lock, settings=settings)
        except BaseException:
            database.close()
            if lock is not None:
                lock.release()
            raise

    def __enter__(self) -> "EmbeddedStore":
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    @property
    def embedding_model(self) -> str:
        """The id of the embedding model that all vectors of this store were made with."""
        return self._state.embedding_model

    @property
    def dimension(self) -> int:
        """The number of dimensions of every vector in the store."""
        return self._state.dimension

    @property
    def token_space(self) -> str:
        """The name of the space that all token vectors of this store are in; "none" where it keeps none."""
        return self._state.token_space

    @property
    def token_dimension(self) -> int:
        """The number of dimensions of every token vector in the store; 0 where it keeps none."""
        return self._state.token_dimension

    def close(self) -> None:
        """Bring the derived indexes up to date, and release files and locks; calling it twice is harmless."""
        try:
            for tenant in sorted(self._worked_on if self._lock is not None else ()):
                self._bring_up_to_date(tenant)
        finally:
            self._worked_on.clear()
            self._database.close()
            if self._lock is not None:
                self._lock.release()

    def _bring_up_to_date(self, tenant: str) -> None:
        self._keywords.catch_up(tenant)
        with self._database.snapshot() as connection:
            self._vectors.save(connection, tenant)
        reached = self._keywords.reached(tenant)
        if reached is not None:
            prune_log(self._database, tenant, upto=reached, keep=self._settings.log_rows)
        self._worked_on.discard(tenant)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write_documents(self, bundles: Sequence[DocumentBundle]) -> None:
        """Add or replace whole documents in one transaction (see ``GraphStore``)."""
        self._need_writer()
        for bundle in bundles:
            check_bundle(bundle, dimension=self.dimension, embedding_model=self.embedding_model)
            check_tokens(bundle, dimension=self.token_dimension)
        by_tenant: dict[str, dict[str, DocumentBundle]] = {}
        for bundle in bundles:
            by_tenant.setdefault(bundle.document.tenant, {})[bundle.document.id] = bundle
        with self._database.transaction() as connection:
            for tenant, chosen in by_tenant.items():
                touched = find_touched(connection, tenant, list(chosen))
                delete_document_rows(connection, tenant, list(chosen))
                mend_derived(connection, tenant, touched)
                for bundle in chosen.values():
                    insert_document(connection, bundle)
                mark_data_changed(connection, tenant)
        self._worked_on.update(by_tenant)

    def delete_documents(self, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
        """Delete documents with all that rests on them alone (see ``GraphStore``)."""
        self._need_writer()
        with self._database.transaction() as connection:
            touched = find_touched(connection, tenant, document_ids)
            deleted = delete_document_rows(connection, tenant, document_ids)
            if deleted:
                mend_derived(connection, tenant, touched)
                mark_data_changed(connection, tenant)
        if deleted:
            self._bring_up_to_date(tenant)
            self._database.checkpoint()
        return deleted

    def publish(self, generation: Generation) -> None:
        """Replace the derived layer of one tenant in one transaction and mark it current."""
        self._need_writer()
        check_generation(generation, dimension=self.dimension)
        with self._database.transaction() as connection:
            replace_generation(connection, generation)
        self._bring_up_to_date(generation.tenant)

    def _need_writer(self) -> None:
        if self._lock is None:
            raise StoreUnusable(f"the store {str(self._folder)!r} is open to read only: open it with create_or_open")

    # -- state for indexing (whole tenants, no caller) ----------------------------------------------------------------

    def document_states(self, tenant: str) -> Mapping[str, DocumentState]:
        """Return document id -> state of all documents of the tenant, whoever may read them."""
        self._worked_on.add(tenant)
        with self._database.snapshot() as connection:
            return document_reads.read_states(connection, tenant)

    def tenant_counts(self, tenant: str) -> StoreCounts:
        """Count all that the tenant has, whoever may read it."""
        with self._database.snapshot() as connection:
            return count_records(connection, whole_tenant(connection, tenant))

    def tenants(self) -> tuple[str, ...]:
        """Return the tenants that have documents or a derived layer, sorted."""
        with self._database.snapshot() as connection:
            return read_tenants(connection)

    def derived_fingerprint(self, tenant: str) -> str | None:
        """Return the fingerprint of the published generation; None where it is stale or was never published."""
        with self._database.snapshot() as connection:
            return read_sequences(connection, tenant).fingerprint

    def read_collection(self, tenant: str) -> Collection:
        """Read everything of a tenant that the derived layer is made from."""
        with self._database.snapshot() as connection:
            return read_collection(connection, tenant, dimension=self.dimension)

    def content_digest(self, tenant: str) -> str:
        """Return a SHA-256 over the content of a tenant, equal for equal content whatever its history."""
        with self._database.snapshot() as connection:
            return digest_content(connection, tenant)

    # -- reading ------------------------------------------------------------------------------------------------------

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
            return document_reads.read_sentences(connection, scope, chunk_ids, dimension=self.dimension)

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
            return document_reads.read_tokens(connection, scope, chunk_ids, dimension=self.token_dimension)

    def filtered_documents(self, access: Access, filters: Filters) -> frozenset[str] | None:
        """Return the ids of readable documents that pass ``filters``; None where there is no filter."""
        return self._search.filtered_documents(access, filters)

    def superseded_documents(self, access: Access) -> frozenset[str]:
        """Return the ids of readable documents that another readable one supersedes."""
        return self._search.superseded_documents(access)

    def passage_graph(self, access: Access) -> PassageGraph:
        """Return the readable part of the passage graph; cached until the next write, so the call is cheap."""
        with self._database.snapshot() as connection:
            scope = self._scopes.of(connection, access)
            return self._graphs.of(connection, scope)

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

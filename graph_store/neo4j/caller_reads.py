"""What callers read from a store on a Neo4j server."""

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence

from graph_store.access import Access
from graph_store.bundles import ChunkSentences, FloatVector, StoreCounts, TokenVectors
from graph_store.filters import Filters
from graph_store.neo4j import derived_reads, document_reads, entity_reads, search, tenant_reads
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.filtering import ALL, Passing, all_passing, passing_documents, read_superseded
from graph_store.neo4j.passage_reads import PassageReads
from graph_store.neo4j.schema import kinds_by_tenant
from graph_store.neo4j.scope import Scope
from graph_store.neo4j.search_plan import SearchPlan, count_kinds
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.store_state import Progress
from graph_store.neo4j.vector_search import Records
from graph_store.records import Chunk, Community, Document, Entity, Hit, Mention, Parent, Relation, SearchKind, TreeNode
from graph_store.remembered import Remembered
from graph_store.searches import NOTHING_ALONG, Along, KeywordSearch, Search, VectorSearch
from graph_store.settings import Neo4jSettings

_FILTERS_KEPT = 16


class CallerReads(PassageReads):
    """The reading half of ``GraphStore``: every read takes an ``Access`` and shows what the caller may read."""

    def __init__(self, connection: Connection, space: StoredSpace, settings: Neo4jSettings) -> None:
        super().__init__(connection, space, settings)
        self._counts: Remembered[StoreCounts] = Remembered(_FILTERS_KEPT)
        self._records: Remembered[Mapping[SearchKind, Records]] = Remembered(_FILTERS_KEPT)
        self._kinds: Remembered[frozenset[SearchKind]] = Remembered(_FILTERS_KEPT)
        self._passing: Remembered[Passing] = Remembered(_FILTERS_KEPT)
        self._passing_ids: Remembered[frozenset[str]] = Remembered(_FILTERS_KEPT)

    def counts(self, access: Access) -> StoreCounts:
        """Count what the caller may read."""

        def work(transaction: Transaction, scope: Scope, progress: Progress) -> StoreCounts:
            key = (scope, progress.data, progress.derived)
            return self._counts.of(key, lambda: tenant_reads.count_records(transaction, scope))

        return self._read(access, work)

    def list_documents(self, access: Access) -> tuple[Document, ...]:
        """Return all readable documents, ordered by id."""
        return self._read_documents(access, document_reads.read_documents)

    def documents(self, access: Access, document_ids: Sequence[str]) -> tuple[Document, ...]:
        """Return readable documents by id."""
        if (held := self._passages(access, len(document_ids))) is not None:
            return held.documents(document_ids)
        return self._read_documents(access, lambda tx, scope: document_reads.read_documents(tx, scope, document_ids))

    def document_text(self, access: Access, document_id: str) -> str | None:
        """Return the cleaned text of a document, None where it is missing or forbidden."""
        return self._read_documents(access, lambda tx, scope: document_reads.read_text(tx, scope, document_id))

    def chunks(self, access: Access, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return readable chunks by id."""
        if (held := self._passages(access, len(chunk_ids))) is not None:
            return held.chunks(chunk_ids)
        return self._read_documents(
            access, lambda tx, scope: document_reads.read_chunks(tx, scope, chunk_ids, space=self._space)
        )

    def document_chunks(self, access: Access, document_id: str) -> tuple[Chunk, ...]:
        """Return the readable chunks of a document by position."""
        if (held := self._passages(access, 1)) is not None:
            return held.document_chunks(document_id)
        return self._read_documents(
            access, lambda tx, scope: document_reads.read_document_chunks(tx, scope, document_id, space=self._space)
        )

    def parents(self, access: Access, parent_ids: Sequence[str]) -> tuple[Parent, ...]:
        """Return readable parents by id."""
        return self._read_documents(access, lambda tx, scope: document_reads.read_parents(tx, scope, parent_ids))

    def sentences(self, access: Access, chunk_ids: Sequence[str]) -> ChunkSentences:
        """Return the sentences of readable chunks, chunks in the order asked, then by position."""
        if (held := self._passages(access, len(chunk_ids))) is not None:
            self._vectors_are_read()
            return held.sentences(chunk_ids)
        return self._read_vectors(
            access, lambda tx, scope: document_reads.read_sentences(tx, scope, chunk_ids, space=self._space)
        )

    def search_keywords(
        self, access: Access, text: str, *, kind: SearchKind, k: int, filters: Filters = ()
    ) -> tuple[Hit, ...]:
        """Return at most ``k`` readable records by BM25, best first, ties by id (see ``GraphStore``)."""
        return self.search_many(access, [KeywordSearch(text=text, kind=kind, k=k, filters=filters)])[0]

    def search_vectors(
        self, access: Access, vector: FloatVector, *, kind: SearchKind, k: int, filters: Filters = ()
    ) -> tuple[Hit, ...]:
        """Return at most ``k`` readable records by cosine, best first, ties by id (see ``GraphStore``)."""
        return self.search_many(access, [VectorSearch(vector=vector, kind=kind, k=k, filters=filters)])[0]

    def search_many(
        self, access: Access, searches: Sequence[Search], *, along: Along = NOTHING_ALONG
    ) -> tuple[tuple[Hit, ...], ...]:
        """Return the hits of each search; they are sent together (see ``GraphStore``)."""
        by_vector = [item.vector for item in searches if isinstance(item, VectorSearch)]
        for vector in by_vector:
            search.checked(vector, self._space.dimension)

        def work(transaction: Transaction, scope: Scope, progress: Progress) -> tuple[tuple[Hit, ...], ...]:
            if by_vector:
                self._vectors_are_read()
            plan = SearchPlan(
                scope,
                slot=self._space.slot,
                records=lambda: self._records.of((scope.tenant, progress), lambda: count_kinds(transaction, scope)),
                passing=lambda filters: self._passing_of(transaction, scope, progress, filters),
                by_tenant=self._by_tenant,
                settings=self._neo4j_settings,
            )
            askings = plan.askings(searches)
            if progress == Progress():
                return tuple(() for _ in searches)  # a tenant that is not known has no index to search
            held = self._passages(access, 0)
            asides = [] if held is None else held.asides(scope, along)
            found = search.run_searches(transaction, scope, askings, asides=asides, language=self._language)
            return tuple(found[number] for number in range(len(searches)))

        return self._read(access, work)

    @property
    def _by_tenant(self) -> frozenset[SearchKind]:
        space = self._space
        return self._kinds.of(space.number, lambda: kinds_by_tenant(self._connection, space.slot))

    @property
    def _language(self) -> str:
        return "CYPHER 25" if self._connection.has_search else ""

    def _passing_of(self, transaction: Transaction, scope: Scope, progress: Progress, filters: Filters) -> Passing:
        if not filters:
            return ALL
        key = (scope.tenant, scope.tokens, progress.data, filters)
        return self._passing.of(key, lambda: passing_documents(transaction, scope, filters))

    def cosines(self, access: Access, vector: FloatVector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return chunk id -> cosine with ``vector`` for the readable chunks among ``chunk_ids``."""
        wanted = search.checked(vector, self._space.dimension)
        slot = self._space.slot
        return self._read_vectors(access, lambda tx, scope: search.cosines(tx, scope, wanted, chunk_ids, slot=slot))

    def chunk_vectors(self, access: Access, chunk_ids: Sequence[str]) -> Mapping[str, FloatVector]:
        """Return chunk id -> unit vector (d,) for the readable chunks among ``chunk_ids``."""
        if (held := self._passages(access, 0)) is not None:
            self._vectors_are_read()
            return held.vectors(chunk_ids)
        return self._read_vectors(
            access, lambda tx, scope: document_reads.read_vectors(tx, scope, chunk_ids, space=self._space)
        )

    def token_vectors(self, access: Access, chunk_ids: Sequence[str]) -> Mapping[str, TokenVectors]:
        """Return chunk id -> token vectors for the readable chunks among ``chunk_ids``; empty where none are kept."""
        if (held := self._passages(access, len(chunk_ids))) is not None:
            self._vectors_are_read()
            return held.tokens(chunk_ids)
        return self._read_vectors(
            access, lambda tx, scope: document_reads.read_tokens(tx, scope, chunk_ids, space=self._space)
        )

    def filtered_documents(self, access: Access, filters: Filters) -> frozenset[str] | None:
        """Return the ids of readable documents that pass ``filters``; None where there is no filter."""
        if not filters:
            return None

        def work(transaction: Transaction, scope: Scope, progress: Progress) -> frozenset[str]:
            key = (scope.tenant, scope.tokens, progress.data, filters)
            passing = self._passing_of(transaction, scope, progress, filters)
            return self._passing_ids.of(key, lambda: all_passing(transaction, scope, passing))

        return self._read(access, work)

    def superseded_documents(self, access: Access) -> frozenset[str]:
        """Return the ids of readable documents that another readable one supersedes."""

        def work(transaction: Transaction, scope: Scope, progress: Progress) -> frozenset[str]:
            key = (scope.tenant, scope.tokens, progress.data, "superseded")
            return self._passing_ids.of(key, lambda: read_superseded(transaction, scope, None))

        return self._read(access, work)

    def entities(self, access: Access, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return entities with at least one readable mention or home, by id; only readable names."""
        return self._read(access, lambda tx, scope, _: entity_reads.read_entities(tx, scope, entity_ids))

    def find_entities(self, access: Access, name: str) -> tuple[Entity, ...]:
        """Return the readable entities whose name or alias has the name key of ``name``, most mentions first."""

        def work(transaction: Transaction, scope: Scope, progress: Progress) -> tuple[Entity, ...]:
            return () if progress == Progress() else entity_reads.find_entities(transaction, scope, name)

        return self._read(access, work)

    def list_entities(self, access: Access) -> tuple[Entity, ...]:
        """Return all readable entities, ordered by id."""
        return self._read(access, lambda tx, scope, _: entity_reads.read_entities(tx, scope))

    def entity_mentions(self, access: Access, entity_id: str) -> tuple[Mention, ...]:
        """Return the readable mentions of an entity, ordered by chunk id and offset."""
        return self._read(access, lambda tx, scope, _: entity_reads.read_mentions(tx, scope, entity_id))

    def entity_relations(self, access: Access, entity_id: str) -> tuple[Relation, ...]:
        """Return relations with the entity as source or target, with their readable evidence, by weight."""
        found = self._read(access, lambda tx, scope, _: derived_reads.read_relations(tx, scope, entity_id))
        return tuple(sorted(found, key=lambda relation: (-relation.weight, relation.id)))

    def list_relations(self, access: Access) -> tuple[Relation, ...]:
        """Return all relations with readable evidence, ordered by id."""
        return self._read(access, lambda tx, scope, _: derived_reads.read_relations(tx, scope))

    def communities(
        self, access: Access, *, level: int | None = None, ids: AnyCollection[str] | None = None
    ) -> tuple[Community, ...]:
        """Return readable communities, ordered by level, then size (largest first), then id."""
        return self._read(access, lambda tx, scope, _: derived_reads.read_communities(tx, scope, level=level, ids=ids))

    def tree_nodes(
        self,
        access: Access,
        *,
        level: int | None = None,
        document_id: str | None = None,
        ids: AnyCollection[str] | None = None,
    ) -> tuple[TreeNode, ...]:
        """Return readable tree nodes, ordered by level (highest first), then id."""
        return self._read(
            access,
            lambda tx, scope, _: derived_reads.read_tree_nodes(
                tx, scope, level=level, document_id=document_id, ids=ids
            ),
        )

"""The store on a Neo4j server: the server is the system of record, and its own indexes search."""

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType

from graph_store.bundles import (
    Collection,
    DocumentBundle,
    DocumentState,
    Generation,
    PreviousGeneration,
    SourceState,
    StoreCounts,
)
from graph_store.errors import StoreMismatch, StoreUnusable
from graph_store.findings import Finding
from graph_store.neo4j import document_reads, tenant_reads
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.batching import in_halves
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.copying import CopyableStore
from graph_store.neo4j.document_writes import DocumentWriter, delete_documents, existing_documents
from graph_store.neo4j.examination import examine_store
from graph_store.neo4j.failures import BatchTooLarge
from graph_store.neo4j.generation_reads import read_generation
from graph_store.neo4j.lost_evidence import find_touched, mend_derived
from graph_store.neo4j.publishing import Publisher
from graph_store.neo4j.schema import make_text_index, mend_schema
from graph_store.neo4j.scope import whole_tenant
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.source_nodes import read_sources, replace_sources
from graph_store.neo4j.space_state import need_filled
from graph_store.neo4j.space_vectors import finish_drop
from graph_store.neo4j.spaced_store import SpacedStore
from graph_store.neo4j.store_state import (
    existing_state,
    forget_settings,
    make_store,
    mark_data_changed,
    read_progress,
    read_tenants,
)
from graph_store.neo4j.writer_lease import WriterLease
from graph_store.record_checks import check_bundle, check_generation
from graph_store.settings import Neo4jSettings
from graph_store.spaces import NO_TOKENS, VectorSpace
from graph_store.token_checks import check_tokens


class Neo4jStore(CopyableStore, SpacedStore):
    """A ``GraphStore`` in a database of a Neo4j server. Make one with ``create_or_open`` (to write) or ``open``.

    Any number of threads and processes may read while one writes; each sees a commit with its next call.
    """

    def __init__(
        self, connection: Connection, space: StoredSpace, *, lease: WriterLease | None, settings: Neo4jSettings
    ) -> None:
        super().__init__(connection, space, settings)
        self._lease = lease
        self._indexed: set[str] = set()

    @classmethod
    def create_or_open(
        cls,
        address: ServerAddress,
        *,
        embedding_model: str,
        dimension: int,
        token_space: str = NO_TOKENS,
        token_dimension: int = 0,
        settings: Neo4jSettings | None = None,
    ) -> "Neo4jStore":
        """Open a store for writing, making it where there is none; without a ``token_space`` it keeps no tokens.

        Raises ``StoreUnreachable``, ``StoreRefused``, ``StoreLocked`` where another writer is at work, and
        ``StoreMismatch`` where the store was made otherwise.
        """
        settings = settings or Neo4jSettings()
        wanted = VectorSpace(
            embedding_model=embedding_model,
            dimension=dimension,
            token_space=token_space,
            token_dimension=token_dimension,
        )
        with ExitStack() as undone:
            connection = Connection(address, settings)
            undone.callback(connection.close)
            connection.connect()
            spaces = make_store(connection, wanted)
            live = spaces.live
            _check_state(address, live.space, model=wanted.embedding_model, tokens=wanted.token_space)
            _check_dimensions(address, live.space, wanted)
            mend_schema(connection, live, *([] if spaces.spare is None else [spaces.spare]))
            lease = WriterLease(connection, seconds=settings.writer_lease_s)
            undone.callback(lease.release)
            for tenant in connection.read(read_tenants):
                Publisher(connection, lease, settings, slot=live.slot).sweep(tenant)
            finish_drop(connection, lease)
            store = cls(connection, live, lease=lease, settings=settings)
            undone.pop_all()
        return store

    @classmethod
    def open(
        cls,
        address: ServerAddress,
        *,
        settings: Neo4jSettings | None = None,
        read_only: bool = True,
        expected_model: str | None = None,
        expected_tokens: str | None = None,
        spare: bool = False,
    ) -> "Neo4jStore":
        """Open an existing store, by default to read, which works beside a writer.

        ``spare`` reads its spare vector space in the place of the live one, to compare the two; only to read. Raises
        ``StoreUnreachable``, ``StoreRefused``, ``StoreMissing`` where there is no store, ``StoreMismatch`` where it has
        another format, embedding model or token space than expected, ``SpaceMissing`` and ``SpaceIncomplete``.
        """
        settings = settings or Neo4jSettings()
        with ExitStack() as undone:
            connection = Connection(address, settings)
            undone.callback(connection.close)
            connection.connect()
            live = existing_state(connection).live
            space = connection.read(need_filled) if spare else live
            _check_state(address, space.space, model=expected_model, tokens=expected_tokens)
            lease = None if read_only else WriterLease(connection, seconds=settings.writer_lease_s)
            if lease is not None:
                undone.callback(lease.release)
                finish_drop(connection, lease)
            store = cls(connection, space, lease=lease, settings=settings)
            undone.pop_all()
        return store

    @staticmethod
    def examine(address: ServerAddress, settings: Neo4jSettings) -> tuple[Finding, ...]:
        """Look over a store without changing anything. Raises ``StoreMissing`` where there is none."""
        return examine_store(address, settings)

    def __enter__(self) -> "Neo4jStore":
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Give back the lease of a writer and close all connections; calling it twice is harmless."""
        if self._lease is not None:
            self._lease.release()
        self._connection.close()

    # -- writing ------------------------------------------------------------------------------------------------------

    def write_documents(self, bundles: Sequence[DocumentBundle]) -> None:
        """Add or replace whole documents (see ``GraphStore``).

        All in one transaction, unless the server has not the memory for it: then each half in one of its own, and so
        on; a document is never written by halves.
        """
        lease = self._writer()
        for bundle in bundles:
            check_bundle(bundle, dimension=self.dimension, embedding_model=self.embedding_model)
            check_tokens(bundle, dimension=self.token_dimension)
        by_tenant: dict[str, dict[str, DocumentBundle]] = {}
        for bundle in bundles:
            by_tenant.setdefault(bundle.document.tenant, {})[bundle.document.id] = bundle
        for tenant in sorted(by_tenant):
            self._need_text_index(tenant)
        chosen = [bundle for tenant in sorted(by_tenant) for bundle in by_tenant[tenant].values()]
        if chosen:
            in_halves(chosen, lambda part: self._write_part(part, lease))

    def _write_part(self, bundles: Sequence[DocumentBundle], lease: WriterLease) -> None:
        try:
            self._connection.write(lambda tx: self._write(tx, bundles, lease))
        except BatchTooLarge as error:
            if len(bundles) == 1:
                raise BatchTooLarge(f"{error}; the document {bundles[0].document.id!r} is written alone") from error
            raise

    def _write(self, transaction: Transaction, bundles: Sequence[DocumentBundle], lease: WriterLease) -> None:
        lease.check(transaction)
        for tenant in sorted({bundle.document.tenant for bundle in bundles}):
            own = [bundle for bundle in bundles if bundle.document.tenant == tenant]
            self._delete(transaction, tenant, [bundle.document.id for bundle in own])
            DocumentWriter(
                transaction,
                tenant,
                slot=self._space.slot,
                settings=self._neo4j_settings,
                as_vector=self._connection.has_vectors,
            ).insert(own)
            mark_data_changed(transaction, tenant, documents=len(own))

    def _delete(self, transaction: Transaction, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
        existing = existing_documents(transaction, tenant, document_ids)
        if existing:
            generation = read_progress(transaction, tenant).generation
            touched = find_touched(transaction, tenant, generation, existing)
            delete_documents(transaction, tenant, existing)
            mend_derived(transaction, tenant, touched)
        return existing

    def delete_documents(self, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
        """Delete documents with all that rests on them alone (see ``GraphStore``); in halves as they are written."""
        lease = self._writer()
        existed: set[str] = set()  # also those that an attempt deleted of which nobody knew whether it was committed

        def work(transaction: Transaction, part: Sequence[str]) -> None:
            lease.check(transaction)
            deleted = self._delete(transaction, tenant, part)
            if deleted:
                mark_data_changed(transaction, tenant, documents=len(deleted))
            existed.update(deleted)

        in_halves(document_ids, lambda part: self._connection.write(lambda tx: work(tx, part)))
        return tuple(dict.fromkeys(document_id for document_id in document_ids if document_id in existed))

    def require_whole(self, tenant: str) -> None:
        """Mark the derived layer of a tenant stale, and not to be repaired from (see ``GraphStore``)."""
        lease = self._writer()

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            forget_settings(transaction, tenant)

        self._connection.write(work)

    def remember_sources(
        self, tenant: str, states: Mapping[str, SourceState], *, forget: AnyCollection[str] = ()
    ) -> None:
        """Remember what source files gave, by their paths (see ``GraphStore``)."""
        lease = self._writer()

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            replace_sources(transaction, tenant, states, forget=forget)

        self._connection.write(work)

    def publish(self, generation: Generation) -> None:
        """Replace the derived layer of one tenant and mark it current (see ``GraphStore``)."""
        lease = self._writer()
        check_generation(generation, dimension=self.dimension)
        self._need_text_index(generation.tenant)
        Publisher(self._connection, lease, self._neo4j_settings, slot=self._space.slot).publish(generation)

    def _need_text_index(self, tenant: str) -> None:
        if tenant not in self._indexed:
            make_text_index(self._connection, tenant)
            self._indexed.add(tenant)

    def _writer(self) -> WriterLease:
        if self._lease is None:
            raise StoreUnusable(f"the store {str(self._connection.address)!r} is open to read only: open it to write")
        return self._lease

    # -- notes --------------------------------------------------------------------------------------------------------

    def read_notes(self) -> str | None:
        """Return the text that ``write_notes`` kept; None without any."""
        found = self._connection.read(lambda tx: tx.rows("MATCH (s:BelvedereStore {only: 1}) RETURN s.notes"))
        return found[0].value() if found else None

    def write_notes(self, text: str) -> None:
        """Keep a text with the store."""
        lease = self._writer()

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            transaction.run("MATCH (s:BelvedereStore {only: 1}) SET s.notes = $text", text=text)

        self._connection.write(work)

    # -- state for indexing (whole tenants, no caller) ----------------------------------------------------------------

    def document_states(self, tenant: str) -> Mapping[str, DocumentState]:
        """Return document id -> state of all documents of the tenant, whoever may read them."""
        self._take_up(tenant)
        return self._connection.read(lambda tx: document_reads.read_states(tx, tenant))

    def source_states(self, tenant: str) -> Mapping[str, SourceState]:
        """Return path -> state of all source files that are remembered, ordered by path."""
        self._take_up(tenant)
        return self._connection.read(lambda tx: read_sources(tx, tenant))

    def tenant_counts(self, tenant: str) -> StoreCounts:
        """Count all that the tenant has, whoever may read it."""
        return self._connection.read(
            lambda tx: self._steady(tx, whole_tenant(tenant), lambda t, scope, _: tenant_reads.count_records(t, scope))
        )

    def tenants(self) -> tuple[str, ...]:
        """Return the tenants that have documents or a derived layer, sorted."""
        held = self._held.state
        return self._connection.read(read_tenants) if held is None else held.tenants()

    def derived_fingerprint(self, tenant: str) -> str | None:
        """Return the fingerprint of the published generation; None where it is stale or was never published."""
        return self._connection.read(lambda tx: read_progress(tx, tenant).fingerprint)

    def read_collection(self, tenant: str) -> Collection:
        """Read everything of a tenant that the derived layer is made from."""
        return self._read_whole(tenant, lambda tx, _, __: tenant_reads.read_collection(tx, tenant, space=self._space))

    def read_generation(self, tenant: str) -> PreviousGeneration:
        """Read the reports and tree nodes of a tenant as they stand, with their vectors (see ``GraphStore``)."""
        return self._read_whole(tenant, lambda tx, scope, _: read_generation(tx, scope, space=self._space))

    def content_digest(self, tenant: str) -> str:
        """Return a SHA-256 over the content of a tenant, equal for equal content whatever its history."""
        return self._connection.read(
            lambda tx: self._steady(
                tx,
                whole_tenant(tenant),
                lambda t, scope, _: tenant_reads.digest_content(t, scope, space=self._space),
            )
        )


def _check_state(address: ServerAddress, state: VectorSpace, *, model: str | None, tokens: str | None) -> None:
    if model is not None and state.embedding_model != model:
        raise StoreMismatch(
            f"the store {str(address)!r} was made with the embedding model {state.embedding_model!r}, not {model!r}:"
            " configure that model, or index again into another database"
        )
    if tokens is not None and state.token_space != tokens:
        raise StoreMismatch(
            f"the store {str(address)!r} was made with the token vectors {state.token_space!r}, not {tokens!r}:"
            " configure embedder.token_vectors as it was, or index again into another database"
        )


def _check_dimensions(address: ServerAddress, state: VectorSpace, wanted: VectorSpace) -> None:
    for held, asked in ((state.dimension, wanted.dimension), (state.token_dimension, wanted.token_dimension)):
        if held != asked:
            raise StoreMismatch(
                f"the store {str(address)!r} holds vectors of {held} dimensions, not {asked}: configure the model it"
                " was made with, or index again into another database"
            )

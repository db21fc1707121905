"""The embedded store: SQLite as the system of record, with keyword and vector indexes that can be thrown away."""

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence
from pathlib import Path
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
from graph_store.embedded import document_reads
from graph_store.embedded.access_sql import whole_tenant
from graph_store.embedded.change_log import forget_settings, mark_data_changed, prune_log, read_sequences
from graph_store.embedded.collection_reads import read_collection
from graph_store.embedded.content_digest import digest_content
from graph_store.embedded.copying import CopyableStore
from graph_store.embedded.counting import count_records, read_tenants
from graph_store.embedded.database import Database
from graph_store.embedded.derived_rows import replace_generation
from graph_store.embedded.document_rows import delete_document_rows, insert_document
from graph_store.embedded.generation_reads import read_generation
from graph_store.embedded.lost_evidence import find_touched, mend_derived
from graph_store.embedded.schema_upgrades import upgrade
from graph_store.embedded.source_rows import read_sources, replace_sources
from graph_store.embedded.space_rows import read_content, read_unfilled, write_vectors
from graph_store.embedded.spare_space import (
    change_places,
    drop_spare,
    make_spare,
    need_filled,
    read_live,
    read_spare,
    see_spare_as_live,
)
from graph_store.embedded.store_files import (
    check_state,
    open_for_reading,
    open_for_writing,
    prepare_folder,
    read_state,
)
from graph_store.embedded.writer_lock import WriterLock
from graph_store.errors import StoreUnusable
from graph_store.record_checks import check_bundle, check_generation
from graph_store.settings import StoreSettings
from graph_store.spaces import (
    NO_TOKENS,
    LiveSpace,
    SpaceVectors,
    SpareSpace,
    Unfilled,
    UnfilledContent,
    VectorSpace,
)
from graph_store.token_checks import check_tokens


class EmbeddedStore(CopyableStore):
    """A ``GraphStore`` in a folder. Make one with ``create_or_open`` (to write) or ``open`` (to read).

    Any number of threads and processes may read while one writes. A reader sees each commit with its next call; only
    keywords of the newest documents may take until the writer publishes or closes.
    """

    def __init__(self, folder: Path, *, database: Database, lock: WriterLock | None, settings: StoreSettings) -> None:
        super().__init__(folder, database, settings=settings)
        self._lock = lock
        self._settings = settings
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
            wanted = VectorSpace(
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
        spare: bool = False,
    ) -> "EmbeddedStore":
        """Open an existing store, by default to read, which works beside a writer.

        ``spare`` reads its spare vector space in the place of the live one, to compare the two; only to read. Raises
        ``StoreMissing`` where there is no store, ``StoreMismatch`` where it has another format, embedding model or
        token space than expected, ``StoreLocked`` as ``create_or_open`` does, ``SpaceMissing`` and ``SpaceIncomplete``.
        """
        settings = settings or StoreSettings()
        database = open_for_reading(folder, settings, read_only=read_only or spare)
        lock = None
        try:
            if spare:
                _look_at_spare(folder, database)
            state = read_state(folder, database)
            check_state(folder, state, expected_model=expected_model, expected_tokens=expected_tokens)
            if not (read_only or spare):
                lock = WriterLock(folder)
                upgrade(database)
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

    def close(self) -> None:
        """Bring the derived indexes up to date, and release files and locks; calling it twice is harmless."""
        try:
            for tenant in sorted(self._worked_on if self._lock is not None else ()):
                self._bring_up_to_date(tenant)
            if self._lock is not None and not self._database.closed:
                self._database.checkpoint()  # a reader may have kept the last one from being whole
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
        self._database.checkpoint()
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
                mark_data_changed(connection, tenant, documents=len(chosen))
        self._worked_on.update(by_tenant)

    def delete_documents(self, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
        """Delete documents with all that rests on them alone (see ``GraphStore``)."""
        self._need_writer()
        with self._database.transaction() as connection:
            touched = find_touched(connection, tenant, document_ids)
            deleted = delete_document_rows(connection, tenant, document_ids)
            if deleted:
                mend_derived(connection, tenant, touched)
                mark_data_changed(connection, tenant, documents=len(deleted))
        if deleted:
            self._bring_up_to_date(tenant)
        return deleted

    def publish(self, generation: Generation) -> None:
        """Replace the derived layer of one tenant in one transaction and mark it current."""
        self._need_writer()
        check_generation(generation, dimension=self.dimension)
        with self._database.transaction() as connection:
            replace_generation(connection, generation)
        self._bring_up_to_date(generation.tenant)

    def remember_sources(
        self, tenant: str, states: Mapping[str, SourceState], *, forget: AnyCollection[str] = ()
    ) -> None:
        """Remember what source files gave (see ``GraphStore``)."""
        self._need_writer()
        with self._database.transaction() as connection:
            replace_sources(connection, tenant, states, forget=forget)

    def require_whole(self, tenant: str) -> None:
        """Mark the derived layer of a tenant stale, and not to be repaired from (see ``GraphStore``)."""
        self._need_writer()
        with self._database.transaction() as connection:
            forget_settings(connection, tenant)

    # -- vector spaces ------------------------------------------------------------------------------------------------

    def live_space(self) -> LiveSpace:
        """Return the space that is searched, with what is known of it (see ``VectorSpaces``)."""
        with self._database.snapshot() as connection:
            return read_live(connection, self._watch.of(connection))

    def spare_space(self) -> SpareSpace | None:
        """Return the space beside the live one, None where there is none."""
        with self._database.snapshot() as connection:
            self._watch.of(connection)
            return read_spare(connection)

    def begin_space(self, space: VectorSpace, *, recipe: str, live_recipe: str = "") -> None:
        """Make an empty spare space, or go on with the one that is there (see ``VectorSpaces``)."""
        self._need_writer()
        spare = SpareSpace(space=space, recipe=recipe, former=False)
        with self._database.transaction() as connection:
            make_spare(connection, read_live(connection, self._watch.space), spare, live_recipe=live_recipe)

    def unfilled(self, tenant: str) -> Unfilled:
        """Return what the spare space lacks of a tenant."""
        with self._database.snapshot() as connection:
            return read_unfilled(connection, tenant)

    def unfilled_content(self, tenant: str, part: Unfilled) -> UnfilledContent:
        """Return the records of ``part`` in its order, whoever may read them."""
        with self._database.snapshot() as connection:
            return read_content(connection, tenant, part)

    def fill_space(self, vectors: SpaceVectors) -> None:
        """Write vectors into the spare space in one transaction (see ``VectorSpaces``)."""
        self._need_writer()
        with self._database.transaction() as connection:
            write_vectors(connection, vectors)

    def switch_space(self) -> None:
        """Let the live and the spare space change places in one transaction; then make large indexes anew."""
        self._need_writer()
        with self._database.transaction() as connection:
            space = change_places(connection, read_live(connection, self._watch.space))
        self._watch.follow(space)
        self._vectors.forget()
        for tenant in self.tenants():
            self._bring_up_to_date(tenant)
        self._database.checkpoint()

    def drop_space(self) -> None:
        """Remove the spare space, and give its room back to the disk."""
        self._need_writer()
        with self._database.transaction() as connection:
            drop_spare(connection)
        self._database.compact()

    def _need_writer(self) -> None:
        if self._lock is None:
            raise StoreUnusable(f"the store {str(self._folder)!r} is open to read only: open it with create_or_open")

    # -- state for indexing (whole tenants, no caller) ----------------------------------------------------------------

    def document_states(self, tenant: str) -> Mapping[str, DocumentState]:
        """Return document id -> state of all documents of the tenant, whoever may read them."""
        self._worked_on.add(tenant)
        with self._database.snapshot() as connection:
            return document_reads.read_states(connection, tenant)

    def source_states(self, tenant: str) -> Mapping[str, SourceState]:
        """Return path -> state of all source files that are remembered, ordered by path."""
        with self._database.snapshot() as connection:
            return read_sources(connection, tenant)

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
            return read_collection(connection, tenant, dimension=self._watch.of(connection).dimension)

    def read_generation(self, tenant: str) -> PreviousGeneration:
        """Read the reports and tree nodes of a tenant as they stand, with their vectors (see ``GraphStore``)."""
        with self._database.snapshot() as connection:
            return read_generation(connection, tenant, dimension=self._watch.of(connection).dimension)

    def content_digest(self, tenant: str) -> str:
        """Return a SHA-256 over the content of a tenant, equal for equal content whatever its history."""
        with self._database.snapshot() as connection:
            return digest_content(connection, tenant)


def _look_at_spare(folder: Path, database: Database) -> None:
    """Let a database that nothing was read from yet see the spare space as the live one."""
    read_state(folder, database)
    with database.snapshot() as connection:
        need_filled(connection)
    database.prepare_with(see_spare_as_live)

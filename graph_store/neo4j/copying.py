"""The part of a store on a Neo4j server that copies are made with (see ``StoreCopies``)."""

from abc import abstractmethod
from collections.abc import Sequence

from graph_store.bundles import DocumentBundle
from graph_store.copies import StoredLayer
from graph_store.errors import StoreMismatch
from graph_store.neo4j.caller_reads import CallerReads
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.publishing import Publisher
from graph_store.neo4j.space_state import keep_live
from graph_store.neo4j.whole_documents import read_bundles, read_layer
from graph_store.neo4j.writer_lease import WriterLease
from graph_store.record_checks import check_generation
from graph_store.spaces import LiveSpace


class CopyableStore(CallerReads):
    """Reads and writes what a copy is made of."""

    @abstractmethod
    def _writer(self) -> WriterLease: ...

    @abstractmethod
    def _need_text_index(self, tenant: str) -> None: ...

    def unfinished_copy(self) -> str | None:
        """Return the note of the copy that was begun into this store and not ended (see ``StoreCopies``)."""
        (found,) = self._connection.read(
            lambda tx: tx.rows("MATCH (s:BelvedereStore {only: 1}) RETURN s.unfinished_copy")
        )
        note: str | None = found.value()
        return note

    def begin_copy(self, note: str, live: LiveSpace) -> None:
        """Mark the store as an unfinished copy (see ``StoreCopies``)."""
        lease = self._writer()
        if self._space.space != live.space:
            raise StoreMismatch(
                f"the store {str(self._connection.address)!r} holds vectors of {self._space.embedding_model!r}, not of"
                f" {live.space.embedding_model!r}: copy into another database"
            )

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            keep_live(transaction, live)
            transaction.run("MATCH (s:BelvedereStore {only: 1}) SET s.unfinished_copy = $note", note=note)

        self._connection.write(work)

    def end_copy(self) -> None:
        """Take the mark away (see ``StoreCopies``)."""
        lease = self._writer()

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            transaction.run("MATCH (s:BelvedereStore {only: 1}) REMOVE s.unfinished_copy")

        self._connection.write(work)

    def document_bundles(self, tenant: str, document_ids: Sequence[str]) -> tuple[DocumentBundle, ...]:
        """Read whole documents in the order asked (see ``StoreCopies``)."""
        return self._read_whole(tenant, lambda tx, _, __: read_bundles(tx, tenant, document_ids, space=self._space))

    def stored_layer(self, tenant: str) -> StoredLayer:
        """Read the derived layer of a tenant as it stands (see ``StoreCopies``)."""
        return self._read_whole(tenant, lambda tx, scope, progress: read_layer(tx, scope, progress, space=self._space))

    def write_layer(self, layer: StoredLayer) -> None:
        """Replace the derived layer of a tenant, and let it stand as it stood elsewhere (see ``StoreCopies``)."""
        lease = self._writer()
        check_generation(layer.generation, dimension=self._space.dimension)
        self._need_text_index(layer.generation.tenant)
        Publisher(self._connection, lease, self._neo4j_settings, slot=self._space.slot).publish(
            layer.generation, layer.standing
        )

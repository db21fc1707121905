"""The part of a store on a Neo4j server that is about its vector spaces (see ``VectorSpaces``)."""

from abc import abstractmethod

from graph_store.neo4j.caller_reads import CallerReads
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.schema import drop_vector_indexes, make_vector_indexes
from graph_store.neo4j.slots import SLOTS, StoredSpare, other_slot
from graph_store.neo4j.space_state import (
    Spaces,
    change_places,
    need_filled,
    need_spare,
    note_drop,
    note_spare,
    read_spaces,
)
from graph_store.neo4j.space_vectors import finish_drop, read_content, read_unfilled, write_vectors
from graph_store.neo4j.store_state import check_dimension
from graph_store.neo4j.writer_lease import WriterLease
from graph_store.spaces import LiveSpace, SpaceVectors, SpareSpace, Unfilled, UnfilledContent, VectorSpace


class SpacedStore(CallerReads):
    """Reads and changes the spaces of a store; the live one is another slot after a switch, in the same nodes."""

    @abstractmethod
    def _writer(self) -> WriterLease: ...

    @property
    def identity(self) -> str:
        """The id that the store was given when it was made, whatever its server is called."""
        return self._space.store

    @property
    def embedding_model(self) -> str:
        """The id of the embedding model that all vectors of this store were made with."""
        return self._space.embedding_model

    @property
    def dimension(self) -> int:
        """The number of dimensions of every vector in the store."""
        return self._space.dimension

    @property
    def token_space(self) -> str:
        """The name of the space that all token vectors of this store are in; "none" where it keeps none."""
        return self._space.space.token_space

    @property
    def token_dimension(self) -> int:
        """The number of dimensions of every token vector in the store; 0 where it keeps none."""
        return self._space.token_dimension

    def live_space(self) -> LiveSpace:
        """Return the space that is searched, with what is known of it (see ``VectorSpaces``)."""
        found = self._spaces()
        return LiveSpace(space=self._space.space, recipe=found.live.recipe, replaced=found.replaced)

    def spare_space(self) -> SpareSpace | None:
        """Return the space beside the live one, None where there is none."""
        spare = self._spaces().spare
        return None if spare is None else spare.told

    def _spaces(self) -> Spaces:
        found = self._connection.read(read_spaces)
        self._check_space(found)
        return found

    def begin_space(self, space: VectorSpace, *, recipe: str, live_recipe: str = "") -> None:
        """Make an empty spare space, or go on with the one that is there (see ``VectorSpaces``)."""
        lease = self._writer()
        check_dimension(space)
        finish_drop(self._connection, lease)
        found = self._connection.read(read_spaces)
        if found.spare is None:  # what indexes there are in its slot are of nobody, and may be of other dimensions
            drop_vector_indexes(self._connection, SLOTS[other_slot(found.live.slot_name)])

        def work(transaction: Transaction) -> StoredSpare:
            lease.check(transaction)
            return note_spare(transaction, space, recipe=recipe, live_recipe=live_recipe)

        make_vector_indexes(self._connection, self._connection.write(work))

    def unfilled(self, tenant: str) -> Unfilled:
        """Return what the spare space lacks of a tenant."""
        return self._connection.read(lambda tx: read_unfilled(tx, tenant))

    def unfilled_content(self, tenant: str, part: Unfilled) -> UnfilledContent:
        """Return the records of ``part`` in its order, whoever may read them."""
        return self._connection.read(lambda tx: read_content(tx, tenant, part, space=self._space))

    def fill_space(self, vectors: SpaceVectors) -> None:
        """Write vectors into the spare space in one transaction (see ``VectorSpaces``)."""
        lease = self._writer()

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            write_vectors(transaction, vectors, settings=self._neo4j_settings, as_vector=self._connection.has_vectors)

        self._connection.write(work)

    def switch_space(self) -> None:
        """Let the live and the spare space change places in one transaction; no vector moves."""
        lease = self._writer()
        spare = self._connection.read(need_filled)
        make_vector_indexes(self._connection, spare)

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            change_places(transaction, spare.number)

        self._connection.write(work)
        self._space = self._connection.read(read_spaces).live

    def drop_space(self) -> None:
        """Remove the spare space: at once for whoever asks, then its vectors in steps that another writer goes on with.

        Raises ``SpaceMissing``.
        """
        lease = self._writer()
        need_spare(self._connection.read(read_spaces))

        def work(transaction: Transaction) -> None:
            lease.check(transaction)
            note_drop(transaction)

        self._connection.write(work)
        finish_drop(self._connection, lease)

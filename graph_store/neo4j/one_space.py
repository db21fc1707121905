"""The vector space of a store on a Neo4j server: one, for now. What asks for a second one is told so."""

from graph_store.errors import SpaceMissing, StoreUnusable
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.store_state import read_live
from graph_store.spaces import LiveSpace, SpaceVectors, SpareSpace, Unfilled, UnfilledContent, VectorSpace

_NO_SECOND = (
    "a store on a Neo4j server has no second vector space yet: index with the other model into another database, and"
    " ask that one when it is done"
)


def refuse_second(*, wanted: bool) -> None:
    """Raise ``SpaceMissing`` where the second space is wanted."""
    if wanted:
        raise SpaceMissing(_NO_SECOND)


class OneSpace:
    """The part of ``VectorSpaces`` that a store with one space has."""

    def __init__(self, connection: Connection, space: VectorSpace) -> None:
        self._connection = connection
        self._space = space

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
        return self._space.token_space

    @property
    def token_dimension(self) -> int:
        """The number of dimensions of every token vector in the store; 0 where it keeps none."""
        return self._space.token_dimension

    def live_space(self) -> LiveSpace:
        """Return the space that is searched."""
        return self._connection.read(lambda tx: read_live(tx, self._space))

    def spare_space(self) -> SpareSpace | None:
        """Return the space beside the live one: there is none."""
        return None

    def begin_space(self, space: VectorSpace, *, recipe: str, live_recipe: str = "") -> None:  # noqa: ARG002  # as the Protocol has it
        """Refuse to make a second space."""
        raise StoreUnusable(_NO_SECOND)

    def unfilled(self, tenant: str) -> Unfilled:  # noqa: ARG002  # as the Protocol has it
        """Raise ``SpaceMissing``."""
        raise SpaceMissing(_NO_SECOND)

    def unfilled_content(self, tenant: str, part: Unfilled) -> UnfilledContent:  # noqa: ARG002  # as the Protocol has it
        """Raise ``SpaceMissing``."""
        raise SpaceMissing(_NO_SECOND)

    def fill_space(self, vectors: SpaceVectors) -> None:  # noqa: ARG002  # as the Protocol has it
        """Raise ``SpaceMissing``."""
        raise SpaceMissing(_NO_SECOND)

    def switch_space(self) -> None:
        """Raise ``SpaceMissing``."""
        raise SpaceMissing(_NO_SECOND)

    def drop_space(self) -> None:
        """Raise ``SpaceMissing``."""
        raise SpaceMissing(_NO_SECOND)

"""Where the vectors of a space are: two slots, of which the live space has one and the spare space the other.

A slot is a set of properties beside each other on the same nodes, and of indexes over them. A switch changes which of
the two the store names as live, and moves no vector.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from graph_store.records import SearchKind
from graph_store.spaces import SpareSpace, VectorSpace

FIRST_SLOT = "a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """The names of a slot; they stand in queries as they are, since neither can be a parameter there."""

    embedding: str
    embedding_model: str
    sentence_vectors: str
    token_starts: str
    token_vectors: str
    indexes: Mapping[SearchKind, str]


def _slot(ending: str) -> Slot:
    return Slot(
        embedding=f"embedding{ending}",
        embedding_model=f"embedding_model{ending}",
        sentence_vectors=f"sentence_vectors{ending}",
        token_starts=f"token_starts{ending}",
        token_vectors=f"token_vectors{ending}",
        indexes={
            "chunk": f"belvedere_chunk_vectors{ending}",
            "report": f"belvedere_report_vectors{ending}",
            "tree_node": f"belvedere_summary_vectors{ending}",
        },
    )


SLOTS: Mapping[str, Slot] = {FIRST_SLOT: _slot(""), "b": _slot("_b")}


def other_slot(name: str) -> str:
    """Return the name of the slot that is not ``name``."""
    (other,) = SLOTS.keys() - {name}
    return other


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpace:
    """A space of a store, and where it is. No two spaces that a store ever had have the same ``number``."""

    space: VectorSpace
    recipe: str = ""
    slot_name: str = FIRST_SLOT
    number: int = 0
    store: str = ""
    """The id that the store got when it was made: the numbers of one that takes its place begin anew."""

    @property
    def slot(self) -> Slot:
        """The names of its slot."""
        return SLOTS[self.slot_name]

    @property
    def embedding_model(self) -> str:
        """The model that its vectors were made with."""
        return self.space.embedding_model

    @property
    def dimension(self) -> int:
        """The number of dimensions of its vectors."""
        return self.space.dimension

    @property
    def token_dimension(self) -> int:
        """The number of dimensions of its token vectors; 0 where it has none."""
        return self.space.token_dimension


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpare(StoredSpace):
    """The space beside the live one; ``former`` tells that it was live before the last switch."""

    former: bool = False

    @property
    def told(self) -> SpareSpace:
        """What is told of it."""
        return SpareSpace(space=self.space, recipe=self.recipe, former=self.former)

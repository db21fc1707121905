"""The vector spaces of a store: the live one, which every search reads, and at most one spare one beside it.

A space is what the vectors of one embedding model, and of one kind of token vectors, are in; vectors of two spaces
cannot be compared. The spare space is filled beside the live one, then the two change places in one step. After that
the spare one is the former live one, until it is dropped.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from graph_store.bundles import FloatMatrix, TokenVectors
from graph_store.records import Chunk, Community, Document, Sentence, TreeNode

NO_TOKENS = "none"
"""The token space of a store that keeps no token vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSpace:
    """What all vectors of a store are in: the model that made them, and the kind of its token vectors."""

    embedding_model: str
    dimension: int
    token_space: str = NO_TOKENS
    token_dimension: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSpace:
    """The space that is searched. ``recipe`` is what ``begin_space`` was told of how to load its model, "" where the
    store was made with it; ``replaced`` are the spaces that were live before it.
    """

    space: VectorSpace
    recipe: str = ""
    replaced: tuple[VectorSpace, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareSpace:
    """The space beside the live one; ``former`` tells that it was live before the last switch."""

    space: VectorSpace
    recipe: str
    former: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfilled:
    """The ids of one tenant's records that have no vectors in the spare space yet, in the order of writing."""

    chunk_ids: tuple[str, ...] = ()
    community_ids: tuple[str, ...] = ()
    tree_node_ids: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many records lack vectors."""
        return len(self.chunk_ids) + len(self.community_ids) + len(self.tree_node_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfilledContent:
    """What vectors of some unfilled records are made from: the records, and the documents and sentences of chunks."""

    documents: tuple[Document, ...]
    chunks: tuple[Chunk, ...]
    sentences: tuple[Sentence, ...]
    communities: tuple[Community, ...]
    tree_nodes: tuple[TreeNode, ...]


def _no_rows() -> FloatMatrix:
    return np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceVectors:
    """Vectors of some records of one tenant in the spare space; rows follow the ids and have unit length.

    ``sentence_vectors`` holds one (sentences, d) matrix per chunk, by position; ``token_vectors`` one record per chunk,
    or none at all in a space without token vectors.
    """

    tenant: str
    chunk_ids: tuple[str, ...] = ()
    chunk_vectors: FloatMatrix = field(default_factory=_no_rows)
    sentence_vectors: tuple[FloatMatrix, ...] = ()
    token_vectors: tuple[TokenVectors, ...] = ()
    community_ids: tuple[str, ...] = ()
    community_vectors: FloatMatrix = field(default_factory=_no_rows)
    tree_node_ids: tuple[str, ...] = ()
    tree_vectors: FloatMatrix = field(default_factory=_no_rows)


class VectorSpaces(Protocol):
    """The part of a store's contract that is about its vector spaces.

    Reads that give or compare vectors raise ``StoreSwitched`` once the live space is another than when the store was
    opened, so nobody ever compares vectors of two spaces. Writing a document or publishing a generation fills the
    live space alone; whatever is deleted or replaced leaves both.
    """

    def live_space(self) -> LiveSpace:
        """Return the space that is searched; raises ``StoreSwitched`` where it is not the one of opening any more."""
        ...

    def spare_space(self) -> SpareSpace | None:
        """Return the space beside the live one, None where there is none; raises as ``live_space`` does."""
        ...

    def begin_space(self, space: VectorSpace, *, recipe: str, live_recipe: str = "") -> None:
        """Make an empty spare space; nothing happens where the spare space is this very one.

        ``recipe`` and ``live_recipe`` are kept as they are, for whoever has to load the models. Raises
        ``SpaceConflict`` where the live space is this one, or where there is another spare space.
        """
        ...

    def unfilled(self, tenant: str) -> Unfilled:
        """Return what the spare space lacks of a tenant; raises ``SpaceMissing`` where there is none."""
        ...

    def unfilled_content(self, tenant: str, part: Unfilled) -> UnfilledContent:
        """Return the records of ``part`` in its order, whoever may read them; sentences by chunk, then by position."""
        ...

    def fill_space(self, vectors: SpaceVectors) -> None:
        """Write vectors into the spare space in one transaction, replacing those that are there.

        Raises ``SpaceMissing``, and ``InvalidRecord`` for vectors that ``write_documents`` would refuse and for records
        that are not in the store.
        """
        ...

    def switch_space(self) -> None:
        """Let the live and the spare space change places in one transaction.

        Raises ``SpaceMissing``, and ``SpaceIncomplete`` where a record of any tenant has no vectors in the spare space.
        """
        ...

    def drop_space(self) -> None:
        """Remove the spare space with all its vectors and free their room; raises ``SpaceMissing``."""
        ...

"""How much room a store will take: counted by what it holds, and by what a store of the sample takes."""

from dataclasses import dataclass

from graph_store.settings import StoreSettings

_FLOAT_BYTES = 4
_LINK_BYTES = 4
_LABEL_BYTES = 8
_START_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a store holds: how many of each, their dimensions, and the bytes of all texts."""

    chunks: float
    sentences: float
    tokens: float
    derived: float
    dimension: int
    token_dimension: int
    text_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageEstimate:
    """Bytes of a store on the disk, by what they hold. ``rest`` is all else: the keyword index, entities, mentions and
    relations, passage edges, free room within the database; as a store of the sample has it.
    """

    chunk_vectors: float
    sentence_vectors: float
    token_vectors: float
    derived_vectors: float
    hnsw: float
    text: float
    rest: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return self.known + self.rest

    @property
    def known(self) -> float:
        """What is counted."""
        return (
            self.chunk_vectors
            + self.sentence_vectors
            + self.token_vectors
            + self.derived_vectors
            + self.hnsw
            + self.text
        )


def estimate_storage(held: Held, settings: StoreSettings, *, neighbour_graphs: bool) -> StorageEstimate:
    """Return what is counted: n vectors of d numbers of 4 bytes, of sentences and tokens of 1 byte, links, and texts.

    Beyond ``settings.ann_threshold`` chunks there is a neighbour graph (HNSW), which holds the vectors once more, and
    twice ``ann_neighbours`` links for each.
    """
    vector = held.dimension * _FLOAT_BYTES
    links = (2 * settings.ann_neighbours + 1) * _LINK_BYTES
    has_graph = neighbour_graphs and held.chunks > settings.ann_threshold
    return StorageEstimate(
        chunk_vectors=held.chunks * vector * _copies(held.chunks, settings),
        sentence_vectors=held.sentences * held.dimension,
        token_vectors=held.tokens * (held.token_dimension + _START_BYTES) if held.token_dimension else 0.0,
        # Reports and nodes have a file each, and are about as many.
        derived_vectors=held.derived * vector * _copies(held.derived / 2, settings),
        hnsw=held.chunks * (vector + links + _LABEL_BYTES) if has_graph else 0.0,
        text=held.text_bytes,
    )


def _copies(vectors: float, settings: StoreSettings) -> int:
    """Return how often a vector is written: many of them stand in a file for searching, too."""
    return 2 if vectors >= settings.vector_file_rows else 1

"""Settings of chunking."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

ChunkingStrategy: TypeAlias = Literal["structure", "window"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingSettings:
    """How the text of a document is cut into chunks. Sizes are tokens of the embedder, special tokens not counted."""

    strategy: ChunkingStrategy = "structure"
    """``structure`` follows headings, paragraphs and sentences; ``window`` counts tokens alone."""
    max_tokens: int = 200
    """The largest chunk of ``structure``; less where title and headings need the room in what the embedder reads."""
    overlap: float = 0.15
    """What consecutive chunks of one section share at most, as a fraction of ``max_tokens``, in whole sentences."""
    small_tokens: int = 20
    """A section, or the rest of one, that adds fewer tokens than this joins a neighbour where it fits."""
    parent_tokens: int = 1000
    """The size that parents are gathered to."""
    window_tokens: int = 256
    """The size of a ``window``; less where the title needs the room in what the embedder reads."""
    window_overlap: int = 64
    """What consecutive windows share."""

"""Settings of chunking."""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge, Interval

Count: TypeAlias = Annotated[int, Ge(1)]

ChunkingStrategy: TypeAlias = Literal["structure", "window"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingSettings:
    """How the text of a document is cut into chunks. Sizes are tokens of the embedder, special tokens not counted."""

    strategy: ChunkingStrategy = "structure"
    """``structure`` follows headings, paragraphs and sentences; ``window`` counts tokens alone."""
    max_tokens: Count = 200
    """The largest chunk of ``structure``; less where title and headings need the room in what the embedder reads."""
    overlap: Annotated[float, Interval(ge=0, lt=1)] = 0.15
    """What consecutive chunks of one section share at most, as a fraction of ``max_tokens``, in whole sentences."""
    small_tokens: Annotated[int, Ge(0)] = 20
    """A section, or the rest of one, that adds fewer tokens than this joins a neighbour where it fits."""
    parent_tokens: Count = 1000
    """The size that parents are gathered to."""
    window_tokens: Count = 256
    """The size of a ``window``; less where the title needs the room in what the embedder reads."""
    window_overlap: Annotated[int, Ge(0)] = 64
    """What consecutive windows share."""

    def __post_init__(self) -> None:
        """Refuse windows that share all they have: the next one would never be reached."""
        if self.window_overlap >= self.window_tokens:
            raise ValueError(
                f"chunking setting window_overlap is {self.window_overlap!r};"
                f" give less than window_tokens ({self.window_tokens!r})"
            )

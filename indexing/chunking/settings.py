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

    def __post_init__(self) -> None:
        """Refuse sizes that no text can be cut to."""
        for name in ("max_tokens", "parent_tokens", "window_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"chunking setting {name} is {getattr(self, name)!r}; give 1 or more")
        if not 0 <= self.overlap < 1:
            raise ValueError(f"chunking setting overlap is {self.overlap!r}; give 0 or more and less than 1")
        if not 0 <= self.window_overlap < self.window_tokens:
            raise ValueError(
                f"chunking setting window_overlap is {self.window_overlap!r};"
                f" give 0 or more and less than window_tokens ({self.window_tokens!r})"
            )

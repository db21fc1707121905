"""What an examination of a store finds."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["fine", "note", "problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    ``check`` names it in a word or two. ``level`` is "fine", "note" (worth knowing, nothing is wrong) or "problem".
    ``says`` is what was found, ``remedy`` what to do about it; empty where there is nothing to do.
    """

    check: str
    level: Level
    says: str
    remedy: str = ""


def unfinished_copy_finding(note: str) -> Finding:
    """Return what is told of a store that is an unfinished copy; ``note`` says of what."""
    return Finding(
        check="copy",
        level="problem",
        says=f"the store is a copy that is not finished ({note}), and nobody can ask it",
        remedy="run the same `belvedere copy-store` again",
    )

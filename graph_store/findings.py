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

"""What an examination of a store finds."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from graph_store.spaces import SpareSpace

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


def second_space_finding(spare: SpareSpace, *, lacking: int) -> Finding:
    """Return what is told of a second vector space, which lacks so many records; it takes room and is not searched."""
    of = f"a second vector space, of {spare.space.embedding_model!r},"
    if spare.former:
        says = f"{of} is kept from before the switch"
        remedy = "free its room with `belvedere migrate embeddings --drop-old`"
    elif lacking:
        says = f"{of} lacks {lacking:,} records"
        remedy = "fill it with `belvedere migrate embeddings --model MODEL`, or remove it with --abandon"
    else:
        says = f"{of} is whole and not in use"
        remedy = "make it live with `belvedere migrate embeddings --switch`, or remove it with --abandon"
    return Finding(check="vector spaces", level="note", says=says, remedy=remedy)

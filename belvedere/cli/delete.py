"""``belvedere delete``."""

from collections.abc import Sequence

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import complain, say, say_json
from belvedere.cli.progress import ProgressBar
from belvedere.errors import UserMistake

_MOST_NAMED = 3
"""So many sources are named; the others are counted."""


@click.command()
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT...")
@EVERYBODY
def delete(shared: Shared, documents: tuple[str, ...]) -> None:
    """Delete documents by id, with everything that was derived from them alone.

    No language model is asked: what one has to tell anew is made without it until the next `belvedere index`.
    """
    with shared.open() as kb, ProgressBar("deleting") as bar:
        refuse_if_nothing_readable(shared, kb)
        result = kb.delete(documents, progress=bar)
        counts = kb.status().counts
    if not result.deleted:
        raise UserMistake(f"no document has the id {result.missing[0]!r}: nothing was deleted")
    if shared.as_json:
        told = {"deleted": result.deleted, "missing": result.missing, "returning": result.returning}
        numbers = {"untold": result.untold, "documents": counts.documents}
        say_json({**{name: list(items) for name, items in told.items()}, **numbers})
    else:
        say(f"deleted {len(result.deleted)}: {', '.join(result.deleted)}; {counts.documents:,} documents are left")
    if result.returning and not shared.as_json:
        complain(_will_return(result.returning))
    if result.untold and not shared.as_json:
        complain(
            f"{result.untold:,} texts that rested on it are made without a language model, for a deletion asks none;"
            " the next `belvedere index` has them told anew"
        )
    if result.missing:
        # The known ones are gone; the code tells a script that not all it named were there.
        unknown = ", ".join(map(repr, result.missing))
        raise UserMistake(f"no document has the id {unknown}; the others were deleted")


def _will_return(sources: Sequence[str]) -> str:
    """Say that documents come back, since their sources are still there."""
    named = ", ".join(sources[:_MOST_NAMED])
    if len(sources) > _MOST_NAMED:
        named += f" and {len(sources) - _MOST_NAMED:,} more"
    return f"what was deleted will come back with the next index of its source, which is still there: {named}"

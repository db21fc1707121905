"""``belvedere delete``."""

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import say, say_json
from belvedere.cli.progress import ProgressBar
from belvedere.errors import UserMistake


@click.command()
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT...")
@EVERYBODY
def delete(shared: Shared, documents: tuple[str, ...]) -> None:
    """Delete documents by id, with everything that was derived from them alone."""
    with shared.open() as kb, ProgressBar("deleting") as bar:
        refuse_if_nothing_readable(shared, kb)
        result = kb.delete(documents, progress=bar)
        counts = kb.status().counts
    if not result.deleted:
        raise UserMistake(f"no document has the id {result.missing[0]!r}: nothing was deleted")
    if shared.as_json:
        say_json({"deleted": list(result.deleted), "missing": list(result.missing), "documents": counts.documents})
    else:
        say(f"deleted {len(result.deleted)}: {', '.join(result.deleted)}; {counts.documents:,} documents are left")
    if result.missing:
        # The known ones are gone; the code tells a script that not all it named were there.
        unknown = ", ".join(map(repr, result.missing))
        raise UserMistake(f"no document has the id {unknown}; the others were deleted")

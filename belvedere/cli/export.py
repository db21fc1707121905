"""``belvedere export``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, GivenPath, Shared
from belvedere.cli.printing import drop_output, say, say_json
from belvedere.cli.progress import ProgressBar
from belvedere.errors import UserMistake

if TYPE_CHECKING:
    from belvedere.knowledge_base import KnowledgeBase


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["graphml", "jsonl"]),
    required=True,
    help="graphml: the graph of entities. jsonl: every record, one a line.",
)
@click.option(
    "--output",
    type=GivenPath(dir_okay=False),
    metavar="FILE",
    help="File to write.  [default: stdout]",
)
@EVERYBODY
def export(shared: Shared, form: Literal["graphml", "jsonl"], output: Path | None) -> None:
    """Write the graph, or every record, for use elsewhere."""
    if output is None and shared.as_json:
        raise UserMistake("with --json the export needs a file to go to: add --output FILE")
    with shared.open() as kb, ProgressBar("exporting"):
        refuse_if_nothing_readable(shared, kb)
        if output is None:
            _to_stdout(kb, form)
            return
        counts = kb.export(output, form)
    if shared.as_json:
        say_json({"path": str(output), "format": form, "records": counts})
    else:
        say(f"{output}: " + ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in counts.items()))


def _to_stdout(kb: "KnowledgeBase", form: Literal["graphml", "jsonl"]) -> None:
    """Export to stdout; a reader that has gone away (``| head``) has had enough, and that is no fault."""
    try:
        kb.export(sys.stdout.buffer, form)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()

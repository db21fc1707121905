"""``belvedere eval-init``."""

from pathlib import Path

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, GivenPath, Shared
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.cli.progress import ProgressBar

_WHAT_TO_DO = (
    "These questions are drafts, made from single sentences by a program. Before you trust any figure, a person must "
    "go through them: put each in words that your users would use or delete it, check its answer, complete gold_ids "
    "(other documents may answer it too), make sure that nothing answers those of the type unanswerable, write the "
    'answers of theme questions, and take out "draft": true.'
)


@click.command("eval-init", short_help="Draft a data set for `belvedere eval` from a store.")
@click.option(
    "--out", required=True, type=GivenPath(file_okay=False), metavar="FOLDER", help="Where the data set is written."
)
@click.option("--count", type=click.IntRange(min=1), default=50, show_default=True, help="At most this many questions.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of what is drawn.")
@EVERYBODY
def evaluate_init(shared: Shared, out: Path, count: int, seed: int) -> None:
    """Draft a data set for `belvedere eval` from the documents of a store that you may read.

    The questions are made from sentences of the documents: single facts (who, when, where, how many, what), joins of
    two documents, themes, and some that nothing should answer. They are only a start: a person must edit them before
    they measure anything. `belvedere eval init` is the same command.
    """
    from belvedere.evaluation.drafting import draft_dataset  # noqa: PLC0415  # heavy import, only when used

    with shared.open() as kb, ProgressBar("drafting questions"):
        refuse_if_nothing_readable(shared, kb)
        draft = draft_dataset(kb, out, count, seed=seed)
    if shared.as_json:
        found = {"documents": draft.documents, "questions": draft.questions, "types": dict(draft.types)}
        found["notes"] = list(draft.notes)
        say_json({"folder": str(draft.folder), **found})
        return
    say(f"Wrote {draft.questions:,} questions about {draft.documents:,} documents to {draft.folder}:")
    say("  " + ", ".join(f"{number} {name}" for name, number in draft.types.items()))
    for note in draft.notes:
        say(wrapped(note))
    say(wrapped(_WHAT_TO_DO))
    say(f"Then: belvedere eval {draft.folder}")

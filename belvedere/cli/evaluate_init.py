"""``belvedere eval-init``."""

from pathlib import Path

import click

from belvedere.cli.options import CONFIG, JSON, GivenPath, settings_file
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.cli.progress import ProgressBar

_WHAT_TO_DO = (
    "These questions are drafts, made from sentences by dropping and exchanging words. Before you trust any figure, a "
    "person must go through them: put each in words that your users would use or delete it, check and complete "
    "gold_ids (other documents may answer it too), give it a type, write its answer, and add questions that no "
    'document answers ("gold_ids": []).'
)


@click.command("eval-init", short_help="Draft a data set for `belvedere eval` from a store.")
@click.option(
    "--store",
    type=GivenPath(),
    default=Path("belvedere-store"),
    metavar="DIR",
    help="Folder of the store.  [default: ./belvedere-store]",
)
@click.option(
    "--out", required=True, type=GivenPath(file_okay=False), metavar="FOLDER", help="Where the data set is written."
)
@click.option("--count", type=click.IntRange(min=1), default=50, show_default=True, help="At most this many questions.")
@CONFIG
@JSON
def evaluate_init(*, store: Path, out: Path, count: int, config: Path | None, as_json: bool) -> None:
    """Draft a data set for `belvedere eval` from the documents of a store that everybody may read.

    The questions are made from sentences of the documents, and are only a start: a person must edit them before they
    measure anything. `belvedere eval init` is the same command.
    """
    from belvedere.evaluation.drafting import draft_dataset  # noqa: PLC0415  # heavy import, only when used
    from belvedere.knowledge_base import KnowledgeBase  # noqa: PLC0415  # as above

    with KnowledgeBase.open(store, config=settings_file(config)) as kb, ProgressBar("drafting questions"):
        draft = draft_dataset(kb, out, count)
    if as_json:
        say_json({"folder": str(draft.folder), "documents": draft.documents, "questions": draft.questions})
        return
    say(f"Wrote {draft.questions:,} questions about {draft.documents:,} documents to {draft.folder}.")
    say(wrapped(_WHAT_TO_DO))
    say(f"Then: belvedere eval {draft.folder}")

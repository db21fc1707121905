"""``belvedere eval``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.evaluation_options import Evaluating, evaluation_options
from belvedere.cli.evaluation_text import show_evaluation
from belvedere.cli.options import GivenPath, settings_file
from belvedere.cli.printing import complain, say_json
from belvedere.cli.progress import ProgressBar

if TYPE_CHECKING:
    from belvedere.evaluation.dataset import Dataset


@click.command("eval")
@click.argument("folder", metavar="DIR", type=GivenPath(file_okay=False))
@evaluation_options
def evaluate(folder: Path, options: Evaluating) -> None:
    """Measure retrieval on DIR/corpus.jsonl with the questions of DIR/questions.jsonl.

    Rows of the corpus have id, title and text; rows of the questions have question and gold_ids (or gold_groups: one
    list per piece of evidence, any member is enough), and may have a type. Questions with empty gold_ids are
    unanswerable: abstaining is measured on them. The corpus is shuffled first.
    """
    from belvedere.evaluation.dataset import read_dataset  # noqa: PLC0415  # heavy import, only when used
    from belvedere.evaluation.evaluate import evaluate_dataset  # noqa: PLC0415  # as above
    from belvedere.evaluation.index_cache import cache_folder  # noqa: PLC0415  # as above
    from belvedere.evaluation.result_json import evaluation_json  # noqa: PLC0415  # as above
    from belvedere.settings import load_settings  # noqa: PLC0415  # as above

    settings = load_settings(settings_file(options.config))
    dataset = read_dataset(folder, seed=options.seed, limit=options.limit, filters=options.filters)
    _warn_of_missing_gold(dataset)
    with ProgressBar("getting ready") as bar:
        evaluation = evaluate_dataset(
            dataset, options.systems, settings=settings, cache=options.cache or cache_folder(), progress=bar
        )
    if options.as_json:
        say_json(evaluation_json(evaluation, dataset))
    else:
        show_evaluation(evaluation, dataset)


def _warn_of_missing_gold(dataset: "Dataset") -> None:
    missing = sorted(dataset.missing_gold())
    if missing:
        complain(f"{len(missing)} gold documents are not in the corpus and count as not found, such as {missing[0]!r}")

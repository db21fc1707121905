"""``belvedere ranker``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.chain_json import ranking_json
from belvedere.cli.feature_words import GATE, legend, passage_words
from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, FILTER, GivenPath, QuestionType, Shared, settings_file
from belvedere.cli.printing import say, say_json, shown_chain, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.cli.training_options import Training, training_options
from belvedere.errors import UserMistake
from graph_store.filters import MetadataFilter

if TYPE_CHECKING:
    from query.chain_ranking.explanation import ExplainedRanking


@click.group()
def ranker() -> None:
    """Train and explain the ranking of passages by chains."""


@ranker.command(short_help="Train weights from labelled questions.")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=GivenPath(file_okay=False))
@training_options
def train(folders: tuple[Path, ...], options: Training) -> None:
    """Train weights from data sets whose questions join passages (see `belvedere eval` for their form).

    The same data, seed and version give the same file. Name it in the settings to use it:
    query.local.chains.weights.
    """
    from belvedere.evaluation.index_cache import cache_folder  # noqa: PLC0415  # heavy import, only when used
    from belvedere.evaluation.ranker_training import (  # noqa: PLC0415  # as above
        TrainingFolders,
        check_writable,
        train_ranker,
        weights_text,
    )
    from belvedere.settings import load_settings  # noqa: PLC0415  # as above

    settings = load_settings(settings_file(options.config))
    check_writable(options.out)
    with ProgressBar("getting ready") as bar:
        content = train_ranker(
            TrainingFolders(chains=folders, gate=options.gate, texts=options.texts),
            settings=settings,
            cache=options.cache or cache_folder(),
            seed=options.seed,
            progress=bar,
        )
    options.out.write_text(weights_text(content), encoding="utf-8")
    if options.as_json:
        say_json({"file": str(options.out), "questions": content["questions"], "seed": options.seed})
    else:
        say(f"Wrote {options.out}, trained on {sum(content['questions'].values())} questions.")


@ranker.command(short_help="Show the chain behind each result.")
@click.argument("question", type=QuestionType())
@click.option("-k", type=click.IntRange(min=1), default=5, show_default=True, help="Number of results.")
@FILTER
@EVERYBODY
def explain(shared: Shared, question: str, k: int, filters: tuple[MetadataFilter, ...]) -> None:
    """Show for each result the chain of passages that led to it, and what each explains of the QUESTION."""
    _refuse_without_chains(shared)
    with shared.open() as kb, ProgressBar(f"loading the model {kb.model_name}"):
        found = kb.explain_ranking(question, k=k, filters=filters)
        if not found.results:
            refuse_if_nothing_readable(shared, kb)
    if shared.as_json:
        say_json(ranking_json(found))
    else:
        _show(found)


def _refuse_without_chains(shared: Shared) -> None:
    from belvedere.settings import load_settings  # noqa: PLC0415  # heavy import, only when used

    if not load_settings(settings_file(shared.config)).query.local.chains.enabled:
        raise UserMistake(
            "query.local.chains.enabled is false: nothing is ranked by chains, so there is none to explain"
        )


def _show(found: "ExplainedRanking") -> None:
    for rank, result in enumerate(found.results, start=1):
        say(f"{rank}. {result.title} ({result.document_id}), score {result.score:.3g}", bold=True)
        for line in shown_chain(result.chain):
            say(wrapped(line, indent="    "))
        reasons = ", ".join(f"{name} {value:+.2f}" for name, value in result.reasons)
        say(wrapped(f"chains say {result.chain_score:+.2f}: {reasons}", indent="    "))
    if not found.results:
        say("Nothing found.")
        return
    say()
    say(wrapped(f"chains count {found.trust:.0%}, the plain searches the rest"))
    say(wrapped(f"by: {', '.join(f'{name} {value:+.2f}' for name, value in found.gate)}"))
    _explain_names(found)


def _explain_names(found: "ExplainedRanking") -> None:
    shown = dict.fromkeys(name for result in found.results for name, _ in result.reasons)
    say()
    say("Figures are log odds: above 0 speaks for it, below against it. The names, of what chains say:")
    for name in shown:
        say(wrapped(f"{name}: {passage_words(name)}", indent="    "))
    say("and of how far chains count:")
    for line in legend((name for name, _ in found.gate), GATE):
        say(wrapped(line, indent="    "))

"""Which tasks language models do in a run of indexing, and asking before they cost more than is allowed unasked."""

import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.options import Command, llm_option, with_options
from belvedere.cli.printing import complain, say, shown_usage
from belvedere.cli.progress import ProgressBar
from belvedere.errors import UserMistake

if TYPE_CHECKING:
    from belvedere.knowledge_base import KnowledgeBase
    from indexing.report import IndexReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Paying:
    """Which tasks language models do, None for those of the settings; ``agreed`` that any cost is agreed to."""

    llm: tuple[str, ...] | None
    agreed: bool


def paying_options(command: Command) -> Command:
    """Add ``--llm`` and ``--yes`` to a command, which takes them as ``paying``."""

    @functools.wraps(command)
    def with_paying(*given: object, llm: tuple[str, ...] | None, yes: bool, **rest: object) -> int | None:
        return command(*given, paying=Paying(llm=llm, agreed=yes), **rest)

    yes = click.option("--yes", is_flag=True, help="Go on whatever the language models may cost, without asking.")
    return with_options(with_paying, (yes, llm_option(("extraction", "reports", "summaries"))))


class NotAgreed(UserMistake):
    """A cost that nobody has agreed to."""


def agree_to_cost(kb: "KnowledgeBase", paths: Sequence[Path], *, rebuild: bool) -> None:
    """Ask where the language models may cost more than ``llm.budget.ask_above``.

    Raises ``NotAgreed`` where nobody can be asked, ``click.Abort`` where the answer is no. Nothing is estimated
    where no task of indexing is on with a price.
    """
    from model_clients.chat.settings import INDEXING_TASKS  # noqa: PLC0415  # heavy import, only when used

    llm = kb.settings.llm
    models = llm.models()
    if llm.lazy or not any(task in models and models[task] in llm.prices for task in INDEXING_TASKS):
        return
    cost = _cost(kb, paths, rebuild=rebuild)
    if cost <= llm.budget.ask_above:
        return
    sentence = (
        f"the language models may cost about {cost:.4g}, more than llm.budget.ask_above ({llm.budget.ask_above:g})"
    )
    if not is_terminal():
        raise NotAgreed(f"{sentence}: give --yes to go on, or see `belvedere estimate`")
    complain(sentence)
    click.confirm("Go on?", abort=True, err=True)


def show_spent(report: "IndexReport") -> None:
    """Say what language models have used in a run, and how many calls gave nothing."""
    for task, used in report.usage.items():
        say(f"{task}: {shown_usage(used)}")
    for task, failed in report.failed_calls.items():
        complain(f"{task}: {failed:,} calls of the language model gave nothing, and the next run tries them again")


def is_terminal() -> bool:
    """Tell whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _cost(kb: "KnowledgeBase", paths: Sequence[Path], *, rebuild: bool) -> float:
    from belvedere.estimate.estimate import Estimator  # noqa: PLC0415  # heavy import, only when used
    from graph_store.errors import StoreMissing  # noqa: PLC0415  # as above
    from indexing.model_names import IndexingModels  # noqa: PLC0415  # as above
    from indexing.options import IndexOptions  # noqa: PLC0415  # as above

    tasks = kb.language_models
    models = IndexingModels(extraction=tasks.extraction, reports=tasks.reports, summaries=tasks.summaries)
    options = IndexOptions(tenant=kb.access.tenant, models=models, rebuild=rebuild)
    try:
        stored = {} if rebuild else kb.store.document_states(options.tenant)
    except StoreMissing:
        stored = {}
    with ProgressBar("estimating the cost") as bar:
        return Estimator(kb.settings, tell=bar).estimate(paths, options, stored).cost.likely

"""The tables of an evaluation as text for people."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from belvedere.cli.printing import say
from belvedere.evaluation.shown_figures import shown_chance, shown_difference, shown_interval, shown_name, shown_number

if TYPE_CHECKING:
    from belvedere.evaluation.baseline import BaselineComparison
    from belvedere.evaluation.comparisons import Comparison
    from belvedere.evaluation.failures import FailureReport
    from belvedere.evaluation.intervals import Estimate

_FIRST, _WIDTH = 22, 15
_EXAMPLE = 100  # characters


def show_table(title: str, rows: Mapping[str, Mapping[str, "Estimate"]]) -> None:
    """Print one line of values and one of intervals per system; all have the same measures."""
    first = next(iter(rows.values()))
    count = next(iter(first.values())).n
    _say_row(f"{title} ({count})", list(first), bold=True)
    for system, measures in rows.items():
        _say_estimates(system, measures)
    say()


def show_types(title: str, types: Mapping[str, Mapping[str, "Estimate"]]) -> None:
    """Print the same for one system with its types of question as rows."""
    _say_row(title, list(next(iter(types.values()))), bold=True)
    for kind, measures in types.items():
        _say_estimates(f"{kind} ({next(iter(measures.values())).n})", measures)
    say()


def show_comparison(comparison: "Comparison") -> None:
    """Print the difference of each measure with its interval, and how often chance alone makes it."""
    found = comparison.measures
    names = [name.removeprefix("answers.") for name in found]
    _say_row(f"{comparison.system} - {comparison.against}", names, bold=True)
    _say_row("difference", [shown_difference(item.estimate.value) for item in found.values()])
    _say_row("", [shown_interval(item.estimate) for item in found.values()])
    _say_row("p (Holm)", [shown_chance(item.p_holm) for item in found.values()])
    say()


def show_baseline(baseline: "BaselineComparison") -> None:
    """Print how this run differs from an earlier one."""
    left_out = f"; {baseline.changed:,} new or relabelled ones left out" if baseline.changed else ""
    say(f"against {baseline.file}, over {baseline.questions:,} questions{left_out}", bold=True)
    for name, (then, now) in baseline.settings.items():
        say(f"  {name}: {_setting(then)} then, {_setting(now)} now")
    say()
    for comparison in baseline.comparisons:
        show_comparison(comparison)


def _setting(value: object) -> str:
    return "the default" if value is None else str(value)


def show_failures(report: "FailureReport") -> None:
    """Print how many questions failed in which way, with the first of each."""
    from belvedere.evaluation.failures import FAILURE_MEANINGS  # noqa: PLC0415  # heavy import, only when used

    say()
    say(f"{report.system}: {len(report.failures)} of {report.questions} questions failed", bold=True)
    examples = report.examples()
    for name, count in report.counts().items():
        if count:
            say(f"{count:>6}  {shown_name(name)}: {FAILURE_MEANINGS[name]}")
            question = examples[name].question
            say(f"        such as {question.id}: {shorten(question.text, _EXAMPLE, placeholder=' ...')}")
    for kind, counts in report.counts_by_type().items():
        say(f"  {kind}: " + ", ".join(f"{count} {shown_name(name)}" for name, count in counts.items()))


def _say_estimates(name: str, measures: Mapping[str, "Estimate"]) -> None:
    _say_row(name, [shown_number(item.value) for item in measures.values()])
    _say_row("", [shown_interval(item) for item in measures.values()])


def _say_row(first: str, cells: Sequence[str], *, bold: bool = False) -> None:
    say(f"{first:<{_FIRST}}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells), bold=bold)

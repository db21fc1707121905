"""The tables of an evaluation as text for people."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from belvedere.cli.printing import say
from belvedere.evaluation.shown_figures import (
    shown_chance,
    shown_difference,
    shown_interval,
    shown_measure,
    shown_name,
    shown_number,
)

if TYPE_CHECKING:
    from belvedere.evaluation.baseline import BaselineComparison
    from belvedere.evaluation.comparisons import Comparison
    from belvedere.evaluation.failures import FailureReport
    from belvedere.evaluation.intervals import Estimate

_FIRST, _WIDTH = 22, 15
_EXAMPLE = 100  # characters

LEAST_FOR_INTERVALS = 10
"""Types of fewer questions get no interval: it would be about as wide as the scale."""


def show_values(title: str, rows: Mapping[str, Mapping[str, "Estimate"]]) -> None:
    """Print one line of values per system; all have the same measures."""
    _say_heads(_counted(title, next(iter(rows.values()))), rows)
    for system, measures in rows.items():
        _say_values(system, measures)
    say()


def show_intervals(title: str, rows: Mapping[str, Mapping[str, "Estimate"]]) -> None:
    """Print one line of intervals per system."""
    _say_heads(_counted(title, next(iter(rows.values()))), rows)
    for system, measures in rows.items():
        _say_row(system, [shown_interval(item) for item in measures.values()])
    say()


def show_types(title: str, types: Mapping[str, Mapping[str, "Estimate"]]) -> None:
    """Print a line of values for each type of question, and one of intervals where it has questions enough."""
    _say_heads(title, types)
    for kind, measures in types.items():
        _say_values(_counted(kind, measures), measures)
        if next(iter(measures.values())).n >= LEAST_FOR_INTERVALS:
            _say_row("", [shown_interval(item) for item in measures.values()])
    say()


def _counted(title: str, measures: Mapping[str, "Estimate"]) -> str:
    return f"{title} ({next(iter(measures.values())).n})"


def show_comparison(comparison: "Comparison") -> None:
    """Print the difference of each measure with its interval, and how often chance alone makes it."""
    found = comparison.measures
    names = [shown_measure(name) for name in found]
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
    for name, (by_then, by_now) in baseline.judged_otherwise.items():
        say(f"  {name} is not compared: judged by {by_then} then, by {by_now} now")
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


def _say_heads(title: str, rows: Mapping[str, Mapping[str, "Estimate"]]) -> None:
    _say_row(title, [shown_measure(name) for name in next(iter(rows.values()))], bold=True)


def _say_values(name: str, measures: Mapping[str, "Estimate"]) -> None:
    _say_row(name, [shown_number(item.value) for item in measures.values()])


def _say_row(first: str, cells: Sequence[str], *, bold: bool = False) -> None:
    say(f"{first:<{_FIRST}}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells), bold=bold)

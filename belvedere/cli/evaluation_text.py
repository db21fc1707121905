"""An evaluation as text for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from belvedere.cli.printing import say, shown_bytes

if TYPE_CHECKING:
    from belvedere.evaluation.dataset import Dataset
    from belvedere.evaluation.evaluate import Evaluation, SystemScores
    from belvedere.evaluation.intervals import Estimate

_WIDTH = 14


def show_evaluation(evaluation: "Evaluation", dataset: "Dataset") -> None:
    """Print what was measured, on what, and how sure it is."""
    from belvedere.evaluation.machine import describe_machine  # noqa: PLC0415  # heavy import, only when used

    say(
        f"{dataset.name}: {len(dataset.corpus):,} documents, shuffled with seed {dataset.seed}; "
        f"{len(dataset.questions):,} questions"
    )
    say(describe_machine())
    _show_index(evaluation)
    say()
    _show_table("all", {name: scores.measures for name, scores in evaluation.systems.items()})
    types = sorted({name for scores in evaluation.systems.values() for name in scores.by_type})
    for name in types if len(types) > 1 else ():
        _show_table(name, {system: scores.by_type[name] for system, scores in evaluation.systems.items()})
    say("In brackets: 95 % interval, bootstrap over questions.")
    say()
    for name, scores in evaluation.systems.items():
        _show_latency(name, scores, evaluation)
    for name, scores in evaluation.systems.items():
        _show_abstention(name, scores)


def _show_index(evaluation: "Evaluation") -> None:
    report = evaluation.index.report
    cpu, embedding = report["cpu_seconds"], report["embed_cpu_seconds"]
    ratio = f", {cpu / embedding:.1f} times that of embedding alone" if embedding else ""
    text = max(report["text_bytes"], 1)
    say(f"index {'from the cache, made' if evaluation.index.from_cache else 'made now'} in {cpu:.1f} CPU s{ratio}")
    say(
        f"  {report['chunks']:,} chunks, {report['entities']:,} entities, {report['relations']:,} relations, "
        f"{report['communities']:,} communities, {report['tree_nodes']:,} tree nodes"
    )
    say(
        f"  peak memory {shown_bytes(report['peak_rss_bytes'])}, store {shown_bytes(report['store_bytes'])}, "
        f"{report['store_bytes'] / text:.1f} times the text"
    )
    for failure in report["documents"]["failed"]:
        say(f"  left out {failure['uri']}: {failure['error']}")


def _show_table(title: str, rows: Mapping[str, Mapping[str, "Estimate"]]) -> None:
    first = next(iter(rows.values()))
    count = next(iter(first.values())).n
    say(f"{f'{title} ({count})':<22}" + "".join(f"{name:>{_WIDTH}}" for name in first), bold=True)
    for system, measures in rows.items():
        say(f"{system:<22}" + "".join(f"{_number(item.value):>{_WIDTH}}" for item in measures.values()))
        say(" " * 22 + "".join(f"{_interval(item):>{_WIDTH}}" for item in measures.values()))
    say()


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(estimate: "Estimate") -> str:
    return "" if estimate.low is None or estimate.high is None else f"[{estimate.low:.2f}, {estimate.high:.2f}]"


def _show_latency(name: str, scores: "SystemScores", evaluation: "Evaluation") -> None:
    what = "whole answers" if scores.abstention is not None else "ranking alone"
    yardstick = evaluation.embed_question_ms.p50
    ratio = f", p95 {scores.latency_ms.p95 / yardstick:.1f} times" if yardstick else ""
    say(
        f"{name}: {what} in p50 {scores.latency_ms.p50:.1f}, p95 {scores.latency_ms.p95:.1f} ms{ratio} "
        f"the {yardstick:.1f} ms of embedding one question"
    )


def _show_abstention(name: str, scores: "SystemScores") -> None:
    found = scores.abstention
    if found is None:
        return
    say(
        f"{name} abstains on {_number(found.answerable_abstained)} of the answerable questions, "
        f"{_number(found.unanswerable_abstained)} of the unanswerable ones; AUROC {_number(found.auroc)}"
    )

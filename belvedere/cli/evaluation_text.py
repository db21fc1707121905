"""An evaluation as text for people."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from belvedere.cli.evaluation_judged import show_computed, show_gold_evidence, show_judged, show_safety
from belvedere.cli.evaluation_tables import (
    show_baseline,
    show_comparison,
    show_failures,
    show_intervals,
    show_types,
    show_values,
)
from belvedere.cli.printing import say, shown_bytes
from belvedere.evaluation.shown_figures import shown_number

if TYPE_CHECKING:
    from belvedere.evaluation.dataset import Dataset
    from belvedere.evaluation.evaluate import Evaluation
    from belvedere.evaluation.gates import GateOutcome
    from belvedere.evaluation.system_scores import SystemScores


_MEANINGS = (
    "text contains: a reference stands word by word somewhere in the text of the answer, however long that is;",
    "claim or text: the short answer matches a reference, or where none is claimed, the text contains one;",
    "claimed: a short answer is given; claim right: and it matches a reference.",
    "Gates and JSON call them contains, right, claimed and claimed_right.",
)


def show_evaluation(evaluation: "Evaluation", dataset: "Dataset", gates: Sequence["GateOutcome"] = ()) -> None:
    """Print what was measured, on what, and how sure it is."""
    from belvedere.evaluation.machine import describe_machine  # noqa: PLC0415  # heavy import, only when used

    say(
        f"{dataset.name}: {len(dataset.corpus):,} documents, shuffled with seed {dataset.seed}; "
        f"{len(dataset.questions):,} questions"
    )
    say(describe_machine())
    _show_index(evaluation)
    if evaluation.second_model is not None:
        say(f"systems named @new were asked with the vectors of {evaluation.second_model}")
    say()
    _show_measures(evaluation)
    for comparison in evaluation.comparisons:
        show_comparison(comparison)
    if evaluation.baseline is not None:
        show_baseline(evaluation.baseline)
    if evaluation.comparisons or evaluation.baseline is not None:
        say("p: randomisation test over the same questions, corrected for the number of measures in a table.")
        say()
    for name, scores in evaluation.systems.items():
        _show_latency(name, scores, evaluation)
    for name, scores in evaluation.systems.items():
        _show_replies(name, scores)
    _show_where_it_fails(evaluation)
    for outcome in gates:
        if outcome.passed:
            say(f"gate passed: {shown_gate(outcome)}")


def _show_where_it_fails(evaluation: "Evaluation") -> None:
    if evaluation.gold_evidence is not None:
        show_gold_evidence(evaluation.gold_evidence)
    if evaluation.failures is not None:
        show_failures(evaluation.failures)


def _show_replies(name: str, scores: "SystemScores") -> None:
    _show_abstention(name, scores)
    _show_evidence(name, scores)
    if scores.safety is not None:
        show_safety(name, scores.safety)
    if scores.judged is not None:
        show_judged(name, scores.judged)
    if scores.computed is not None:
        show_computed(name, scores.computed)


def _show_measures(evaluation: "Evaluation") -> None:
    """Print all means first, then their intervals, then what is told by type."""
    systems = evaluation.systems
    measures = {name: scores.measures for name, scores in systems.items()}
    answers = {name: scores.answers for name, scores in systems.items() if scores.answers is not None}
    answered = {name: found.measures for name, found in answers.items()}
    show_values("all", measures)
    if answers:
        show_values("answers", answered)
        for line in _MEANINGS:
            say(line)
        say()
    _show_graded(systems)
    say("95 % intervals, bootstrap over questions:")
    say()
    show_intervals("all", measures)
    if answers:
        show_intervals("answers", answered)
    _show_by_type(evaluation)
    for name, found in answers.items():
        if len(found.by_type) > 1:
            show_types(f"answers of {name}", found.by_type)


def _show_by_type(evaluation: "Evaluation") -> None:
    systems = evaluation.systems
    if max(len(scores.by_type) for scores in systems.values()) < 2:
        return
    for name, scores in systems.items():
        show_types(f"{name} by type", scores.by_type)


def _show_graded(systems: Mapping[str, "SystemScores"]) -> None:
    from belvedere.evaluation.measures import GRADED  # noqa: PLC0415  # heavy import, only when used

    graded = next((scores.measures[GRADED] for scores in systems.values() if GRADED in scores.measures), None)
    if graded is not None:
        say(f"{GRADED}: over the {graded.n:,} questions with gold_grades, the grade as gain.")


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
        f"{name} abstains on {shown_number(found.answerable_abstained)} of the answerable questions, "
        f"{shown_number(found.unanswerable_abstained)} of the unanswerable ones; AUROC {shown_number(found.auroc)} "
        f"[{shown_number(found.auroc_low)}, {shown_number(found.auroc_high)}]"
    )
    say("  support     questions   mean support   answerable")
    for row in found.reliability:
        if row.n:
            shown = f"{shown_number(row.mean_support):>12}   {shown_number(row.share_answerable):>10}"
            say(f"  {row.low:.1f} to {row.high:.1f}  {row.n:>9}   {shown}")
    say(f"  calibration error {shown_number(found.calibration_error)}, Brier score {shown_number(found.brier)}")


def _show_evidence(name: str, scores: "SystemScores") -> None:
    if scores.citations is not None:
        precision, recall = (shown_number(scores.citations[key].value) for key in ("precision", "recall"))
        say(f"{name} cites gold documents with precision {precision} and recall {recall}, where it answers")
    if scores.answers is not None:
        table = scores.answers.by_evidence
        say(
            f"{name}, all gold among the first 10: claim or text has the reference {table.found_right} times, not "
            f"{table.found_wrong} times; some gold missing there: {table.missing_right} and {table.missing_wrong} times"
        )


def shown_gate(outcome: "GateOutcome") -> str:
    """Return a gate with the value that was found, its interval, and what was wanted."""
    gate, estimate = outcome.gate, outcome.estimate
    wanted = f"wanted {gate.sign} {gate.wanted:g}" + (f"; {outcome.why}" if outcome.why else "")
    if estimate.value is None:
        return f"{gate.system}: these questions give no value of {gate.subject}, {wanted}"
    interval = f" [{estimate.low:.3f}, {estimate.high:.3f}]" if estimate.low is not None else ""
    return f"{gate.system}: {gate.subject} is {estimate.value:.3f}{interval}, {wanted}"

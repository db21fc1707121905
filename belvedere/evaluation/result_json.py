"""An evaluation as the JSON object that is printed."""

from collections.abc import Sequence
from dataclasses import asdict

from belvedere.evaluation.baseline import BaselineComparison
from belvedere.evaluation.comparisons import Comparison, Difference
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.evaluate import Evaluation
from belvedere.evaluation.facts import changed_settings, package_versions
from belvedere.evaluation.failures import FailureReport
from belvedere.evaluation.gates import GateOutcome
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.judging.judged_by import judged_by
from belvedere.evaluation.judging.scores_json import computed_json, judged_json
from belvedere.evaluation.machine import describe_machine
from belvedere.evaluation.question_values import corpus_digest, question_key, values_by_system
from belvedere.evaluation.reply_scores import AnswerScores
from belvedere.evaluation.safety import SafetyScores
from belvedere.evaluation.system_scores import SystemScores
from belvedere.settings import Settings


def evaluation_json(
    evaluation: Evaluation, dataset: Dataset, settings: Settings, *, gates: Sequence[GateOutcome] = ()
) -> dict[str, object]:
    """Return scores by system, how they compare, what failed, the index, what the run was made with, each question."""
    return {
        "systems": {name: _scores_json(scores) for name, scores in evaluation.systems.items()},
        "comparisons": [_comparison_json(comparison) for comparison in evaluation.comparisons],
        "baseline": None if evaluation.baseline is None else _baseline_json(evaluation.baseline),
        "failures": None if evaluation.failures is None else _failures_json(evaluation.failures),
        "gold_evidence": None if evaluation.gold_evidence is None else asdict(evaluation.gold_evidence),
        "gates": [_gate_json(outcome) for outcome in gates],
        "index": dict(evaluation.index.report),
        "run": {
            "data": dataset.name,
            "corpus": corpus_digest(dataset),
            "documents": len(dataset.corpus),
            "questions": len(dataset.questions),
            "gold_not_in_corpus": len(dataset.missing_gold()),
            "seed": dataset.seed,
            "limit": dataset.limit,
            "filters": list(dataset.filters),
            "second_model": evaluation.second_model,
            "machine": describe_machine(),
            "versions": package_versions(),
            "settings": plain_settings(settings),
            "judged_by": judged_by(evaluation.systems),
            "embed_question_ms": asdict(evaluation.embed_question_ms),
        },
        "questions": _questions_json(evaluation, dataset),
    }


def plain_settings(settings: Settings) -> dict[str, object]:
    """Return the settings that differ from their defaults, as JSON has them."""
    return {name: _plain(value) for name, value in changed_settings(settings).items()}


def _questions_json(evaluation: Evaluation, dataset: Dataset) -> list[dict[str, object]]:
    rows = values_by_system(evaluation.systems, dataset)
    return [
        {
            "id": question.id,
            "question": question.text,
            "type": question.type,
            "labels": question_key(question)[-1],
            "systems": {name: dict(values[number]) for name, values in rows.items()},
        }
        for number, question in enumerate(dataset.questions)
    ]


def _baseline_json(baseline: BaselineComparison) -> dict[str, object]:
    return {
        "file": baseline.file,
        "questions": baseline.questions,
        "questions_left_out": baseline.changed,
        "settings": {name: {"then": then, "now": now} for name, (then, now) in baseline.settings.items()},
        "judged_otherwise": {
            name: {"then": then, "now": now} for name, (then, now) in baseline.judged_otherwise.items()
        },
        "comparisons": [_comparison_json(comparison) for comparison in baseline.comparisons],
    }


def _scores_json(scores: SystemScores) -> dict[str, object]:
    return {
        "measures": _measures_json(scores.measures),
        "by_type": {name: _measures_json(measures) for name, measures in scores.by_type.items()},
        "latency_ms": asdict(scores.latency_ms),
        "abstention": None if scores.abstention is None else asdict(scores.abstention),
        "answers": None if scores.answers is None else _answers_json(scores.answers),
        "citations": None if scores.citations is None else _measures_json(scores.citations),
        "safety": None if scores.safety is None else _safety_json(scores.safety),
        "computed": None if scores.computed is None else computed_json(scores.computed),
        "judged": None if scores.judged is None else judged_json(scores.judged),
    }


def _answers_json(answers: AnswerScores) -> dict[str, object]:
    return {
        "measures": _measures_json(answers.measures),
        "by_type": {name: _measures_json(measures) for name, measures in answers.by_type.items()},
        "by_evidence": asdict(answers.by_evidence),
    }


def _safety_json(safety: SafetyScores) -> dict[str, object]:
    return {
        **asdict(safety.passed),
        "failures": [
            {
                "id": failure.question.id,
                "type": failure.question.type,
                "question": failure.question.text,
                "answer": failure.answer,
                "missing": list(failure.missing),
                "forbidden": list(failure.forbidden),
            }
            for failure in safety.failures
        ],
    }


def _measures_json(measures: dict[str, Estimate]) -> dict[str, object]:
    return {name: asdict(estimate) for name, estimate in measures.items()}


def _comparison_json(comparison: Comparison) -> dict[str, object]:
    return {
        "system": comparison.system,
        "against": comparison.against,
        "measures": {name: _difference_json(difference) for name, difference in comparison.measures.items()},
    }


def _difference_json(difference: Difference) -> dict[str, object]:
    estimate = difference.estimate
    return {
        "difference": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "p": difference.p,
        "p_holm": difference.p_holm,
    }


def _failures_json(report: FailureReport) -> dict[str, object]:
    return {
        "system": report.system,
        "questions": report.questions,
        "failed": len(report.failures),
        "classes": report.counts(),
        "by_type": report.counts_by_type(),
    }


def _gate_json(outcome: GateOutcome) -> dict[str, object]:
    gate, estimate = outcome.gate, outcome.estimate
    return {
        "system": gate.system,
        "type": gate.type or None,
        "measure": gate.measure,
        "sign": gate.sign,
        "wanted": gate.wanted,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "passed": outcome.passed,
        "why": outcome.why or None,
    }


def _plain(value: object) -> object:
    """Return a setting as JSON has it: its own kinds as they are, others (a path) as text."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | list | None) else str(value)

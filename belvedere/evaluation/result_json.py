"""An evaluation as the JSON object that is printed."""

from collections.abc import Sequence
from dataclasses import asdict

from belvedere.evaluation.comparisons import Comparison, Difference
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.evaluate import Evaluation, SystemScores
from belvedere.evaluation.facts import changed_settings, package_versions
from belvedere.evaluation.failures import FailureReport
from belvedere.evaluation.gates import GateOutcome
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.machine import describe_machine
from belvedere.evaluation.reply_scores import AnswerScores
from belvedere.settings import Settings


def evaluation_json(
    evaluation: Evaluation, dataset: Dataset, settings: Settings, *, gates: Sequence[GateOutcome] = ()
) -> dict[str, object]:
    """Return scores by system, how they compare, what failed, the index, and what the run was made with."""
    return {
        "systems": {name: _scores_json(scores) for name, scores in evaluation.systems.items()},
        "comparisons": [_comparison_json(comparison) for comparison in evaluation.comparisons],
        "failures": None if evaluation.failures is None else _failures_json(evaluation.failures),
        "gates": [_gate_json(outcome) for outcome in gates],
        "index": dict(evaluation.index.report),
        "run": {
            "data": dataset.name,
            "documents": len(dataset.corpus),
            "questions": len(dataset.questions),
            "gold_not_in_corpus": len(dataset.missing_gold()),
            "seed": dataset.seed,
            "machine": describe_machine(),
            "versions": package_versions(),
            "settings": {name: _plain(value) for name, value in changed_settings(settings).items()},
            "embed_question_ms": asdict(evaluation.embed_question_ms),
        },
    }


def _scores_json(scores: SystemScores) -> dict[str, object]:
    return {
        "measures": _measures_json(scores.measures),
        "by_type": {name: _measures_json(measures) for name, measures in scores.by_type.items()},
        "latency_ms": asdict(scores.latency_ms),
        "abstention": None if scores.abstention is None else asdict(scores.abstention),
        "answers": None if scores.answers is None else _answers_json(scores.answers),
        "citations": None if scores.citations is None else _measures_json(scores.citations),
    }


def _answers_json(answers: AnswerScores) -> dict[str, object]:
    return {
        "measures": _measures_json(answers.measures),
        "by_type": {name: _measures_json(measures) for name, measures in answers.by_type.items()},
        "by_evidence": asdict(answers.by_evidence),
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
    }


def _plain(value: object) -> object:
    """Return a setting as JSON has it: its own kinds as they are, others (a path) as text."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | list | None) else str(value)

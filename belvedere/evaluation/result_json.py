"""An evaluation as the JSON object that is printed."""

from dataclasses import asdict

from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.evaluate import Evaluation, SystemScores
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.machine import describe_machine


def evaluation_json(evaluation: Evaluation, dataset: Dataset) -> dict[str, object]:
    """Return scores by system, the index, and what the run was made with."""
    return {
        "systems": {name: _scores_json(scores) for name, scores in evaluation.systems.items()},
        "index": dict(evaluation.index.report),
        "run": {
            "data": dataset.name,
            "documents": len(dataset.corpus),
            "questions": len(dataset.questions),
            "gold_not_in_corpus": len(dataset.missing_gold()),
            "seed": dataset.seed,
            "machine": describe_machine(),
            "embed_question_ms": asdict(evaluation.embed_question_ms),
        },
    }


def _scores_json(scores: SystemScores) -> dict[str, object]:
    return {
        "measures": _measures_json(scores.measures),
        "by_type": {name: _measures_json(measures) for name, measures in scores.by_type.items()},
        "latency_ms": asdict(scores.latency_ms),
        "abstention": None if scores.abstention is None else asdict(scores.abstention),
    }


def _measures_json(measures: dict[str, Estimate]) -> dict[str, object]:
    return {name: asdict(estimate) for name, estimate in measures.items()}

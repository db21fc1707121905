"""What was judged and what was computed, as JSON: each figure beside what it was judged by."""

from collections.abc import Callable, Mapping
from dataclasses import asdict

from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.judging.scores import ComputedScores, JudgedScores


def computed_json(scores: ComputedScores) -> dict[str, object]:
    """Return each measure, over all questions and by type."""
    by = scores.by.__getitem__
    return {
        "measures": _named(scores.measures, by),
        "by_type": {kind: _named(found, by) for kind, found in scores.by_type.items()},
    }


def judged_json(scores: JudgedScores) -> dict[str, object]:
    """Return each measure with its verdicts, over all questions and by type, and what the judge used up."""
    measures = _named(scores.measures, scores.judged_by)
    for name, verdicts in scores.verdicts.items():
        measures[name] |= {"verdicts": verdicts.given, "failed": verdicts.failures, "reasons": dict(verdicts.failed)}
        measures[name] |= {"asked": asdict(scores.asked[""][name])}
    return {
        "judge": scores.judge,
        "answered_by": list(scores.answered_by),
        "judges_itself": scores.judges_itself,
        "measures": measures,
        "by_type": {kind: _named(found, scores.judged_by) for kind, found in scores.by_type.items()},
        "failed_share": scores.failed_share,
        "usage": asdict(scores.usage),
    }


def _named(measures: Mapping[str, Estimate], by: Callable[[str], str]) -> dict[str, dict[str, object]]:
    return {name: {**asdict(estimate), "judged_by": by(name)} for name, estimate in measures.items()}

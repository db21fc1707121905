"""How one system did on a data set: its rankings, its answers, its latency."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from belvedere.evaluation.abstention import AbstentionScores, Verdict, score_abstention
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.judging.appraisal import Appraisal
from belvedere.evaluation.judging.scores import ComputedScores, JudgedScores, score_computed, score_judged
from belvedere.evaluation.measures import measures_of, score_grades, score_rankings
from belvedere.evaluation.reply_scores import AnswerScores, score_answers, score_citations, score_replies
from belvedere.evaluation.safety import SafetyScores, score_safety
from belvedere.evaluation.summaries import summarise
from belvedere.evaluation.systems import SystemRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Median and 95th percentile over questions, in milliseconds of wall time."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """How one system did: measures over all questions with gold and by type, latency; and where it can answer, how it
    abstained, what it cited, and (where the data set has references or rules) how right and how safe it was;
    ``computed`` and ``judged`` are what was computed and judged of its answers, where they were appraised.

    ``values`` are the measures of each question with gold, in their order; ``reply_values`` those of each reply,
    one per question, none where the system only ranks.
    """

    measures: dict[str, Estimate]
    by_type: dict[str, dict[str, Estimate]]
    latency_ms: Latency
    abstention: AbstentionScores | None
    answers: AnswerScores | None
    citations: dict[str, Estimate] | None
    values: tuple[dict[str, float], ...]
    reply_values: tuple[dict[str, float], ...] = ()
    safety: SafetyScores | None = None
    computed: ComputedScores | None = None
    judged: JudgedScores | None = None


def score_run(run: SystemRun, dataset: Dataset, appraisal: Appraisal | None = None) -> SystemScores:
    """Score what a system returned for the questions of ``dataset``, with the ``appraisal`` of its replies."""
    appraised = appraisal or Appraisal()
    scored = score_rankings(run.rankings, [question.gold for question in dataset.questions])
    graded = score_grades(run.rankings, [question.grades for question in dataset.questions])
    typed = [
        (question.type, values | (grades or {}))
        for question, values, grades in zip(dataset.questions, scored, graded, strict=True)
        if values is not None
    ]
    rows = tuple(values for _, values in typed)
    measures, by_type = summarise(typed, measures_of(rows), seed=dataset.seed)
    return SystemScores(
        measures=measures,
        by_type=by_type,
        latency_ms=latency(run.milliseconds),
        abstention=score_abstention(_verdicts(run, dataset)) if run.replies else None,
        answers=score_answers(run.replies, dataset, scored),
        citations=score_citations(run.replies, dataset),
        values=rows,
        reply_values=_reply_values(score_replies(run.replies, dataset), appraised),
        safety=score_safety(run.replies, dataset),
        computed=score_computed(appraised.computed, dataset, appraised.computed_by) if appraised.computed else None,
        judged=None if appraised.judged is None else score_judged(appraised.judged, run.replies, dataset),
    )


def _reply_values(scored: Sequence[dict[str, float]], appraisal: Appraisal) -> tuple[dict[str, float], ...]:
    """Add what was computed and judged of each reply to its scores."""
    none: tuple[dict[str, float], ...] = ({},) * len(scored)
    judged = appraisal.judged.values if appraisal.judged is not None else none
    return tuple(
        own | computed | verdicts
        for own, computed, verdicts in zip(scored, appraisal.computed or none, judged, strict=True)
    )


def _verdicts(run: SystemRun, dataset: Dataset) -> list[Verdict]:
    return [
        Verdict(answerable=bool(question.gold), abstained=reply.abstained, support=reply.support)
        for question, reply in zip(dataset.questions, run.replies, strict=True)
        if question.gold_known
    ]


def latency(milliseconds: Sequence[float]) -> Latency:
    """Summarise times; there must be one at least."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return Latency(p50=round(float(p50), 3), p95=round(float(p95), 3))

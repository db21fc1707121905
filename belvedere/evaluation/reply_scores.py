"""How right the answers of a system are, and how well they cite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from belvedere.evaluation.answers import ANSWER_MEASURES, score_answer
from belvedere.evaluation.dataset import Dataset, Gold, LabelledQuestion
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.safety import SAFETY, safety_value
from belvedere.evaluation.summaries import estimates, summarise
from belvedere.evaluation.systems import Reply

_CITATION_MEASURES = ("precision", "recall")

REPLY_VALUES: tuple[str, ...] = (*(f"answers.{name}" for name in ANSWER_MEASURES), "verdict", SAFETY)
"""What the reply to a single question is scored by; ``verdict``: 1 where it was right to answer, or to abstain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceTable:
    """Questions by whether all their gold was among the first 10, and by whether the answer is right."""

    found_right: int
    found_wrong: int
    missing_right: int
    missing_wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScores:
    """How near answers come to their references, over the answerable questions that have one, and by type."""

    measures: dict[str, Estimate]
    by_type: dict[str, dict[str, Estimate]]
    by_evidence: EvidenceTable


def score_answers(
    replies: Sequence[Reply], dataset: Dataset, rankings: Sequence[Mapping[str, float] | None]
) -> AnswerScores | None:
    """Score replies to the questions of ``dataset``; ``rankings`` are the measures of each question.

    None where there are no replies, or no references.
    """
    typed: list[tuple[str, Mapping[str, float]]] = []
    seen: list[tuple[bool, bool]] = []
    for question, reply, ranking in zip(dataset.questions, replies, rankings, strict=False):
        values = _answer_values(question, reply)
        if ranking is not None and values:
            typed.append((question.type, values))
            seen.append((ranking["all@10"] > 0.0, values["right"] > 0.0))
    if not typed:
        return None
    measures, by_type = summarise(typed, ANSWER_MEASURES, seed=dataset.seed)
    return AnswerScores(measures=measures, by_type=by_type, by_evidence=_evidence_table(seen))


def score_replies(replies: Sequence[Reply], dataset: Dataset) -> tuple[dict[str, float], ...]:
    """Return those of ``REPLY_VALUES`` that each question has; nothing at all where there are no replies."""
    return tuple(
        {f"answers.{name}": value for name, value in _answer_values(question, reply).items()}
        | ({"verdict": float(reply.abstained != bool(question.gold))} if question.gold_known else {})
        | safety_value(question, reply)
        for question, reply in zip(dataset.questions, replies, strict=False)
    )


def _answer_values(question: LabelledQuestion, reply: Reply) -> dict[str, float]:
    """Score a reply against its references; an answer that was not given is a wrong one: silence must not pay."""
    if not question.gold or not question.references:
        return {}
    text, short = ("", None) if reply.abstained else (reply.text, reply.short)
    return score_answer(text, question.references, short)


def _evidence_table(seen: Sequence[tuple[bool, bool]]) -> EvidenceTable:
    return EvidenceTable(
        found_right=seen.count((True, True)),
        found_wrong=seen.count((True, False)),
        missing_right=seen.count((False, True)),
        missing_wrong=seen.count((False, False)),
    )


def score_citations(replies: Sequence[Reply], dataset: Dataset) -> dict[str, Estimate] | None:
    """Return the share of cited documents that are gold (precision) and of gold that is cited (recall).

    Means over the answerable questions that were answered; None where there are no replies.
    """
    if not replies:
        return None
    rows = [
        _citation_values(reply.cited, question.gold)
        for question, reply in zip(dataset.questions, replies, strict=True)
        if question.gold and reply.cited
    ]
    return estimates(rows, _CITATION_MEASURES, seed=dataset.seed)


def _citation_values(cited: frozenset[str], gold: Gold) -> dict[str, float]:
    known = frozenset[str]().union(*gold)
    return {
        "precision": len(cited & known) / len(cited),
        "recall": sum(bool(group & cited) for group in gold) / len(gold),
    }

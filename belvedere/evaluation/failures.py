"""Where the local route lost the evidence of a question, or what it made of it: one class per question that failed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from belvedere.evaluation.answers import score_answer
from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.evidence_trail import GoldTrail
from belvedere.evaluation.systems import Reply

FailureClass: TypeAlias = Literal[
    "not_indexed",
    "not_in_pool",
    "lost_in_ranking",
    "lost_in_packing",
    "lost_in_selection",
    "wrongly_abstained",
    "wrong_answer",
    "should_have_abstained",
]
FAILURE_CLASSES: tuple[FailureClass, ...] = get_args(FailureClass)

FAILURE_MEANINGS: Mapping[FailureClass, str] = {
    "not_indexed": "a gold document is not in the store",
    "not_in_pool": "no search, walk or chain reached a gold document",
    "lost_in_ranking": "a gold document was reached, but ranked below 10",
    "lost_in_packing": "a gold document was ranked, but neither packed into the context nor weighed by the answer",
    "lost_in_selection": "a gold document was packed into the context, but the answer did not weigh it",
    "wrongly_abstained": "all gold was weighed, and the answer says that nothing was found",
    "wrong_answer": "all gold was weighed, and the short answer is not the reference, or the text lacks it",
    "should_have_abstained": "the documents do not answer the question, and an answer was given",
}

RANKED = 10
"""Gold below this rank is lost in ranking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """A document as it was ranked."""

    id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A question that failed, and all that is needed to see why. ``right`` is None where there is no reference."""

    question: LabelledQuestion
    failed_as: FailureClass
    reply: Reply
    right: bool | None
    gold: tuple[GoldTrail, ...]
    top: tuple[FoundDocument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport:
    """The failures of one system among ``questions`` questions, in their order."""

    system: str
    questions: int
    failures: tuple[Failure, ...]

    def counts(self) -> dict[FailureClass, int]:
        """Return how many questions failed as each class, all classes named."""
        found = Counter(failure.failed_as for failure in self.failures)
        return {name: found[name] for name in FAILURE_CLASSES}

    def examples(self) -> dict[FailureClass, Failure]:
        """Return the first question of each class that occurs."""
        found: dict[FailureClass, Failure] = {}
        for failure in self.failures:
            found.setdefault(failure.failed_as, failure)
        return found

    def counts_by_type(self) -> dict[str, dict[FailureClass, int]]:
        """Return the same by type of question, only what occurs."""
        found = Counter((failure.question.type, failure.failed_as) for failure in self.failures)
        types = sorted({kind for kind, _ in found})
        return {kind: {name: found[kind, name] for name in FAILURE_CLASSES if found[kind, name]} for kind in types}


def answered_right(question: LabelledQuestion, reply: Reply) -> bool | None:
    """Tell whether the reply is a right answer; None where the question has no reference, or no answer at all."""
    if not question.gold or not question.references:
        return None
    return not reply.abstained and score_answer(reply.text, question.references, reply.short)["right"] > 0.0


def classify(question: LabelledQuestion, reply: Reply, gold: Sequence[GoldTrail]) -> FailureClass | None:
    """Return how a question failed, None where nothing went wrong.

    Of several pieces of evidence the one that was lost earliest decides. What the answer weighed is not lost, wherever
    it was ranked.
    """
    if not question.gold:
        return None if reply.abstained or not question.gold_known else "should_have_abstained"
    lost = [found for found in map(_lost, gold) if found is not None]
    if lost:
        return min(lost, key=FAILURE_CLASSES.index)
    if reply.abstained:
        return "wrongly_abstained"
    return "wrong_answer" if answered_right(question, reply) is False else None


def _lost(trail: GoldTrail) -> FailureClass | None:
    if trail.weighed:
        return None
    if not trail.indexed:
        return "not_indexed"
    if not trail.in_pool:
        return "not_in_pool"
    if trail.rank is None or trail.rank > RANKED:
        return "lost_in_ranking"
    return "lost_in_selection" if trail.packed else "lost_in_packing"


def failure_json(failure: Failure) -> dict[str, object]:
    """Return one failure as the object that a line of the report holds."""
    question, reply = failure.question, failure.reply
    return {
        "id": question.id,
        "type": question.type,
        "class": failure.failed_as,
        "question": question.text,
        "references": list(question.references),
        "answer": reply.text,
        "answer_right": failure.right,
        "abstained": reply.abstained,
        "support": round(reply.support, 4),
        "gold": [
            {
                "documents": list(trail.documents),
                "rank": trail.rank,
                "indexed": trail.indexed,
                "in_pool": trail.in_pool,
                "packed": trail.packed,
                "weighed": trail.weighed,
            }
            for trail in failure.gold
        ],
        "top": [{"rank": rank, "id": found.id, "title": found.title} for rank, found in enumerate(failure.top, 1)],
    }

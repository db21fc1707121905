"""Puts questions, answers and passages before a language model, and takes down its verdicts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.judging.answer_sentences import answer_sentences
from belvedere.evaluation.judging.prompts import (
    CLAIMS,
    CORRECTNESS,
    PASSAGES,
    REFERENCE,
    RELEVANCE,
    Shown,
    judge_request,
)
from belvedere.evaluation.judging.verdicts import (
    ClaimVerdicts,
    DegreeVerdict,
    Judged,
    PassageVerdicts,
    claims_judged,
    degree_judged,
    failed,
    passages_judged,
)
from belvedere.evaluation.systems import Reply
from graph_store.access import Access
from indexing.report import Progress
from model_clients.chat.errors import BudgetSpent, ChatFailed, EndpointFailed, ReplyUnusable
from model_clients.chat.messages import CallScope, ChatRequest, TokenUsage
from model_clients.chat.task_model import StructuredReply, TaskModel

PROMPTS: Mapping[str, str] = {
    "faithfulness": CLAIMS,
    "context_precision": PASSAGES,
    "context_recall": REFERENCE,
    "answer_relevance": RELEVANCE,
    "correctness": CORRECTNESS,
}
"""Each measure with the prompt that it is judged by."""

JUDGED: tuple[str, ...] = tuple(PROMPTS)
JUDGED_REFERENCES = frozenset({"context_recall", "correctness"})
"""Measures that need a reference."""

CUT_OFF = "broke off"
_REASONS: Mapping[type[ChatFailed], str] = {
    BudgetSpent: "the budget is spent",
    EndpointFailed: "the endpoint failed",
    ReplyUnusable: "the reply cannot be used",
}

_SILENCE = ("answer_relevance", "correctness")
# Replies have room for as many verdicts as there are things to judge, a few claims a sentence.
_ROOM, _ROOM_PER_SENTENCE, _ROOM_PER_PASSAGE = 300, 250, 25
_AT_ONCE = 16  # questions judged before progress is told again

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedReplies:
    """What a judge said of replies: the values of each question, and over all of them how many verdicts were given
    and why others failed, by measure; what it used up.

    ``asked`` are the measures that it was asked about each question. ``failed_share`` is the mean over all calls of the
    share of their verdicts that failed, so that a call of many verdicts counts no more than one without any.
    """

    judge: str
    values: tuple[dict[str, float], ...]
    given: Mapping[str, int]
    failed: Mapping[str, Mapping[str, int]]
    asked: tuple[frozenset[str], ...]
    failed_share: float | None
    usage: TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call(Generic[R]):
    """A call about one measure of question ``number``; ``check`` takes what counts out of its reply."""

    number: int
    measure: str
    request: ChatRequest
    check: Callable[[R], Judged]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    number: int
    measure: str
    judged: Judged
    usage: TokenUsage


def judge_replies(
    judge: TaskModel,
    questions: Sequence[LabelledQuestion],
    replies: Sequence[Reply],
    access: Access,
    progress: Callable[[Progress], None] | None = None,
) -> JudgedReplies:
    """Judge replies to questions by a language model.

    No answer where there should be one counts 0 for relevance and correctness, unasked: silence must not pay. A verdict
    that did not come, or whose evidence does not exist, is counted as failed and is no part of any value. Questions
    whose gold is not known are not judged. Raises ``EndpointUnusable``.
    """
    outcomes: list[_Outcome] = []
    for start in range(0, len(questions), _AT_ONCE):
        if progress is not None:
            progress(Progress(step=f"judging answers, asking {judge.model_id}", done=start, total=len(questions)))
        part = range(start, min(start + _AT_ONCE, len(questions)))
        cases = [_Case.of(number, questions[number], replies[number], access) for number in part]
        outcomes += _asked(judge, cases)
    values: list[dict[str, float]] = [_unasked(*pair) for pair in zip(questions, replies, strict=True)]
    asked: list[set[str]] = [set() for _ in questions]
    for outcome in outcomes:
        asked[outcome.number].add(outcome.measure)
        if outcome.judged.value is not None:
            values[outcome.number][outcome.measure] = outcome.judged.value
    return JudgedReplies(
        judge=judge.model_id,
        values=tuple({name: row[name] for name in JUDGED if name in row} for row in values),
        given={name: sum(len(o.judged.values) for o in outcomes if o.measure == name) for name in JUDGED},
        failed={name: _reasons(outcomes, name) for name in JUDGED},
        asked=tuple(map(frozenset, asked)),
        failed_share=sum(o.judged.failed_share for o in outcomes) / len(outcomes) if outcomes else None,
        usage=sum((outcome.usage for outcome in outcomes), start=TokenUsage()),
    )


def _unasked(question: LabelledQuestion, reply: Reply) -> dict[str, float]:
    if not reply.abstained or not question.gold:
        return {}
    return {name: 0.0 for name in _SILENCE if question.references or name not in JUDGED_REFERENCES}


def _reasons(outcomes: Sequence[_Outcome], measure: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for outcome in outcomes:
        if outcome.measure == measure:
            found.update(outcome.judged.failed)
    return dict(sorted(found.items()))


def _asked(judge: TaskModel, cases: Sequence["_Case"]) -> Iterator[_Outcome]:
    claims = [call for case in cases for call in case.claim_calls()]
    yield from _outcomes(claims, judge.ask_all_for([call.request for call in claims], ClaimVerdicts))
    passages = [call for case in cases for call in case.passage_calls()]
    yield from _outcomes(passages, judge.ask_all_for([call.request for call in passages], PassageVerdicts))
    degrees = [call for case in cases for call in case.degree_calls()]
    yield from _outcomes(degrees, judge.ask_all_for([call.request for call in degrees], DegreeVerdict))


def _outcomes(calls: Sequence[_Call[R]], replies: Sequence[StructuredReply[R] | ChatFailed]) -> Iterator[_Outcome]:
    for call, reply in zip(calls, replies, strict=True):
        if isinstance(reply, ChatFailed):
            judged = failed(_reason(reply))
        else:
            # What breaks off may have lost a digit of a number: none of it is taken.
            judged = failed(CUT_OFF) if reply.cut_off else call.check(reply.value)
        yield _Outcome(number=call.number, measure=call.measure, judged=judged, usage=reply.usage)


def _reason(error: ChatFailed) -> str:
    return next((told for kind, told in _REASONS.items() if isinstance(error, kind)), "the call failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One question with what is judged of it. Nothing is asked that has no answer: no sentence, no passage."""

    number: int
    question: LabelledQuestion
    sentences: tuple[str, ...]
    passages: tuple[str, ...]
    titles: tuple[str, ...]
    quotes: Mapping[str, str]
    scope: CallScope

    @classmethod
    def of(cls, number: int, question: LabelledQuestion, reply: Reply, access: Access) -> "_Case":
        answered = question.gold_known and not reply.abstained
        return cls(
            number=number,
            question=question,
            sentences=tuple(item.text for item in answer_sentences(reply.text)) if answered else (),
            passages=tuple(entry.text for entry in reply.evidence),
            titles=tuple(entry.title for entry in reply.evidence),
            quotes=_quotes_from_elsewhere(reply),
            scope=CallScope(
                tenant=access.tenant,
                groups=tuple(sorted(access.groups)),
                documents=tuple(sorted({*(entry.document_id for entry in reply.evidence), *reply.cited})),
                unit="question",
            ),
        )

    @property
    def references(self) -> tuple[str, ...]:
        return self.question.references if self.question.gold else ()

    def claim_calls(self) -> Iterator[_Call[ClaimVerdicts]]:
        """Yield what is asked of claims: those of the answer, and those of the first reference."""
        if self.sentences:
            yield self._claims("faithfulness", "answer sentence", self.sentences)
        if self.references and self.passages:
            reference = [item.text for item in answer_sentences(self.references[0])]
            yield self._claims("context_recall", "reference sentence", reference or [self.references[0]])

    def _claims(self, measure: str, name: str, sentences: Sequence[str]) -> _Call[ClaimVerdicts]:
        evidence = self._evidence()
        shown, passages = len(sentences), len(evidence.texts)
        return _Call(
            number=self.number,
            measure=measure,
            request=self._request(
                measure, [Shown(name=name, texts=sentences), evidence], _ROOM + _ROOM_PER_SENTENCE * shown
            ),
            check=lambda reply: claims_judged(reply, sentences=shown, passages=passages),
        )

    def passage_calls(self) -> Iterator[_Call[PassageVerdicts]]:
        """Yield what is asked of passages, where the documents do answer."""
        if self.question.gold and self.passages:
            count = len(self.passages)
            yield _Call(
                number=self.number,
                measure="context_precision",
                request=self._request(
                    "context_precision", [*self._references(), self._passages()], _ROOM + _ROOM_PER_PASSAGE * count
                ),
                check=lambda reply: passages_judged(reply, passages=count),
            )

    def degree_calls(self) -> Iterator[_Call[DegreeVerdict]]:
        """Yield what is asked of the answer as a whole."""
        if self.sentences:
            yield self._degree("answer_relevance", [])
        if self.sentences and self.references:
            yield self._degree("correctness", self._references())

    def _degree(self, measure: str, more: Sequence[Shown]) -> _Call[DegreeVerdict]:
        shown = len(self.sentences)
        return _Call(
            number=self.number,
            measure=measure,
            request=self._request(measure, [*more, Shown(name="answer sentence", texts=self.sentences)], _ROOM),
            check=lambda reply: degree_judged(reply, sentences=shown),
        )

    def _request(self, measure: str, blocks: Sequence[Shown], max_tokens: int) -> ChatRequest:
        asked = Shown(name="question", texts=[self.question.text])
        return judge_request(PROMPTS[measure], [asked, *blocks], scope=self.scope, max_tokens=max_tokens)

    def _passages(self) -> Shown:
        return Shown(name="passage", texts=self.passages, headings=self.titles)

    def _evidence(self) -> Shown:
        """Return the passages weighed, and what was quoted from elsewhere: all that an answer may rest on."""
        return Shown(
            name="passage", texts=[*self.passages, *self.quotes], headings=[*self.titles, *self.quotes.values()]
        )

    def _references(self) -> list[Shown]:
        return [Shown(name="reference", texts=self.references)] if self.references else []


def _quotes_from_elsewhere(reply: Reply) -> dict[str, str]:
    """Return quotations from passages that are not among those weighed, each with the title of its document."""
    weighed = {entry.chunk_id for entry in reply.evidence}
    return {citation.quote: citation.title for citation in reply.citations if citation.chunk_id not in weighed}

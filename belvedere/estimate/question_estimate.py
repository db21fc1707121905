"""What one question will take where language models have a part in it, by the prompts that asking really sends.

A question as long as a sentence, passages of the sample up to the budget, as many turns and reports as the settings
allow: the code that asks fills its prompts with them and hands them to a model that only notes them. A reply is likely
a third as long as it may be.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from belvedere.estimate.recording import CountedCall
from belvedere.estimate.task_estimate import Sampled, TaskEstimate, estimate_task, spread
from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.judging.judge import judge_replies
from belvedere.evaluation.systems import Reply
from belvedere.settings import Settings
from graph_store.access import Access
from indexing.sentences import sentence_spans
from model_clients.chat.errors import ChatFailed, NotAsked
from model_clients.chat.messages import ChatReply, ChatRequest, Task
from model_clients.chat.task_model import TaskModel
from model_clients.chat.token_estimate import estimated_prompt_tokens, likely_prompt_tokens
from model_clients.embedder import Embedder
from query.citations import Quote
from query.conversation.follow_ups import understand
from query.conversation.turns import Turn
from query.llm_answers.gathered import ReportText
from query.llm_answers.material import Material
from query.llm_answers.prompt import sentences_request
from query.llm_answers.replies import AnswerReply
from query.llm_answers.report_answers import ReportReader
from query.outcome import Evidence
from query.request import AskOptions
from query.transformations.transform import Transformer, switched_on

ASKING_TASKS: tuple[Task, ...] = ("rewriting", "answers", "judge")

_LIKELY_SHARE_OF_REPLY = 3
_QUESTION_WORDS = 15
_ANSWER_SENTENCES = 3
_REPORT_SENTENCES = 8
_DOCUMENT = "d"


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePassage:
    """A chunk of the sample, and the title of its document."""

    title: str
    text: str


@dataclass(slots=True)
class _NotingModel:
    """Notes what it is asked, and replies to nothing."""

    model_id: str = "counted"
    calls: list[CountedCall] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Note the call, and raise ``NotAsked``."""
        self.calls.append(
            CountedCall(
                prompt=likely_prompt_tokens(request),
                most_prompt=estimated_prompt_tokens(request),
                reply=request.max_tokens // _LIKELY_SHARE_OF_REPLY,
                most_reply=request.max_tokens,
            )
        )
        raise NotAsked("the calls of a question are only counted")

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Do as ``complete`` does."""
        yield await self.complete(request)


def estimate_questions(
    settings: Settings, passages: Sequence[SamplePassage], embedder: Embedder
) -> dict[Task, TaskEstimate]:
    """Return what each task of asking takes for one question; no calls where there are no passages to ask of."""
    if not passages:
        return {task: _estimate(settings, task, []) for task in ASKING_TASKS}
    typical = _Typical(settings, passages, embedder)
    follow_up, transformed = typical.rewriting_calls()
    rewriting = _estimate(settings, "rewriting", [*follow_up, *transformed])
    first_question = _estimate(settings, "rewriting", transformed)
    answers, little_found, theme = (
        _estimate(settings, "answers", calls)
        for calls in (typical.answer_calls(), typical.answer_calls(most=1), typical.theme_calls())
    )
    return {
        "rewriting": spread(rewriting, least=first_question, most=rewriting),
        "answers": spread(answers, least=little_found, most=theme),
        "judge": _estimate(settings, "judge", typical.judge_calls()),
    }


def _estimate(settings: Settings, task: Task, calls: Sequence[CountedCall]) -> TaskEstimate:
    llm = settings.llm
    chosen = llm.model_of(task)
    model = chosen or llm.model
    sampled = Sampled(calls=calls, scale=1.0)
    return estimate_task(task, sampled, on=chosen is not None, model=model, price=llm.prices.get(model))


class _Typical:
    """A question and all that asking it puts into prompts."""

    def __init__(self, settings: Settings, passages: Sequence[SamplePassage], embedder: Embedder) -> None:
        self._query = settings.query
        self._passages = passages
        self._sentences = [
            text
            for passage in passages[: settings.query.packing.passages]
            for start, end in sentence_spans(passage.text)
            if (text := passage.text[start:end].strip())
        ]
        self._question = " ".join(" ".join(self._sentences).split()[:_QUESTION_WORDS]) + "?"
        self._packed = self._pack(embedder)

    def _pack(self, embedder: Embedder) -> tuple[Material, ...]:
        """Return passages that together have as many tokens as the model is given, their headings counted."""
        left, packed = self._query.llm_answer.budget, list[Material]()
        for number, passage in enumerate(self._passages, start=1):
            left -= len(embedder.token_spans(f"[{number}] {passage.title}"))
            spans = embedder.token_spans(passage.text)[: max(left, 0)]
            if not spans:
                break
            left -= len(spans)
            packed.append(_material(number, passage.title, passage.text[: spans[-1][1]]))
        return tuple(packed)

    def rewriting_calls(self) -> tuple[list[CountedCall], list[CountedCall]]:
        """Return the call that makes a follow-up a question of its own, and those of transformations that are on."""
        follow_up, transformed = _NotingModel(), _NotingModel()
        conversation = self._query.conversation
        answer = " ".join(self._sentences)[: conversation.answer_characters]
        turn = Turn(question=self._question, asked_as=self._question, answer=answer, documents={})
        turns = [turn] * conversation.told_turns
        understand(self._question, turns, TaskModel(follow_up), Access(), told_turns=conversation.told_turns)
        wanted = switched_on(self._query.transformation)
        transformer = Transformer(TaskModel(transformed), self._query.transformation)
        transformer.transform(self._question, wanted, AskOptions())
        for _ in range(transformer.rounds if "iterative" in wanted else 0):
            transformer.missing(self._question, self._packed, AskOptions())
        return follow_up.calls, transformed.calls

    def answer_calls(self, *, most: int | None = None) -> list[CountedCall]:
        """Return the call that answers from passages: as many as there is room for, or ``most``."""
        return _noted(self._answer_request(self._packed[:most]))

    def theme_calls(self) -> list[CountedCall]:
        """Return the calls that answer from reports: each is read, then the answer is made of their points."""
        noting, settings = _NotingModel(), self._query.llm_answer
        texts = self._sentences[:_REPORT_SENTENCES]
        told = tuple(_material(number, "", text) for number, text in enumerate(texts, start=1))
        reports = [ReportText(id=str(number), title=texts[0], sentences=told) for number in range(settings.reports)]
        try:
            ReportReader(TaskModel(noting), settings, AskOptions()).read(self._question, reports)
        except ChatFailed:  # as is every call that is only noted
            points = [
                _material(n, "", text) for n, text in enumerate(islice(self._sentences, settings.points), start=1)
            ]
            return [*noting.calls, *_noted(self._answer_request(points))]
        raise AssertionError("a model that replies to nothing cannot have told anything")

    def _answer_request(self, materials: Sequence[Material]) -> ChatRequest:
        reply_tokens = self._query.llm_answer.reply_tokens
        return sentences_request(self._question, materials, AskOptions(), reply_tokens=reply_tokens)

    def judge_calls(self) -> list[CountedCall]:
        """Return the calls that judge an answer to a question that has a reference."""
        noting = _NotingModel()
        said = self._sentences[:_ANSWER_SENTENCES]
        gold = frozenset({_DOCUMENT})
        question = LabelledQuestion(
            id="q", text=self._question, type="", gold=(gold,), references=(self._sentences[0],)
        )
        weighed = self._passages[: self._query.answer.passages]
        evidence = tuple(_evidence(number, passage) for number, passage in enumerate(weighed))
        reply = Reply(text="\n".join(said), abstained=False, support=1.0, weighed=gold, evidence=evidence)
        judge_replies(TaskModel(noting), [question], [reply], Access())
        return noting.calls


def _noted(request: ChatRequest) -> list[CountedCall]:
    noting = _NotingModel()
    TaskModel(noting).ask_all_for([request], AnswerReply)
    return noting.calls


def _material(number: int, heading: str, text: str) -> Material:
    quote = Quote(chunk_id=_DOCUMENT, char_start=0, char_end=len(text), text=text)
    return Material(number=number, heading=heading, text=text, quotes=(quote,), documents=(_DOCUMENT,))


def _evidence(number: int, passage: SamplePassage) -> Evidence:
    return Evidence(
        chunk_id=str(number), document_id=_DOCUMENT, title=passage.title, cosine=1.0, weak=False, text=passage.text
    )

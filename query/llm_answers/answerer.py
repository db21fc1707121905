"""Answers by a language model, of which only what the passages support is told.

First everything is read from the store, then the model is asked, then its sentences are checked and their quotations
looked up anew: the store is never held open while the model thinks. Where the evidence is weak the model is not asked;
where it fails, the answer in source sentences stands.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias, TypeVar

from model_clients.chat.errors import ChatFailed, counted_in_failure
from model_clients.chat.messages import TokenUsage
from model_clients.chat.structured_reply import read_reply
from model_clients.chat.task_model import TaskModel, TextStream
from query.citations import DraftBlock, Quote, marked_sentence
from query.engine import QueryEngine
from query.llm_answers.checked import ClaimCheck
from query.llm_answers.failures import told_break, told_failure
from query.llm_answers.gathered import Gathered
from query.llm_answers.lazy_reports import LazyReports
from query.llm_answers.material import Material
from query.llm_answers.prompt import INSTRUCTIONS, lines_request, sentences_request
from query.llm_answers.replies import AnswerReply, begins_json, line_claim, lines_of
from query.llm_answers.report_answers import NothingFound, ReportReader
from query.llm_answers.settings import LlmAnswerSettings
from query.llm_answers.support import LONGEST_SENTENCE, Asked, Claim
from query.outcome import NOT_FOUND, Answer, LlmUse
from query.request import AskOptions

T = TypeVar("T")

_BROKEN_OFF = "the reply broke off"


class Engines(Protocol):
    """Runs something on the engine, which may be opened anew for it."""

    def asked(self, ask: Callable[[QueryEngine], T]) -> tuple[T, float]:
        """Return what ``ask`` has from the engine, and the milliseconds that loading took."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """The next sentence of an answer, checked and with its marks."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEnd:
    """The whole answer. ``corrected`` where it is not just the parts joined: it counts, they do not."""

    answer: Answer
    corrected: bool


AnswerEvent: TypeAlias = AnswerPart | AnswerEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What a model's reply came to: its checked claims, what it cost, and what went wrong on the way."""

    check: ClaimCheck
    usage: TokenUsage
    trouble: tuple[str, ...] = ()


@dataclass(slots=True)
class _Telling:
    """A streamed answer on its way: its claims, the numbers of its citations, what the call cost as far as is known."""

    check: ClaimCheck
    numbers: dict[Quote, int] = field(default_factory=dict)
    usage: TokenUsage = field(default_factory=TokenUsage)
    trouble: tuple[str, ...] = ()

    def take(self, claim: Claim | None) -> str:
        """Return a claim of the reply as a sentence with marks; "" where it is none, or is not believed."""
        sentence = self.check.take(claim) if claim is not None else None
        return marked_sentence(sentence.text, sentence.quotes, self.numbers) if sentence is not None else ""


class LlmAnswerer:
    """Answers with a language model. Safe to use from several threads."""

    def __init__(
        self, engines: Engines, model: TaskModel, settings: LlmAnswerSettings, *, reports: TaskModel | None = None
    ) -> None:
        """With a model for ``reports``, those of communities that a question touches are told by it first."""
        self._engines = engines
        self._model = model
        self._settings = settings
        self._reports = reports

    def answer(self, question: str, options: AskOptions) -> Answer:
        """Answer from the passages found. Raises as ``QueryEngine.ask`` does, and ``EndpointUnusable``."""
        gathered, loading = self._gather(question, options)
        if gathered.answer.abstained:
            return with_loading(gathered.answer, loading)
        started = time.perf_counter()
        try:
            told = self._ask(question, gathered, options)
        except ChatFailed as error:
            return with_loading(self._fallen_back(gathered.answer, error), loading)
        return self._finished(gathered.answer, told, options, (loading, _since(started)))

    def stream(self, question: str, options: AskOptions) -> Iterator[AnswerEvent]:
        """Answer sentence by sentence, each told once it is checked; the whole answer comes last.

        Errors as of ``answer``. Digests of reports come at once: they are made of all points together.
        """
        gathered, loading = self._gather(question, options)
        if gathered.answer.abstained or gathered.reports:
            answer = gathered.answer if gathered.answer.abstained else self._digest(question, gathered, options)
            yield from whole(with_loading(answer, loading))
            return
        started = time.perf_counter()
        telling = _Telling(check=self._check(question, gathered.materials))
        parts: list[str] = []
        try:
            for text in self._stream_sentences(question, telling, options):
                parts.append(text)
                yield AnswerPart(text=text)
        except ChatFailed as error:
            if not parts:
                yield from whole(with_loading(self._fallen_back(gathered.answer, error), loading))
                return
            telling.usage = error.usage
            telling.trouble = (f"{_BROKEN_OFF}: {told_failure(error)}",)
        told = _Told(check=telling.check, usage=telling.usage, trouble=telling.trouble)
        answer = self._finished(gathered.answer, told, options, (loading, _since(started)))
        if not parts and answer.llm is not None and answer.llm.fell_back:
            yield AnswerPart(text=answer.answer)
            parts.append(answer.answer)
        yield AnswerEnd(answer=answer, corrected=answer.answer != " ".join(parts))

    def _gather(self, question: str, options: AskOptions) -> tuple[Gathered, float]:
        budget, lazy = self._settings.budget, self._reports is not None
        return self._engines.asked(lambda engine: engine.gather(question, options, budget=budget, with_evidence=lazy))

    def _check(self, question: str, materials: Sequence[Material]) -> ClaimCheck:
        asked = Asked(question=question, instructions=INSTRUCTIONS)
        return ClaimCheck(materials=materials, asked=asked, settings=self._settings)

    def _ask(self, question: str, gathered: Gathered, options: AskOptions) -> _Told:
        if gathered.reports:
            return self._ask_of_reports(question, gathered, options)
        tokens = self._settings.reply_tokens
        request = sentences_request(question, gathered.materials, options, reply_tokens=tokens)
        reply = self._model.ask_for(request, AnswerReply)
        check = self._check(question, gathered.materials)
        check.take_all(sentence.claim() for sentence in reply.value.sentences)
        trouble = told_break(reply.value.sentences, reply.usage) if reply.cut_off else ()
        return _Told(check=check, usage=reply.usage, trouble=trouble)

    def _ask_of_reports(self, question: str, gathered: Gathered, options: AskOptions) -> _Told:
        reader = ReportReader(self._model, self._settings, options)
        reports, usage, trouble = gathered.reports, TokenUsage(), tuple[str, ...]()
        if self._reports is not None:
            told = LazyReports(self._reports, options.access.tenant).tell(reports, most=self._settings.reports)
            reports, usage, trouble = told.reports, told.usage, told.trouble
        try:
            with counted_in_failure(usage):
                read = reader.read(question, reports)
        except NothingFound as nothing:
            check = self._check(question, ())
            return _Told(check=check, usage=usage + nothing.usage, trouble=(*trouble, *nothing.trouble))
        check = self._check(question, read.points)
        check.take_all(read.claims)
        return _Told(check=check, usage=usage + read.usage, trouble=(*trouble, *read.trouble))

    def _digest(self, question: str, gathered: Gathered, options: AskOptions) -> Answer:
        started = time.perf_counter()
        try:
            told = self._ask_of_reports(question, gathered, options)
        except ChatFailed as error:
            return self._fallen_back(gathered.answer, error)
        return self._finished(gathered.answer, told, options, (0.0, _since(started)))

    def _stream_sentences(self, question: str, telling: "_Telling", options: AskOptions) -> Iterator[str]:
        tokens = self._settings.reply_tokens
        materials = telling.check.materials
        with closing(self._model.stream(lines_request(question, materials, options, reply_tokens=tokens))) as text:

            def is_whole() -> bool:
                return text.reply is None or text.reply.finish == "stop"

            for line in lines_of(text, longest=2 * LONGEST_SENTENCE, is_whole=is_whole):
                if begins_json(line):
                    break
                sentence = telling.take(line_claim(line))
                if sentence:
                    yield sentence
                if telling.check.is_full:
                    break
            if not telling.check.is_full:
                yield from _in_json(text, telling)
            telling.usage = text.usage
            if text.reply is not None and text.reply.finish == "length":
                telling.trouble = told_break(telling.check.taken, text.usage)

    def _fallen_back(self, answer: Answer, error: ChatFailed) -> Answer:
        return replace(answer, llm=LlmUse(model=self._model.model_id, fell_back=told_failure(error), usage=error.usage))

    def _finished(self, answer: Answer, told: _Told, options: AskOptions, spent: tuple[float, float]) -> Answer:
        """Write what was believed; where nothing was, or nothing of it stands in the store now, nothing was found."""
        loading, thinking = spent
        blocks = (DraftBlock(sentences=tuple(told.check.believed)),)
        cited, reloading = self._engines.asked(lambda engine: engine.cited(blocks, options.access))
        found = bool(cited.citations)
        if not found and told.check.unbelieved and self._settings.nothing_believed == "sources":
            use = self._use(told, fell_back=_reasons(told.check))
            return with_loading(replace(answer, llm=use), loading + reloading)
        use = self._use(told, unsupported=told.check.flagged if found else ())
        written = replace(
            answer,
            answer=cited.text if found else NOT_FOUND,
            abstained=not found,
            made_by=f"llm:{self._model.model_id}",
            citations=cited.citations,
            evidence=answer.evidence if found else tuple(replace(item, weak=True) for item in answer.evidence),
            timings_ms=_with_thinking(answer.timings_ms, thinking),
            tokens={"context": _context_tokens(told), "answer": len(cited.text) // 4},
            short_answer=None,
            llm=use,
        )
        return with_loading(written, loading + reloading)

    def _use(self, told: _Told, *, unsupported: tuple[str, ...] = (), fell_back: str = "") -> LlmUse:
        return LlmUse(
            model=self._model.model_id,
            fell_back=fell_back,
            dropped=_dropped(told.check),
            unsupported=unsupported,
            trouble=told.trouble,
            usage=told.usage,
        )


def _in_json(text: TextStream, telling: _Telling) -> Iterator[str]:
    """Yield the sentences of a reply that is in JSON although lines were asked for, once it has ended."""
    for _ in text:
        pass
    if text.reply is not None and begins_json(text.reply.text):
        for sentence in read_reply(text.reply, AnswerReply).value.sentences:
            told = telling.take(sentence.claim())
            if told:
                yield told


def _dropped(check: ClaimCheck) -> dict[str, int]:
    """Return how many sentences were not believed, by reason."""
    return dict(sorted(Counter(item.reason for item in check.unbelieved).items()))


def _reasons(check: ClaimCheck) -> str:
    dropped = _dropped(check)
    return f"none of its sentences ({sum(dropped.values())}) is supported by what it cites ({', '.join(dropped)})"


def whole(answer: Answer) -> Iterator[AnswerEvent]:
    """Yield an answer that came at once."""
    yield AnswerPart(text=answer.answer)
    yield AnswerEnd(answer=answer, corrected=False)


def with_loading(answer: Answer, loading: float) -> Answer:
    """Return the answer with the time that loading took first among its times, and in the total."""
    if not loading:
        return answer
    times = answer.timings_ms
    told = {"load": round(loading, 3), **times, "total": round(times.get("total", 0.0) + loading, 3)}
    return replace(answer, timings_ms=told)


def _with_thinking(times: Mapping[str, float], thinking: float) -> dict[str, float]:
    known = dict(times)
    total = known.pop("total", 0.0)
    return {**known, "llm": round(thinking, 3), "total": round(total + thinking, 3)}


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _context_tokens(told: _Told) -> int:
    return sum(len(item.text) for item in told.check.materials) // 4

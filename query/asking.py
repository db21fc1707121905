"""A question from its words to its answer, with what language models may do on the way.

Understood from the conversation before it, searched for in further wordings, answered by a model from the passages:
each step is made only where it is wanted and has a model, and each that fails leaves what there is without it.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from graph_store.valid_text import check_question
from model_clients.chat.messages import TokenUsage
from model_clients.chat.task_model import TaskModel
from query.conversation.follow_ups import Understood, understand
from query.conversation.turns import Turn
from query.llm_answers.answerer import AnswerEnd, AnswerEvent, Engines, LlmAnswerer, whole, with_loading
from query.llm_answers.gathered import Gathered
from query.outcome import Answer, LlmUse
from query.request import AskOptions, Transformation
from query.settings import QuerySettings
from query.transformations.transform import Transformed, Transformer, switched_on


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingModels:
    """The language models that asking may use; None where a task is off.

    ``reports`` is there where reports are told when a question first touches them.
    """

    answers: TaskModel | None = None
    rewriting: TaskModel | None = None
    reports: TaskModel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a question is asked: after which turns, and with which transformations (None: as the settings say)."""

    turns: tuple[Turn, ...] = ()
    transformations: tuple[Transformation, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A question as it is asked in the end, and the time that preparing it took."""

    question: str
    options: AskOptions
    understood: Understood
    transformed: Transformed
    milliseconds: float


class Asker:
    """Asks an engine with the help of language models, where there are any."""

    def __init__(self, engines: Engines, settings: QuerySettings, models: AskingModels) -> None:
        self._engines = engines
        self._settings = settings
        self._models = models
        self._answerer = (
            LlmAnswerer(engines, models.answers, settings.llm_answer, reports=models.reports)
            if models.answers is not None
            else None
        )
        self._transformer = (
            Transformer(models.rewriting, settings.transformation) if models.rewriting is not None else None
        )

    def ask(self, question: str, options: AskOptions, manner: Manner) -> Answer:
        """Answer a question. Raises as ``QueryEngine.ask`` does, and ``EndpointUnusable``."""
        prepared = self._prepare(question, options, manner)
        if self._answerer is not None:
            answer = self._answerer.answer(prepared.question, prepared.options)
        else:
            answer = self._from_sources(prepared)
        return self._told(question, answer, prepared)

    def stream(self, question: str, options: AskOptions, manner: Manner) -> Iterator[AnswerEvent]:
        """Answer part by part, the whole answer last. Raises as ``ask`` does."""
        prepared = self._prepare(question, options, manner)
        if self._answerer is not None:
            events = self._answerer.stream(prepared.question, prepared.options)
        else:
            events = whole(self._from_sources(prepared))
        for event in events:
            if isinstance(event, AnswerEnd):
                yield replace(event, answer=self._told(question, event.answer, prepared))
            else:
                yield event

    def further(self, question: str, options: AskOptions, wanted: tuple[Transformation, ...]) -> Transformed:
        """Return the further searches that the wanted transformations make of a question; none without a model."""
        check_question(question)
        if self._transformer is None or not wanted:
            return Transformed()
        made = self._transformer.transform(question, wanted, options)
        if "iterative" not in wanted:
            return made
        for _ in range(self._transformer.rounds):
            gathered = self._gathered(question, replace(options, further=(*options.further, *made.searches)))
            if gathered.answer.route != "local":
                break
            more = self._transformer.missing(question, gathered.materials, options)
            before, made = len(made.searches), made.with_more(more)
            if len(made.searches) == before:
                break
        return made

    def _gathered(self, question: str, options: AskOptions) -> Gathered:
        budget = self._settings.llm_answer.budget
        return self._engines.asked(lambda engine: engine.gather(question, options, budget=budget))[0]

    def _prepare(self, question: str, options: AskOptions, manner: Manner) -> _Prepared:
        check_question(question)
        started = time.perf_counter()
        told_turns = self._settings.conversation.told_turns
        understood = understand(question, manner.turns, self._models.rewriting, options.access, told_turns=told_turns)
        wanted = manner.transformations
        if wanted is None:
            wanted = switched_on(self._settings.transformation)
        asked_from = (*options.asked_from, *(understood.documents if understood.question != question else ()))
        options = replace(options, asked_from=asked_from)
        transformed = self.further(understood.question, options, wanted)
        return _Prepared(
            question=understood.question,
            options=replace(options, further=(*options.further, *transformed.searches)),
            understood=understood,
            transformed=transformed,
            milliseconds=(time.perf_counter() - started) * 1000,
        )

    def _from_sources(self, prepared: _Prepared) -> Answer:
        answer, loading = self._engines.asked(lambda engine: engine.ask(prepared.question, prepared.options))
        return with_loading(answer, loading)

    def _told(self, question: str, answer: Answer, prepared: _Prepared) -> Answer:
        """Return the answer to the question as it was asked, with what was done to it."""
        understood, transformed = prepared.understood, prepared.transformed
        asked_as = prepared.question if prepared.question != question else ""
        trouble = (*understood.trouble, *transformed.trouble)
        usage = understood.usage + transformed.usage
        use = answer.llm
        if use is not None or trouble or transformed.searches or usage != TokenUsage():
            use = use if use is not None else LlmUse()
            use = replace(use, searches=transformed.shown, trouble=(*trouble, *use.trouble), usage=usage + use.usage)
        if trouble or usage != TokenUsage():
            answer = _with_rewriting(answer, prepared.milliseconds)
        return replace(answer, question=question, asked_as=asked_as, asked_from=prepared.options.asked_from, llm=use)


def _with_rewriting(answer: Answer, milliseconds: float) -> Answer:
    """Return the answer with the time in which models put the question in other words, and with it in the total."""
    times = answer.timings_ms
    total = times.get("total", 0.0) + milliseconds
    return replace(answer, timings_ms={"rewriting": round(milliseconds, 3), **times, "total": round(total, 3)})

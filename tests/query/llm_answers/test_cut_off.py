"""Answers of replies that were cut off at their limit."""

import json
from collections.abc import AsyncIterator, Callable

import pytest

from model_clients.chat.messages import ChatReply, ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from query.engine import QueryEngine
from query.llm_answers.answerer import AnswerEnd, LlmAnswerer
from query.llm_answers.failures import BROKE_OFF
from query.llm_answers.settings import LlmAnswerSettings
from query.outcome import Answer
from query.request import AskOptions
from tests.query.llm_world import OneEngine, number_with, passages_of, sentences

QUESTION = "Who built Skerry Rock Lighthouse?"
BUILT = "Skerry Rock Lighthouse was built by Ida Holm."
CUT = "the reply cannot be used: it broke off before it was whole; it may need more tokens"


class _CutStreams(ScriptedChatModel):
    """Streams of which each ends at its limit."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        text = self.script(request)
        yield text
        yield ChatReply(text=text, model=self.model_id, finish="length")


def answered(engine: QueryEngine, script: Callable[[ChatRequest], str], question: str = QUESTION) -> Answer:
    model = TaskModel(ScriptedChatModel(script))
    return LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings()).answer(question, AskOptions())


def streamed(engine: QueryEngine, script: Callable[[ChatRequest], str]) -> Answer:
    asked = LlmAnswerer(OneEngine(engine), TaskModel(_CutStreams(script)), LlmAnswerSettings())
    *_, end = asked.stream(QUESTION, AskOptions())
    assert isinstance(end, AnswerEnd)
    return end.answer


def test_an_answer_cut_off_in_its_first_sentence_leaves_the_sources(engine: QueryEngine) -> None:
    plain = engine.ask(QUESTION)
    for answer in (
        answered(engine, lambda _: '{"sentences": [{"text": "Skerry Rock Ligh'),
        streamed(engine, lambda _: "Skerry Rock Ligh"),
    ):
        assert (answer.answer, answer.made_by) == (plain.answer, "extractive")
        assert answer.llm is not None
        assert answer.llm.fell_back == CUT


def test_an_answer_cut_off_later_says_so(engine: QueryEngine) -> None:
    def in_json(request: ChatRequest) -> str:
        return sentences((BUILT, [number_with(request, "1874")]), ("She died", [1]))[:-20]

    def in_lines(request: ChatRequest) -> str:
        return f"{BUILT} [{number_with(request, '1874')}]\nShe di"

    for answer in (answered(engine, in_json), streamed(engine, in_lines), streamed(engine, in_json)):
        assert (answer.answer, answer.made_by) == (f"{BUILT} [1]", "llm:scripted")
        assert answer.llm is not None
        assert answer.llm.trouble == (BROKE_OFF,)


@pytest.mark.parametrize(
    ("point", "last", "fell_back", "trouble"),
    [
        ('{"relevance": 80, "sentences": [', '{"sentences": [', CUT, ()),
        ("whole", '{"sentences": [', CUT, ()),
        ("whole", "cut", "", (BROKE_OFF,)),
        ("cut", "whole", "", (f"a report was read in part: {BROKE_OFF}",)),
    ],
)
def test_cut_off_replies_about_reports_are_told_of(
    engine: QueryEngine, point: str, last: str, fell_back: str, trouble: tuple[str, ...]
) -> None:
    def script(request: ChatRequest) -> str:
        if request.prompt.startswith("report-points"):
            points = [{"text": text, "passages": [number]} for number, text in passages_of(request).items()]
            told, cut = json.dumps({"relevance": 80, "sentences": [*points, points[0]]}), point
        else:
            number = number_with(request, "Ida Holm")
            told, cut = sentences((BUILT, [number]), (BUILT, [number])), last
        return {"whole": told, "cut": told[:-10]}.get(cut, cut)

    answer = answered(engine, script, "What are the main themes?")
    assert answer.llm is not None
    assert answer.llm.fell_back == fell_back
    assert sorted(set(answer.llm.trouble)) == list(trouble)
    assert answer.made_by == ("extractive" if fell_back else "llm:scripted")

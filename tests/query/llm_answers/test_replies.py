"""Replies as models write them, and questions as people ask them."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_clients.chat.messages import ChatRequest
from query.engine import QueryEngine
from query.llm_answers.answerer import AnswerEnd, AnswerPart, LlmAnswerer
from query.llm_answers.replies import line_claim, lines_of
from query.llm_answers.settings import LlmAnswerSettings
from query.request import AskOptions
from tests.query.llm_world import OneEngine, number_with, sentences, task_model

QUESTION = "Who built Skerry Rock Lighthouse?"
BUILT = "Skerry Rock Lighthouse was built by Ida Holm."
ANSWER = f"{BUILT} [1]"


def answered(engine: QueryEngine, script: Callable[[ChatRequest], str], question: str = QUESTION) -> tuple[str, str]:
    model, _ = task_model(script)
    answer = LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings()).answer(question, AskOptions(route="local"))
    return answer.answer, answer.made_by


def wrapped(before: str, after: str) -> Callable[[ChatRequest], str]:
    return lambda request: before + sentences((BUILT, [number_with(request, "1874")])) + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("```json\n", "\n```"),
        ("Sure! Here is the answer:\n", ""),
        ("<think>It says {1874}.</think>\n", ""),
        ("", "\nI hope this helps!"),
        ("\ufeff", "\n\n"),
    ],
)
def test_an_answer_is_read_however_it_is_wrapped(engine: QueryEngine, before: str, after: str) -> None:
    assert answered(engine, wrapped(before, after)) == (ANSWER, "llm:scripted")


@pytest.mark.parametrize(
    "text",
    [
        f"{BUILT} [3]",
        f"{BUILT}[1, 2]",
        f" {BUILT} \n",
        BUILT.replace(" ", "\n"),
        f"{BUILT}\uff3b3\uff3d",
        f"# **{BUILT}**",
        BUILT.replace("Ida Holm", "`Ida Holm`"),
    ],
)
def test_marks_and_line_ends_of_the_model_do_not_stay(engine: QueryEngine, text: str) -> None:
    def script(request: ChatRequest) -> str:
        return sentences({"text": text, "passages": [str(number_with(request, "1874"))], "quotes": [], "more": 1})

    assert answered(engine, script) == (ANSWER, "llm:scripted")


def test_a_reply_that_breaks_off_keeps_what_is_whole(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        whole = sentences((BUILT, [number_with(request, "1874")]), ("She died of pneu", [1]))
        return whole[: whole.index("pneu")]

    assert answered(engine, script) == (ANSWER, "llm:scripted")


@pytest.mark.parametrize("reply", ["", "   ", "null", "I cannot help with that.", '{"sentences": null}', "{" * 500])
def test_useless_replies_leave_the_source_sentences(engine: QueryEngine, reply: str) -> None:
    assert answered(engine, lambda _: reply) == (engine.ask(QUESTION, AskOptions(route="local")).answer, "extractive")


@pytest.mark.parametrize("question", ["?!", "   ...", "\u3002"])
def test_a_question_without_words_is_not_put_to_a_model(engine: QueryEngine, question: str) -> None:
    def script(_: ChatRequest) -> str:
        raise AssertionError("the model was asked")

    assert answered(engine, script, question)[1] == "extractive"


def test_a_long_question_is_cut_in_the_prompt(engine: QueryEngine) -> None:
    seen: list[str] = []

    def script(request: ChatRequest) -> str:
        seen.append(request.messages[-1].content.partition("Question: ")[2])
        return sentences((BUILT, [number_with(request, "1874")]))

    answered(engine, script, f"{QUESTION} " * 1000)
    assert all(len(question) <= 4000 for question in seen)


def test_braces_and_dollar_signs_are_plain_text(engine: QueryEngine) -> None:
    question = "Who built Skerry Rock Lighthouse {name} $HOME %s \\n?"
    seen: list[str] = []

    def script(request: ChatRequest) -> str:
        seen.append(request.messages[-1].content)
        return sentences((BUILT, [number_with(request, "1874")]))

    answered(engine, script, question)
    assert all(question in content for content in seen)


def test_a_stream_that_is_cut_tells_no_half_sentence(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        number = number_with(request, "1874")
        return f"- {BUILT} [{number}]\n2. {BUILT} [{number}]\nNO ANSWER"

    model, _ = task_model(script)
    *parts, end = LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings()).stream(QUESTION, AskOptions(route="local"))
    assert isinstance(end, AnswerEnd)
    assert end.answer.answer == ANSWER
    assert len(parts) == 1


@given(st.lists(st.text(alphabet="ab\n", max_size=5)), st.booleans())
def test_lines_are_those_of_the_whole_text(pieces: list[str], is_whole: bool) -> None:
    text = "".join(pieces)
    *ended, rest = text.split("\n")
    wanted = [*ended, rest] if rest and is_whole else ended
    assert list(lines_of(iter(pieces), longest=100, is_whole=lambda: is_whole)) == wanted


@given(st.text(max_size=60))
def test_any_line_can_be_read(line: str) -> None:
    claim = line_claim(line)
    assert claim is None or (claim.text == claim.text.strip() and all(number >= 0 for number in claim.numbers))


@pytest.mark.parametrize("before", ["", "```json\n", "\n ", "Here it is:\n"])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_stream_in_json_is_told_as_sentences(engine: QueryEngine, before: str, indent: int | None) -> None:
    def script(request: ChatRequest) -> str:
        return before + json.dumps(json.loads(sentences((BUILT, [number_with(request, "1874")]))), indent=indent)

    model, _ = task_model(script)
    part, end = LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings()).stream(QUESTION, AskOptions(route="local"))
    assert isinstance(end, AnswerEnd)
    assert (part, end.answer.answer) == (AnswerPart(text=ANSWER), ANSWER)


@pytest.mark.parametrize("reply", [f'{{"x": "{BUILT} [1]"}}', f'[\n"{BUILT} [1]",\n"{BUILT} [2]"\n]'])
def test_a_stream_in_other_json_leaves_the_sources(engine: QueryEngine, reply: str) -> None:
    model, _ = task_model(lambda _: reply)
    asked = LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings())
    *_, end = asked.stream(QUESTION, AskOptions(route="local"))
    assert isinstance(end, AnswerEnd)
    assert end.answer.made_by == "extractive"
    assert end.answer.llm is not None
    assert end.answer.llm.fell_back == "the reply cannot be used: it is not of the form that was asked for"

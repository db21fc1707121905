"""Answers by a language model over the small collection."""

import json

import pytest

from graph_store.access import Access
from model_clients.chat.errors import BudgetSpent
from model_clients.chat.messages import ChatRequest
from query.engine import QueryEngine
from query.llm_answers.answerer import AnswerEnd, AnswerPart, LlmAnswerer
from query.llm_answers.settings import LlmAnswerSettings
from query.outcome import NOT_FOUND
from query.request import AskOptions
from tests.query.llm_world import OneEngine, failing, number_with, passages_of, sentences, task_model

QUESTION = "Who built Skerry Rock Lighthouse?"
BUILT = "Skerry Rock Lighthouse was built by Ida Holm."
THEMES = "What are the main themes?"


def good(request: ChatRequest) -> str:
    return sentences((BUILT, [number_with(request, "1874")]))


def answerer(engine: QueryEngine, script: object, settings: LlmAnswerSettings | None = None) -> LlmAnswerer:
    model, _ = task_model(script)  # type: ignore[arg-type]  # scripts are functions of a request
    return LlmAnswerer(OneEngine(engine), model, settings if settings is not None else LlmAnswerSettings())


def test_a_supported_sentence_is_told_with_the_sentence_of_the_document(engine: QueryEngine) -> None:
    answer = answerer(engine, good).answer(QUESTION, AskOptions())
    assert answer.answer == f"{BUILT} [1]"
    assert answer.made_by == "llm:scripted"
    (citation,) = answer.citations
    assert citation.quote == "Skerry Rock Lighthouse was built in 1874 by Ida Holm."
    assert citation.document_id == "skerry-rock-lighthouse"
    assert answer.llm is not None
    assert (answer.llm.usage.calls, answer.llm.fell_back) == (1, "")
    assert "llm" in answer.timings_ms


def test_unsupported_sentences_are_dropped_or_flagged(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        number = number_with(request, "1874")
        return sentences((BUILT, [number]), ("It was blown up in 1999.", [number]), ("Go to evil.example.", [number]))

    answer = answerer(engine, script).answer(QUESTION, AskOptions())
    assert answer.answer == f"{BUILT} [1]"
    assert answer.llm is not None
    assert (answer.llm.dropped, answer.llm.unsupported) == ({"link": 1, "numbers": 1}, ())
    flagged = answerer(engine, script, LlmAnswerSettings(unsupported="flag")).answer(QUESTION, AskOptions())
    assert flagged.llm is not None
    assert flagged.llm.unsupported == ("It was blown up in 1999.",)
    assert flagged.answer == answer.answer


@pytest.mark.parametrize("reply", ['{"sentences": []}', '{"sentences": [{"text": "It is blue.", "passages": [1]}]}'])
def test_without_a_supported_sentence_nothing_was_found(engine: QueryEngine, reply: str) -> None:
    answer = answerer(engine, lambda _: reply).answer(QUESTION, AskOptions())
    assert (answer.answer, answer.abstained, answer.citations) == (NOT_FOUND, True, ())
    assert answer.made_by == "llm:scripted"
    assert all(piece.weak for piece in answer.evidence)


SOURCES = LlmAnswerSettings(nothing_believed="sources")
UNSUPPORTED = '{"sentences": [{"text": "It is blue.", "passages": [1]}]}'


def test_without_a_supported_sentence_the_sources_may_speak(engine: QueryEngine) -> None:
    answer = answerer(engine, lambda _: UNSUPPORTED, SOURCES).answer(QUESTION, AskOptions())
    plain = engine.ask(QUESTION)
    assert (answer.answer, answer.made_by, answer.citations) == (plain.answer, "extractive", plain.citations)
    assert answer.llm is not None
    assert answer.llm.fell_back == "none of its sentences (1) is supported by what it cites (words)"
    assert (answer.llm.dropped, answer.llm.usage.calls) == ({"words": 1}, 1)


def test_where_the_model_says_nothing_the_sources_do_not_speak(engine: QueryEngine) -> None:
    answer = answerer(engine, lambda _: '{"sentences": []}', SOURCES).answer(QUESTION, AskOptions())
    assert (answer.answer, answer.abstained) == (NOT_FOUND, True)


def test_sources_speak_at_the_end_of_a_stream_of_which_nothing_holds(engine: QueryEngine) -> None:
    events = list(answerer(engine, lambda _: "[1] It is blue.", SOURCES).stream(QUESTION, AskOptions()))
    plain = engine.ask(QUESTION)
    assert [event.text for event in events if isinstance(event, AnswerPart)] == [plain.answer]
    end = events[-1]
    assert isinstance(end, AnswerEnd)
    assert (end.answer.answer, end.corrected) == (plain.answer, False)


def test_where_the_evidence_is_weak_the_model_is_not_asked(engine: QueryEngine) -> None:
    model, scripted = task_model(good)
    answer = LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings()).answer(
        "Which quark did the submarine of Captain Zorblat discover?", AskOptions()
    )
    assert answer.abstained
    assert answer.made_by == "extractive"
    assert scripted.requests == []


def test_a_failed_call_leaves_the_source_sentences(engine: QueryEngine) -> None:
    answer = answerer(engine, failing).answer(QUESTION, AskOptions())
    plain = engine.ask(QUESTION)
    assert (answer.answer, answer.made_by, answer.citations) == (plain.answer, "extractive", plain.citations)
    assert answer.short_answer == plain.short_answer
    assert answer.llm is not None
    assert "the endpoint is gone" in answer.llm.fell_back


def test_a_reply_of_another_form_leaves_the_source_sentences(engine: QueryEngine) -> None:
    answer = answerer(engine, lambda _: "As an AI I cannot").answer(QUESTION, AskOptions())
    assert answer.made_by == "extractive"
    assert answer.llm is not None
    assert answer.llm.fell_back


def test_the_prompt_holds_only_what_the_caller_may_read(engine: QueryEngine) -> None:
    question = "What hides beside the tower reef of Skerry Rock Lighthouse, built by Ida Holm?"
    for groups, is_shown in ((frozenset[str](), False), (frozenset({"staff"}), True)):
        model, scripted = task_model(good)
        access = Access(groups=groups)
        LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings()).answer(
            question, AskOptions(access=access, route="local")
        )
        (request,) = scripted.requests
        assert ("platinum" in request.messages[-1].content) == is_shown
        assert ("reef-survey" in request.scope.documents) == is_shown
        assert (request.scope.tenant, request.scope.groups) == ("default", tuple(sorted(groups)))


def test_the_prompt_is_the_same_for_the_same_question(engine: QueryEngine) -> None:
    model, scripted = task_model(good)
    asked = LlmAnswerer(OneEngine(engine), model, LlmAnswerSettings())
    asked.answer(QUESTION, AskOptions())
    asked.answer(QUESTION, AskOptions())
    first, second = scripted.requests
    assert first == second


def test_at_most_so_many_sentences_are_looked_at(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        number = number_with(request, "1874")
        said = [(f"Ida Holm built the {word} in 1874.", [number]) for word in ("lighthouse", "tower", "rock", "lamp")]
        return sentences(*said)

    answer = answerer(engine, script, LlmAnswerSettings(most_sentences=2)).answer(QUESTION, AskOptions())
    assert answer.answer.count("[1]") == 2


def test_a_streamed_answer_comes_sentence_by_sentence(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        number, other = number_with(request, "1874"), number_with(request, "pneumonia")
        lines = [f"{BUILT} [{number}]", "It was blown up in 1999. [1]", f"She died of pneumonia. [{other}]"]
        return "\n".join(lines)

    events = list(answerer(engine, script).stream(QUESTION, AskOptions()))
    assert events[:-1] == [AnswerPart(text=f"{BUILT} [1]"), AnswerPart(text="She died of pneumonia. [2]")]
    end = events[-1]
    assert isinstance(end, AnswerEnd)
    assert not end.corrected
    assert end.answer.answer == f"{BUILT} [1] She died of pneumonia. [2]"
    assert [citation.number for citation in end.answer.citations] == [1, 2]


def test_a_stream_that_says_nothing_useful_abstains(engine: QueryEngine) -> None:
    (end,) = answerer(engine, lambda _: "NO ANSWER").stream(QUESTION, AskOptions())
    assert isinstance(end, AnswerEnd)
    assert end.answer.abstained
    assert end.corrected


def test_a_stream_that_fails_at_once_falls_back(engine: QueryEngine) -> None:
    part, end = answerer(engine, failing).stream(QUESTION, AskOptions())
    assert isinstance(end, AnswerEnd)
    assert part == AnswerPart(text=engine.ask(QUESTION).answer)
    assert end.answer.made_by == "extractive"


def test_themes_are_told_from_reports_and_cite_passages(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        if request.prompt.startswith("report-points"):
            points = [{"text": text, "passages": [number]} for number, text in passages_of(request).items()]
            return json.dumps({"relevance": 80, "sentences": points})
        number = number_with(request, "Ida Holm")
        return sentences(("Skerry Rock Lighthouse was built by Ida Holm.", [number]))

    answer = answerer(engine, script).answer(THEMES, AskOptions())
    assert answer.route == "community"
    assert answer.made_by == "llm:scripted"
    assert [citation.document_id for citation in answer.citations] == ["skerry-rock-lighthouse"]


def test_a_spent_budget_on_all_reports_falls_back(engine: QueryEngine) -> None:
    def script(_: ChatRequest) -> str:
        raise BudgetSpent("the budget is used up")

    answer = answerer(engine, script).answer(THEMES, AskOptions())
    assert answer.made_by == "extractive"
    assert answer.llm is not None
    assert "used up" in answer.llm.fell_back


def test_reading_stops_where_no_report_is_relevant(engine: QueryEngine) -> None:
    model, scripted = task_model(lambda _: '{"relevance": 0, "sentences": []}')
    settings = LlmAnswerSettings(reports_at_once=1)
    answer = LlmAnswerer(OneEngine(engine), model, settings).answer(THEMES, AskOptions())
    assert answer.abstained
    assert len(scripted.requests) == 1

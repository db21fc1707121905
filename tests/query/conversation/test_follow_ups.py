"""Follow-up questions become questions of their own."""

import json

import pytest

from graph_store.access import Access
from model_clients.chat.messages import ChatRequest
from query.asking import Asker, AskingModels, Manner
from query.conversation.follow_ups import points_back, understand, with_names
from query.conversation.settings import ConversationSettings
from query.conversation.turns import Turn, readable_turns, turn_of
from query.engine import QueryEngine
from query.llm_answers.answerer import AnswerEnd
from query.llm_answers.gathered import ReportText
from query.llm_answers.report_answers import NothingFound, ReportReader
from query.llm_answers.settings import LlmAnswerSettings
from query.request import AskOptions
from query.settings import QuerySettings
from tests.query.llm_world import OneEngine, failing, material, number_with, sentences, task_model

BUILT = Turn(
    question="Who built Skerry Rock Lighthouse?",
    asked_as="Who built Skerry Rock Lighthouse?",
    answer="It was built by Ida Holm. [1]",
    documents={"skerry-rock-lighthouse": "1"},
)


def stand_alone(text: str) -> str:
    return json.dumps({"question": text})


@pytest.mark.parametrize(
    "question", ["When did she die?", "And what about its lamp?", "What about Bergvik?", "Und wann ist sie gestorben?"]
)
def test_what_points_back_is_seen(question: str) -> None:
    assert points_back(question)


@pytest.mark.parametrize(
    "question",
    ["When did Ida Holm die?", "What does PMP-2041 mean?", "Which harbour towns on the coast have a market?"],
)
def test_what_stands_alone_is_left(question: str) -> None:
    assert not points_back(question)
    assert with_names(question, [BUILT]) == question


def test_without_a_model_the_names_before_are_added() -> None:
    assert with_names("When did she die?", [BUILT]) == "When did she die? (Skerry Rock Lighthouse, Ida Holm)"


def test_the_first_question_is_asked_as_it_is() -> None:
    model, scripted = task_model(failing)
    assert understand("When did she die?", (), model, Access(), told_turns=4).question == "When did she die?"
    assert scripted.requests == []


def test_a_model_rewrites_a_follow_up() -> None:
    model, scripted = task_model(lambda _: stand_alone("When did Ida Holm die?"))
    found = understand("When did she die?", (BUILT,), model, Access(), told_turns=4)
    assert found.question == "When did Ida Holm die?"
    (request,) = scripted.requests
    assert "Ida Holm" in request.messages[-1].content
    assert request.scope.documents == ("skerry-rock-lighthouse",)


@pytest.mark.parametrize("reply", ["no JSON", stand_alone(""), stand_alone("?!"), stand_alone("word " * 999)])
def test_a_useless_reply_leaves_the_names(reply: str) -> None:
    model, _ = task_model(lambda _: reply)
    found = understand("When did she die?", (BUILT,), model, Access(), told_turns=4)
    assert found.question == with_names("When did she die?", [BUILT])
    assert len(found.trouble) == 1


def test_only_the_last_turns_are_told() -> None:
    turns = [
        Turn(question=f"Question {number}?", asked_as=f"Question {number}?", answer="", documents={})
        for number in range(9)
    ]
    model, scripted = task_model(lambda _: stand_alone("What then?"))
    understand("And then?", turns, model, Access(), told_turns=2)
    content = scripted.requests[0].messages[-1].content
    assert "Question 8?" in content
    assert "Question 6?" not in content


def test_an_answer_of_changed_or_hidden_documents_is_forgotten() -> None:
    later = Turn(question="When did she die?", asked_as="When did Ida Holm die?", answer="", documents={})
    kept = readable_turns((BUILT, later), {"skerry-rock-lighthouse": "1"})
    assert kept == (BUILT, later)
    for contents in ({}, {"skerry-rock-lighthouse": "2"}):
        bare, after = readable_turns((BUILT, later), contents)
        assert (bare.question, bare.answer, bare.documents) == (BUILT.question, "", {})
        assert after.asked_as == "When did she die?"


def test_a_conversation_leads_to_the_answer(engine: QueryEngine) -> None:
    asker = Asker(OneEngine(engine), QuerySettings(), AskingModels())
    first = asker.ask("Who was Ida Holm?", AskOptions(), Manner())
    turn = turn_of(first, {"ida-holm": "1"}, ConversationSettings())
    assert turn.documents == {"ida-holm": "1"}
    answer = asker.ask("When did she die?", AskOptions(), Manner(turns=(turn,)))
    assert answer.question == "When did she die?"
    assert answer.asked_as == "When did she die? (Ida Holm)"
    assert "1911" in answer.answer


def test_every_call_about_a_follow_up_is_forgotten_with_what_it_came_from(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        assert "skerry-rock-lighthouse" in request.scope.documents
        if request.prompt.startswith("follow-up"):
            return stand_alone("When did Ida Holm die of pneumonia?")
        if request.task == "rewriting":
            return json.dumps({"queries": ["death of Ida Holm"]})
        return sentences(("Ida Holm died of pneumonia in 1911.", [number_with(request, "pneumonia")]))

    model, scripted = task_model(script)
    asker = Asker(OneEngine(engine), QuerySettings(), AskingModels(rewriting=model, answers=model))
    manner = Manner(turns=(BUILT,), transformations=("rewrite", "iterative"))
    answer = asker.ask("When did she die?", AskOptions(route="local"), manner)
    *_, end = asker.stream("When did she die?", AskOptions(route="local"), manner)
    assert isinstance(end, AnswerEnd)
    assert {request.prompt.partition("/")[0] for request in scripted.requests} >= {
        "follow-up", "rewrite", "iterative", "answers", "answers-streamed",
    }  # fmt: skip
    assert answer.asked_from == end.answer.asked_from == ("skerry-rock-lighthouse",)


def test_reports_read_for_a_follow_up_are_forgotten_with_what_it_came_from() -> None:
    model, scripted = task_model(lambda _: json.dumps({"relevance": 0, "sentences": []}))
    options = AskOptions(asked_from=("d0",))
    report = ReportText(id="r", title="", sentences=(material(1, "Words.", document="d1"),))
    with pytest.raises(NothingFound):
        ReportReader(model, LlmAnswerSettings(), options).read("What?", [report])
    assert scripted.requests[0].scope.documents == ("d0", "d1")


def test_a_turn_goes_with_what_its_question_came_from(engine: QueryEngine) -> None:
    asker = Asker(OneEngine(engine), QuerySettings(), AskingModels())
    other = Turn(question="What?", asked_as="What?", answer="", documents={"other": "1"})
    answer = asker.ask("When did she die?", AskOptions(), Manner(turns=(other, BUILT, other)))
    contents = {"skerry-rock-lighthouse": "1", "ida-holm": "1"}
    turn = turn_of(answer, contents, ConversationSettings())
    assert turn.documents == contents
    assert readable_turns((turn,), contents) == (turn,)
    (bare,) = readable_turns((turn,), {"ida-holm": "1"})
    assert (bare.asked_as, bare.answer, bare.documents) == ("When did she die?", "", {})


def test_a_question_that_stands_alone_comes_from_nothing(engine: QueryEngine) -> None:
    model, _ = task_model(lambda _: stand_alone("When did Ida Holm die?"))
    asker = Asker(OneEngine(engine), QuerySettings(), AskingModels(rewriting=model))
    assert asker.ask("When did Ida Holm die?", AskOptions(), Manner(turns=(BUILT,))).asked_from == ()


def test_what_a_model_understood_is_told(engine: QueryEngine) -> None:
    def script(request: ChatRequest) -> str:
        assert request.task == "rewriting"
        return stand_alone("When did Ida Holm die of pneumonia?")

    model, _ = task_model(script)
    answer = Asker(OneEngine(engine), QuerySettings(), AskingModels(rewriting=model)).ask(
        "When did she die?", AskOptions(), Manner(turns=(BUILT,))
    )
    assert answer.asked_as == "When did Ida Holm die of pneumonia?"
    assert answer.llm is not None
    assert answer.llm.usage.calls == 1

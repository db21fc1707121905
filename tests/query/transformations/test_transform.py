"""Further searches made of a question."""

import json

import pytest

from model_clients.chat.messages import ChatRequest
from query.asking import Asker, AskingModels, Manner
from query.engine import QueryEngine
from query.outcome import SearchOutcome
from query.request import AskOptions, FurtherSearch
from query.settings import QuerySettings
from query.transformations.settings import TransformationSettings
from query.transformations.transform import TRANSFORMATIONS, Transformer, switched_on
from tests.query.llm_world import OneEngine, failing, number_with, sentences, task_model

# Nothing of the lighthouse's words is in the question, so the question alone does not find its passage first.
VAGUE = "In which year did the light on the rock stop needing fuel?"
ELECTRIC = "In 1931 the lamp of the lighthouse became electric."


def queries(*texts: str) -> str:
    return json.dumps({"queries": list(texts)})


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_each_is_switched_by_itself(name: str) -> None:
    assert switched_on(TransformationSettings(**{name: True})) == (name,)


def test_all_are_asked_for_at_once_and_read_as_searches() -> None:
    def script(request: ChatRequest) -> str:
        kind = request.prompt.partition("/")[0]
        return queries(*(f"{kind} {number}" for number in range(9)))

    model, scripted = task_model(script)
    made = Transformer(model, TransformationSettings(queries=2)).transform("who?", TRANSFORMATIONS, AskOptions())
    assert [(search.transformation, search.text) for search in made.searches] == [
        ("rewrite", "rewrite 0"),
        ("multi_query", "multi_query 0"),
        ("multi_query", "multi_query 1"),
        ("hyde", "hyde 0"),
        ("step_back", "step_back 0"),
        ("decompose", "decompose 0"),
        ("decompose", "decompose 1"),
    ]
    assert all(request.task == "rewriting" for request in scripted.requests)
    assert made.usage.calls == 5


def test_a_made_up_passage_is_never_shown() -> None:
    model, _ = task_model(lambda _: queries("The moon is made of cheese."))
    made = Transformer(model, TransformationSettings()).transform("who?", ("hyde",), AskOptions())
    assert made.searches[0].text
    assert [search.text for search in made.shown] == [""]


@pytest.mark.parametrize("reply", [queries(), queries("", "?!", "WHO?"), "nonsense", '{"queries": "one"}'])
def test_what_is_no_search_is_none(reply: str) -> None:
    model, _ = task_model(lambda _: reply)
    made = Transformer(model, TransformationSettings()).transform("who?", ("rewrite",), AskOptions())
    assert made.searches == ()
    (trouble,) = made.trouble
    assert trouble.startswith("rewrite: ")


def test_nothing_missing_is_no_trouble() -> None:
    model, _ = task_model(lambda _: queries())
    assert Transformer(model, TransformationSettings()).missing("who?", (), AskOptions()).trouble == ()


def test_each_fails_by_itself() -> None:
    def script(request: ChatRequest) -> str:
        return failing(request) if request.prompt.startswith("rewrite") else queries("the lamp")

    model, _ = task_model(script)
    made = Transformer(model, TransformationSettings()).transform("who?", ("rewrite", "step_back"), AskOptions())
    assert [search.transformation for search in made.searches] == ["step_back"]
    assert made.trouble == ("rewrite: the endpoint is gone",)


def test_a_search_brings_forward_what_it_finds(engine: QueryEngine) -> None:
    plain = engine.search(VAGUE, AskOptions(route="local"))
    search = FurtherSearch(transformation="rewrite", text="When did the lamp of the lighthouse become electric?")
    fused = engine.search(VAGUE, AskOptions(route="local", further=(search,)))

    def rank(found: SearchOutcome) -> int:
        return next(result.rank for result in found.results if ELECTRIC in result.text)

    assert rank(fused) <= rank(plain)
    assert rank(fused) <= 2
    assert {result.id for result in fused.results} >= {plain.results[0].id}
    scores = [result.score for result in fused.results]
    assert scores == sorted(scores, reverse=True)


def test_a_made_up_passage_moves_the_vector_alone(engine: QueryEngine) -> None:
    search = FurtherSearch(transformation="hyde", text="grease pump oil inlet valve")
    first = engine.search("Who built Skerry Rock Lighthouse?", AskOptions(route="local", further=(search,))).results[0]
    assert first.document_id == "skerry-rock-lighthouse"


def test_a_ranking_fused_with_itself_is_itself(engine: QueryEngine) -> None:
    found = engine.search(VAGUE, AskOptions(route="local"))
    same = FurtherSearch(transformation="rewrite", text=VAGUE)
    again = engine.search(VAGUE, AskOptions(route="local", further=(same,)))
    assert [result.id for result in again.results] == [result.id for result in found.results]


def test_what_is_missing_is_searched_for_in_rounds(engine: QueryEngine) -> None:
    shown: list[str] = []

    def script(request: ChatRequest) -> str:
        shown.append(request.messages[-1].content)
        return queries("When did Ida Holm die?") if len(shown) == 1 else queries()

    model, _ = task_model(script)
    asker = Asker(OneEngine(engine), QuerySettings(), AskingModels(rewriting=model))
    answer = asker.ask(
        "When did the builder of the rock tower die?", AskOptions(route="local"), Manner(transformations=("iterative",))
    )
    assert len(shown) == 2
    assert answer.llm is not None
    assert [search.text for search in answer.llm.searches] == ["When did Ida Holm die?"]
    assert answer.made_by == "extractive"


def test_rounds_are_bounded(engine: QueryEngine) -> None:
    count = iter(range(1000))
    model, scripted = task_model(lambda _: queries(f"lamp number {next(count)}"))
    settings = QuerySettings(transformation=TransformationSettings(rounds=3))
    asker = Asker(OneEngine(engine), settings, AskingModels(rewriting=model))
    asker.ask("Who built the lighthouse?", AskOptions(route="local"), Manner(transformations=("iterative",)))
    assert len(scripted.requests) == 3


def test_rounds_end_where_nothing_new_is_asked_for(engine: QueryEngine) -> None:
    model, scripted = task_model(lambda _: queries("the lamp of the lighthouse"))
    settings = QuerySettings(transformation=TransformationSettings(rounds=5))
    asker = Asker(OneEngine(engine), settings, AskingModels(rewriting=model))
    asker.ask("Who built the lighthouse?", AskOptions(route="local"), Manner(transformations=("iterative",)))
    assert len(scripted.requests) == 2


def test_without_a_model_asking_is_as_it_was(engine: QueryEngine) -> None:
    asker = Asker(OneEngine(engine), QuerySettings(), AskingModels())
    answer = asker.ask("Who built Skerry Rock Lighthouse?", AskOptions(), Manner())
    plain = engine.ask("Who built Skerry Rock Lighthouse?")
    assert (answer.answer, answer.citations, answer.llm, answer.asked_as) == (plain.answer, plain.citations, None, "")
    assert "rewriting" not in answer.timings_ms


def test_searching_and_answering_work_together(engine: QueryEngine) -> None:
    rewriting, _ = task_model(lambda _: queries("Who built Skerry Rock Lighthouse?"))
    answers, _ = task_model(lambda request: sentences(("Ida Holm built it in 1874.", [number_with(request, "1874")])))
    asker = Asker(OneEngine(engine), QuerySettings(), AskingModels(answers=answers, rewriting=rewriting))
    answer = asker.ask("Who built the Skerry lighthouse?", AskOptions(), Manner(transformations=("rewrite",)))
    assert answer.made_by == "llm:scripted"
    assert answer.llm is not None
    assert answer.llm.usage.calls == 2
    assert [search.transformation for search in answer.llm.searches] == ["rewrite"]
    times = answer.timings_ms
    assert times["rewriting"] > 0
    assert times["total"] >= times["rewriting"] + times["llm"]

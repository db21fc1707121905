"""Replies of an endpoint that are of the right form and of no sense: scores, sub-questions, made-up passages."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from belvedere.json_form import answer_json
from belvedere.language_models import LanguageModels
from model_clients.chat.reply_cache import ReplyCache
from model_clients.chat.settings import LlmSettings, TaskSettings
from query.asking import Asker, AskingModels, Manner
from query.engine import QueryEngine
from query.llm_answers.settings import LlmAnswerSettings
from query.outcome import Answer
from query.request import AskOptions, Transformation
from query.settings import QuerySettings
from query.transformations.settings import TransformationSettings
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, says, scripted_server
from tests.query.llm_world import OneEngine

QUESTION = "Who built Skerry Rock Lighthouse?"
THEMES = "What are the main themes?"
MADE_UP = "The zeppelin of Quorn moored there in 1904 and its captain built the lighthouse."
SETTINGS = QuerySettings(transformation=TransformationSettings(queries=3, rounds=4))


@pytest.fixture
def server() -> Iterator[ScriptedOpenAiServer]:
    with scripted_server([says("{}")]) as running:
        yield running


@pytest.fixture
def asker(server: ScriptedOpenAiServer, engine: QueryEngine, tmp_path: Path) -> Iterator[Asker]:
    tasks = TaskSettings(answers=True, rewriting=True)
    models = LanguageModels(
        LlmSettings(base_url=server.base_url, model="m", tasks=tasks, retries=0), ReplyCache(tmp_path / "r.sqlite")
    )
    settings = replace(SETTINGS, llm_answer=LlmAnswerSettings(reports_at_once=2))
    asking = AskingModels(answers=models.tasks.answers, rewriting=models.tasks.rewriting)
    yield Asker(OneEngine(engine), settings, asking)
    models.close()


def searched(asker: Asker, *transformations: Transformation) -> Answer:
    return asker.ask(QUESTION, AskOptions(route="local"), Manner(transformations=transformations))


def queries(*texts: str) -> str:
    return json.dumps({"queries": list(texts)})


@pytest.mark.parametrize("relevance", ["101", "-1", "1e9", "1e999", "NaN", '"very"', "null", "[100]"])
def test_a_score_outside_its_range_is_none(asker: Asker, server: ScriptedOpenAiServer, relevance: str) -> None:
    point = '{"text": "Skerry Rock Lighthouse was built by Ida Holm.", "passages": [1]}'
    server.script = says(f'{{"relevance": {relevance}, "sentences": [{point}]}}')
    answer = asker.ask(THEMES, AskOptions(route="community"), Manner())
    assert answer.made_by == "extractive"
    assert answer.llm is not None
    assert answer.llm.fell_back


@pytest.mark.parametrize("said", [QUESTION, QUESTION.upper(), "who  built skerry rock lighthouse", f"“{QUESTION}”"])
@pytest.mark.parametrize("transformation", ["decompose", "rewrite", "iterative"])
def test_a_question_made_of_itself_is_not_searched_again(
    asker: Asker, server: ScriptedOpenAiServer, said: str, transformation: Transformation
) -> None:
    server.script = says(queries(said))
    answer = searched(asker, transformation)
    assert answer.llm is not None
    assert answer.llm.searches == ()
    assert sum("You answer a question" not in asked.text for asked in server.asked) == 1


def test_of_fifty_sub_questions_few_are_searched(asker: Asker, server: ScriptedOpenAiServer) -> None:
    server.script = says(queries(*(f"Who built lighthouse number {number}?" for number in range(50))))
    answer = searched(asker, "decompose")
    assert answer.llm is not None
    assert len(answer.llm.searches) == SETTINGS.transformation.queries


@pytest.mark.parametrize("again", ["Who was Ida Holm?", "who was  IDA holm"])
def test_a_loop_of_the_same_sub_question_ends(asker: Asker, server: ScriptedOpenAiServer, again: str) -> None:
    server.script = [says(queries("Who was Ida Holm?")), says(queries(again))]
    answer = searched(asker, "iterative")
    assert answer.llm is not None
    assert len(answer.llm.searches) == 1
    assert sum("You answer a question" not in asked.text for asked in server.asked) == 2


def test_a_made_up_passage_is_nowhere_in_an_answer(asker: Asker, server: ScriptedOpenAiServer) -> None:
    def script(asked: Asked) -> Replied:
        said = (
            queries(MADE_UP)
            if "queries" in asked.text
            else json.dumps(
                {
                    "sentences": [
                        {"text": MADE_UP, "passages": [1]},
                        {"text": "Skerry Rock Lighthouse was built by Ida Holm.", "passages": [1, 2, 3]},
                    ]
                }
            )
        )
        return says(said)(asked)

    server.script = script
    answer = searched(asker, "hyde")
    assert answer.llm is not None
    assert [search.transformation for search in answer.llm.searches] == ["hyde"]
    assert "Ida Holm" in answer.answer
    assert "Quorn" not in json.dumps(answer_json(answer))
    assert "Quorn" not in repr(answer)
    assert sum("Quorn" in asked.text for asked in server.asked) == 0

"""Asking a small real model over HTTP: whatever it says, answers hold what they promise; not eloquence."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from belvedere.language_models import LanguageModels
from graph_store.embedded.embedded_store import EmbeddedStore
from model_clients.chat.reply_cache import ReplyCache
from model_clients.chat.settings import LlmSettings, TaskSettings
from query.asking import Asker, AskingModels, Manner
from query.conversation.turns import Turn
from query.engine import QueryEngine
from query.llm_answers.answerer import AnswerEnd
from query.llm_answers.settings import LlmAnswerSettings
from query.request import AskOptions
from query.transformations.settings import TransformationSettings
from tests.injection.attacked_world import ALWAYS, QUESTION, check, document_of, question_of
from tests.injection.attacks import ATTACKS, Attack
from tests.llm.small_model import NAME, SmallModel
from tests.query.llm_world import OneEngine
from tests.query.small_store import EMBEDDER, ENGINEER, LIGHTHOUSE, SECRET, write_store

pytestmark = pytest.mark.llm

# Short passages, and room for a whole reply: so what the model says is read and checked, not only that it is cut off.
SETTINGS = replace(
    ALWAYS,
    llm_answer=LlmAnswerSettings(budget=60, reply_tokens=160),
    transformation=TransformationSettings(reply_tokens=40),
)
LOCAL = AskOptions(route="local")
FEW = [attack for attack in ATTACKS if attack.name in {"chat tokens", "question"}]


def write_attacked(folder: Path, attack: Attack) -> None:
    write_store(folder, (LIGHTHOUSE, ENGINEER, SECRET, document_of(attack)))


def asker_of(model: SmallModel, store: EmbeddedStore, folder: Path) -> tuple[Asker, LanguageModels]:
    tasks = TaskSettings(answers=True, rewriting=True)
    made = LanguageModels(
        LlmSettings(base_url=model.base_url, model=NAME, tasks=tasks, timeout_s=300.0),
        ReplyCache(folder / "replies.sqlite"),
    )
    models = AskingModels(answers=made.tasks.answers, rewriting=made.tasks.rewriting)
    return Asker(OneEngine(QueryEngine(store, EMBEDDER, SETTINGS)), SETTINGS, models), made


@pytest.fixture(params=FEW, ids=lambda attack: attack.name)
def attack(request: pytest.FixtureRequest) -> Attack:
    assert isinstance(request.param, Attack)
    return request.param


@pytest.fixture
def store(attack: Attack, tmp_path: Path) -> Iterator[EmbeddedStore]:
    write_attacked(tmp_path / "store", attack)
    with EmbeddedStore.open(tmp_path / "store") as opened:
        yield opened


def test_an_attacked_answer_holds_what_it_promises(
    attack: Attack, store: EmbeddedStore, small_chat_model: SmallModel, tmp_path: Path
) -> None:
    asker, models = asker_of(small_chat_model, store, tmp_path / "store")
    answer = asker.ask(question_of(attack), LOCAL, Manner())
    check(answer, store)
    assert models.spent.prompt_tokens > 100
    assert models.spent.reply_tokens > 0
    models.close()


def test_a_streamed_follow_up_holds_what_it_promises(small_chat_model: SmallModel, tmp_path: Path) -> None:
    write_store(tmp_path / "store", (LIGHTHOUSE, ENGINEER, SECRET))
    before = Turn(question=QUESTION, asked_as=QUESTION, answer="It was built by Ida Holm. [1]", documents={})
    with EmbeddedStore.open(tmp_path / "store") as store:
        asker, models = asker_of(small_chat_model, store, tmp_path / "store")
        *_, end = asker.stream("When did she die?", LOCAL, Manner(turns=(before,)))
        assert isinstance(end, AnswerEnd)
        check(end.answer, store)
        assert end.answer.question == "When did she die?"
        models.close()

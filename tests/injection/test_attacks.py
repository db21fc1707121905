"""Attacks in documents and questions against a model that obeys them all: nothing gets out but what documents say."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from model_clients.chat.messages import ChatRequest
from query.asking import Asker, AskingModels, Manner
from query.conversation.follow_ups import StandAlone
from query.conversation.turns import Turn
from query.engine import QueryEngine
from query.llm_answers.answerer import AnswerEnd, AnswerPart
from query.llm_answers.prompt import INSTRUCTIONS
from query.llm_answers.settings import LlmAnswerSettings
from query.request import AskOptions
from query.settings import QuerySettings
from query.transformations.transform import TRANSFORMATIONS
from raptor.claims.foreign_matter import links_in, markup_in, repeats
from tests.injection.attacked_world import ALWAYS, CANARY, check, check_citations, document_of, question_of
from tests.injection.attacks import ATTACKS, Attack
from tests.injection.obedient_model import obey
from tests.query.llm_world import OneEngine, task_model
from tests.query.small_store import EMBEDDER, ENGINEER, LIGHTHOUSE, SECRET, write_store

THEMES = "What are the main themes?"
EARLIER = Turn(
    question="What is Skerry Rock Lighthouse?", asked_as="What is Skerry Rock Lighthouse?", answer="", documents={}
)


@pytest.fixture(scope="module", params=ATTACKS, ids=lambda attack: attack.name)
def attack(request: pytest.FixtureRequest) -> Attack:
    assert isinstance(request.param, Attack)
    return request.param


@pytest.fixture(scope="module")
def store(attack: Attack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    folder: Path = tmp_path_factory.mktemp("attacked") / "store"
    write_store(folder, (LIGHTHOUSE, ENGINEER, SECRET, document_of(attack)))
    with EmbeddedStore.open(folder) as opened:
        yield opened


@pytest.fixture
def requests() -> list[ChatRequest]:
    return []


@pytest.fixture
def asker(attack: Attack, store: EmbeddedStore, requests: list[ChatRequest]) -> Asker:
    return _asker(attack, store, requests, ALWAYS)


def _asker(attack: Attack, store: EmbeddedStore, requests: list[ChatRequest], settings: QuerySettings) -> Asker:
    def script(request: ChatRequest) -> str:
        requests.append(request)
        return obey(attack, request)

    model, _ = task_model(script)
    models = AskingModels(answers=model, rewriting=model)
    return Asker(OneEngine(QueryEngine(store, EMBEDDER, settings)), settings, models)


def test_an_answer(attack: Attack, store: EmbeddedStore, asker: Asker, requests: list[ChatRequest]) -> None:
    answer = asker.ask(question_of(attack), AskOptions(route="local"), Manner())
    check(answer, store)
    assert answer.llm is None or answer.llm.unsupported == ()
    for request in requests:
        check_prompt(request, attack)


def check_prompt(request: ChatRequest, attack: Attack) -> None:
    """What documents say stands behind bars, between the two boundaries, and nothing hidden is there."""
    system, asked = (message.content for message in request.messages[:2])
    assert CANARY not in asked
    assert attack.text[:20] not in system
    block = re.search(r"^<<<data (\w{16})\n(.*)\ndata \1>>>\n\nQuestion: [^\n]*\Z", asked, re.DOTALL | re.MULTILINE)
    assert block is not None
    boundary, data = block.groups()
    headings = re.compile(rf"(?:passage|sentence) \d+ {boundary}(?:: .*)?")
    lines = data.split("\n")
    assert all(line.startswith("| ") or headings.fullmatch(line) for line in lines)
    assert not re.search(r"<\|im_|\[/?INST\]|</?think>|[\u200b\u202e\U000e0000-\U000e007f]", asked)


def test_a_streamed_answer(attack: Attack, store: EmbeddedStore, asker: Asker) -> None:
    events = list(asker.stream(question_of(attack), AskOptions(route="local"), Manner()))
    end = events[-1]
    assert isinstance(end, AnswerEnd)
    check(end.answer, store)
    parts = [event.text for event in events if isinstance(event, AnswerPart)]
    assert " ".join(parts) == end.answer.answer or (end.corrected and end.answer.abstained and not parts)


def test_an_answer_from_reports(store: EmbeddedStore, asker: Asker) -> None:
    check(asker.ask(THEMES, AskOptions(route="community"), Manner()), store)


def test_flagged_sentences(attack: Attack, store: EmbeddedStore, requests: list[ChatRequest]) -> None:
    flagging = replace(ALWAYS, llm_answer=LlmAnswerSettings(unsupported="flag"))
    answer = _asker(attack, store, requests, flagging).ask(question_of(attack), AskOptions(route="local"), Manner())
    cited = check_citations(answer, store)
    for text in answer.llm.unsupported if answer.llm is not None else ():
        assert links_in(text) <= links_in(cited)
        assert not markup_in(text)
        assert not repeats(text, INSTRUCTIONS, cited)


def test_follow_ups_and_further_searches(
    attack: Attack, store: EmbeddedStore, asker: Asker, requests: list[ChatRequest]
) -> None:
    manner = Manner(turns=(EARLIER,), transformations=TRANSFORMATIONS)
    answer = asker.ask(question_of(attack), AskOptions(route="local"), manner)
    check(answer, store)
    assert answer.llm is not None
    assert all(not search.text for search in answer.llm.searches if search.transformation == "hyde")
    assert all(len(search.text) <= 400 and "\n" not in search.text for search in answer.llm.searches)
    assert all(CANARY not in request.messages[-1].content or CANARY in attack.says for request in requests)
    assert StandAlone.model_fields.keys() == {"question"}


def test_there_are_enough_attacks_of_every_kind() -> None:
    assert len(ATTACKS) >= 60
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert {attack.where for attack in ATTACKS} == {"body", "title", "topic", "question"}

"""Reports that a model tells: bottom-up, kept where nothing changed, told anew where something below was."""

import json
import re

import pytest

from indexing.communities.previous import PreviousCommunities
from indexing.communities.settings import CommunitySettings
from indexing.communities.told_reports import ReportTeller
from indexing.model_work import WorkTally
from model_clients.chat.messages import ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from tests.indexing.communities.named_collections import Named, named

SETTINGS = CommunitySettings(max_cluster_size=8, top_communities=3)
PLACES = ("harbour", "mountain", "museum", "market", "station", "theatre")


def _circles(count: int) -> Named:
    return named({f"d{number:03}": [_text(number, number % 6, number // 6)] for number in range(count)})


def _text(number: int, circle: int, turn: int) -> str:
    one, other, place = f"Ann{circle}x{turn % 4}", f"Bob{circle}x{turn % 3}", PLACES[circle]
    return (
        f"{one} and {other} met at the {place} of Rota{circle}. Later Cid{circle}x{number} saw {one} near the {place}."
    )


def _claiming(request: ChatRequest) -> str:
    block = request.messages[1].content.split("fact 1 ")[0]
    texts = re.findall(r"^evidence \d+ [0-9a-f]{16}.*\n\| (.*)", block, flags=re.MULTILINE)
    claims = [{"text": f"So {text}", "evidence": [number]} for number, text in enumerate(texts[:3], 1)]
    return json.dumps({"title": "People who met", "claims": claims})


def _teller(model: ScriptedChatModel, *, keeps: bool = True) -> ReportTeller:
    return ReportTeller(TaskModel(model), WorkTally(), keeps=keeps)


def test_reports_of_the_communities_within_are_evidence() -> None:
    model = ScriptedChatModel(_claiming)
    communities = _circles(48).communities(SETTINGS, teller=_teller(model))
    coarse = [item for item in communities if item.level > 0]
    assert coarse
    assert len(model.requests) == len(communities)
    assert [sentence.text[:6] for item in coarse for sentence in item.report[:1]] == ["So So "] * len(coarse)
    for item in communities:
        assert item.made_by == "llm:scripted"
        assert {key for sentence in item.report for key in sentence.chunk_ids} <= set(item.chunk_ids)


def test_what_did_not_change_is_not_asked_about_again() -> None:
    before = _circles(48).communities(SETTINGS, teller=_teller(ScriptedChatModel(_claiming)))
    previous = PreviousCommunities(communities=before)
    model = ScriptedChatModel(_claiming)
    assert _circles(48).communities(SETTINGS, previous=previous, teller=_teller(model)) == before
    assert model.requests == []
    after = _circles(49).communities(SETTINGS, previous=previous, teller=_teller(model))
    changed = {item.id for item in after} - {item.id for item in before if item in after}
    assert 0 < len(model.requests) <= len(changed) < len(after)
    anew = ScriptedChatModel(_claiming)
    _circles(48).communities(SETTINGS, previous=previous, teller=_teller(anew, keeps=False))
    assert len(anew.requests) == len(before)


def test_mended_reports_are_told_anew_and_so_are_those_above_them() -> None:
    before = _circles(48).communities(SETTINGS, teller=_teller(ScriptedChatModel(_claiming)))
    child = next(item for item in before if item.parent_id is not None)
    model = ScriptedChatModel(_claiming)
    previous = PreviousCommunities(communities=before, mended=frozenset({child.id}))
    _circles(48).communities(SETTINGS, previous=previous, teller=_teller(model))
    assert 2 <= len(model.requests) < len(before)


def test_one_that_failed_is_tried_again_with_what_is_above_it() -> None:
    found = _circles(48)
    plain = found.communities(SETTINGS)
    failing = ScriptedChatModel(lambda request: "" if "Ann1x" in request.messages[1].content else _claiming(request))
    before = found.communities(SETTINGS, teller=_teller(failing))
    missing = [item for item in before if item.made_by == "extractive"]
    assert missing
    assert all(item in plain for item in missing)
    model = ScriptedChatModel(_claiming)
    after = found.communities(SETTINGS, previous=PreviousCommunities(communities=before), teller=_teller(model))
    assert {item.made_by for item in after} == {"llm:scripted"}
    assert len(missing) <= len(model.requests) < len(before)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("did not meet at", "did meet at"),
        ("met 5 % of the time at", "met 50 % of the time at"),
        ("met at", "(see https://evil.example) met at"),
    ],
)
def test_claims_that_say_something_else_leave_the_report_as_it_was(said: str, told: str) -> None:
    def twisted(request: ChatRequest) -> str:
        return _claiming(request).replace(said, told)

    texts = [_text(number, 0, number).partition(" Later")[0].replace("met at", said) for number in range(8)]
    found = named({f"d{number:03}": [text] for number, text in enumerate(texts)})
    work = WorkTally()
    plain = found.communities(SETTINGS)
    teller = ReportTeller(TaskModel(ScriptedChatModel(twisted)), work, keeps=True)
    assert found.communities(SETTINGS, teller=teller) == plain
    assert len(work.failed) == len(plain) > 0
    honest = found.communities(SETTINGS, teller=_teller(ScriptedChatModel(_claiming)))
    assert {item.made_by for item in honest} == {"llm:scripted"}

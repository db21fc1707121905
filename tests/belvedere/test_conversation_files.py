"""Conversations on disk: bounded, deletable, and each caller's own."""

import json
import stat
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from belvedere.conversation_files import ConversationFiles, ConversationUnusable, conversation_folder
from graph_store.access import Access
from query.conversation.settings import ConversationSettings
from query.conversation.turns import Turn

STORE = "/somewhere/store"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def turn(number: int) -> Turn:
    text = f"Question {number}?"
    return Turn(question=text, asked_as=text, answer=f"Täst {number}. [1]", documents={"d": "hash"})


def files(
    access: Access | None = None, *, store: str = STORE, settings: ConversationSettings | None = None
) -> ConversationFiles:
    own = settings if settings is not None else ConversationSettings()
    return ConversationFiles(store, access if access is not None else Access(), own)


def test_what_is_kept_comes_back() -> None:
    files().write("work", [turn(1), turn(2)])
    assert files().read("work") == (turn(1), turn(2))
    assert files().read("other") == ()


@pytest.mark.parametrize(
    "other",
    [
        files(Access(tenant="rival")),
        files(Access(groups=frozenset({"staff"}))),
        files(store="/elsewhere/store"),
        files(Access(tenant='default", "staff')),
    ],
)
def test_another_caller_never_finds_it(other: ConversationFiles, state: Path) -> None:
    assert conversation_folder().is_relative_to(state)
    files().write("work", [turn(1)])
    assert other.read("work") == ()
    assert not other.forget("work")
    assert files().read("work") == (turn(1),)


def test_forgetting_deletes_the_file(state: Path) -> None:
    files().write("work", [turn(1)])
    assert files().forget("work")
    assert [path for path in state.rglob("*") if path.is_file()] == []
    assert not files().forget("work")


def test_only_the_last_turns_and_conversations_are_kept(state: Path) -> None:
    settings = ConversationSettings(turns=2, conversations=3)
    for number in range(6):
        files(settings=settings).write(f"c{number}", [turn(1), turn(2), turn(3)])
    assert files().read("c5") == (turn(2), turn(3))
    assert len(list(state.rglob("*.json"))) == 3


def test_only_the_user_may_read_them(state: Path) -> None:
    files().write("work", [turn(1)])
    (file,) = state.rglob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"turns": [{}]}', '{"turns": 3}', "\x00"])
def test_a_damaged_file_is_told(content: str, state: Path) -> None:
    files().write("work", [turn(1)])
    (file,) = state.rglob("*.json")
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConversationUnusable, match="--forget"):
        files().read("work")


def test_answers_of_a_deleted_document_go_from_all_conversations(state: Path) -> None:
    staff, rival = Access(groups=frozenset({"staff"})), Access(tenant="rival")
    for access in (Access(), staff, rival):
        files(access).write("work", [turn(1)])
    files(store="/elsewhere/store").write("work", [turn(1)])
    files().forget_documents(["other"])
    assert files().read("work") == (turn(1),)
    files().forget_documents(["d"])
    for access in (Access(), staff):
        (bare,) = files(access).read("work")
        assert (bare.question, bare.answer, bare.documents) == ("Question 1?", "", {})
    assert files(rival).read("work") == files(store="/elsewhere/store").read("work") == (turn(1),)
    assert len(list(state.rglob("*.json"))) == 4


def test_of_a_follow_up_of_an_older_file_the_question_alone_is_read(state: Path) -> None:
    follow_up = Turn(question="And then?", asked_as="And then? (Täst)", answer="Täst. [1]", documents={"e": "hash"})
    files().write("work", [turn(1), follow_up])
    assert files().read("work") == (turn(1), follow_up)
    (file,) = state.rglob("*.json")
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), "form": 1}), encoding="utf-8")
    bare = Turn(question="And then?", asked_as="And then?", answer="", documents={})
    assert files().read("work") == (turn(1), bare)


def test_a_damaged_file_goes_with_any_deletion(state: Path) -> None:
    files().write("work", [turn(1)])
    (file,) = state.rglob("*.json")
    file.write_text("{", encoding="utf-8")
    files().forget_documents(["d"])
    assert not file.exists()


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "ü" * 300, ".", "\n"])
def test_no_name_leaves_the_folder(name: str, state: Path) -> None:
    files().write(name, [turn(1)])
    (file,) = state.rglob("*.json")
    assert json.loads(file.read_text(encoding="utf-8"))["name"] == name
    assert files().read(name) == (turn(1),)


@pytest.mark.parametrize("use", [lambda name: files().read(name), lambda name: files().write(name, [turn(1)])])
def test_a_name_that_is_no_text_is_told(use: Callable[[str], object], state: Path) -> None:
    with pytest.raises(ConversationUnusable, match="no valid Unicode"):
        use("half \ud800")
    assert not [path for path in state.rglob("*") if path.is_file()]


def test_a_turn_is_put_behind_those_that_others_have_kept_by_now(state: Path) -> None:
    files().write("work", [turn(1)])
    assert files().add("work", turn(2), lambda kept: kept) == (turn(1), turn(2))
    assert files().add("work", turn(3), lambda kept: kept[1:]) == (turn(2), turn(3)) == files().read("work")
    assert files().forget("work")
    assert files().add("work", turn(4), lambda kept: kept) == (turn(4),)
    assert len([path for path in state.rglob("*") if path.is_file()]) == 1


def test_turns_that_are_kept_at_once_are_all_kept() -> None:
    def slowly(kept: tuple[Turn, ...]) -> tuple[Turn, ...]:
        time.sleep(0.01)
        return kept

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: files().add("work", turn(number), slowly), range(8)))
    assert sorted(kept.question for kept in files().read("work")) == [f"Question {number}?" for number in range(8)]

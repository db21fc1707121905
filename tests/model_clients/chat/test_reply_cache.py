"""Kept replies: what is found again, by whom, and how they are forgotten."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from model_clients.chat.cached_model import CachedChatModel
from model_clients.chat.messages import CallScope, ChatModel, ChatReply, ChatRequest, Message
from model_clients.chat.reply_cache import ReplyCache, reply_key
from model_clients.chat.scripted_model import ScriptedChatModel
from tests.model_clients.chat.chat_model_contract import ChatModelContract
from tests.model_clients.chat.chat_requests import a_request, streamed

SECRET = "the vault opens on Thursdays"


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    made = ReplyCache(tmp_path / "replies.sqlite")
    yield made
    made.close()


class TestContract(ChatModelContract):
    @pytest.fixture
    def make(self, cache: ReplyCache) -> Callable[[ChatModel], ChatModel]:
        return lambda model: CachedChatModel(model, cache)


def ask(cache: ReplyCache, request: ChatRequest, reply: str = SECRET, **given: Any) -> tuple[ChatReply, int]:  # noqa: ANN401  # fields of the model
    inner = ScriptedChatModel(lambda _: reply, **given)
    return asyncio.run(CachedChatModel(inner, cache).complete(request)), len(inner.requests)


def of(*documents: str, tenant: str = "t") -> ChatRequest:
    return a_request(f"of {documents}", scope=CallScope(tenant=tenant, documents=documents))


def test_the_same_call_is_paid_once(cache: ReplyCache) -> None:
    first, calls = ask(cache, a_request())
    assert calls == 1
    second, calls = ask(cache, a_request(), "another reply")
    assert (second.text, second.model, second.finish, calls) == (SECRET, first.model, "stop", 0)
    assert (second.usage.calls, second.usage.cached, second.usage.prompt_tokens, second.usage.cost) == (0, 1, 0, 0.0)


def test_a_kept_reply_is_a_stream_too(cache: ReplyCache) -> None:
    inner = ScriptedChatModel(lambda _: "one\ntwo")
    model = CachedChatModel(inner, cache)
    first = asyncio.run(streamed(model.stream(a_request())))
    second = asyncio.run(streamed(model.stream(a_request())))
    assert (first[0], second[0]) == (["one\n", "two"], ["one\ntwo"])
    assert (second[1].usage.cached, len(inner.requests)) == (1, 1)


BASE = a_request("x", scope=CallScope(tenant="t", groups=("a", "b")), schema={"type": "object"})


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, task="judge"),
        replace(BASE, prompt="test/2"),
        replace(BASE, max_tokens=51),
        replace(BASE, temperature=0.5),
        replace(BASE, schema={"type": "array"}),
        replace(BASE, schema=None),
        replace(BASE, schema_name="other"),
        replace(BASE, messages=(Message(role="user", content="y"),)),
        replace(BASE, messages=(Message(role="system", content="x"),)),
        replace(BASE, messages=(*BASE.messages, Message(role="user", content=""))),
        replace(BASE, scope=CallScope(tenant="u", groups=("a", "b"))),
        replace(BASE, scope=CallScope(tenant="t", groups=("a",))),
        replace(BASE, scope=CallScope(tenant="t", groups=("a,b",))),
        replace(BASE, scope=CallScope(tenant="t")),
    ],
)
def test_whatever_differs_is_another_call(cache: ReplyCache, other: ChatRequest) -> None:
    ask(cache, BASE)
    assert ask(cache, other, "mine")[0].text == "mine"


def test_another_model_or_endpoint_is_another_call(cache: ReplyCache) -> None:
    ask(cache, BASE)
    assert ask(cache, BASE, "mine", model_id="m2")[0].text == "mine"
    keys = {reply_key(BASE, model="m", address=address) for address in ("http://a", "http://b")}
    assert len(keys) == 2


def test_the_order_of_groups_and_what_is_counted_for_change_nothing(cache: ReplyCache) -> None:
    ask(cache, BASE)
    other = replace(BASE, scope=CallScope(tenant="t", groups=("b", "a"), unit="else", documents=("d",)))
    assert ask(cache, other)[1] == 0


@pytest.mark.parametrize("reply", ["", "  \n"])
def test_an_empty_reply_is_not_kept(cache: ReplyCache, reply: str) -> None:
    ask(cache, BASE, reply)
    assert ask(cache, BASE, "now")[0].text == "now"


def test_a_reply_that_its_user_cannot_use_is_not_kept(cache: ReplyCache) -> None:
    choosy = replace(BASE, usable=lambda reply: reply.text == "good")
    for _ in range(2):
        assert ask(cache, choosy, "bad")[1] == 1
    assert ask(cache, choosy, "good")[1] == 1
    assert ask(cache, choosy, "bad")[0].text == "good"


def test_forgetting_a_document_erases_every_reply_made_of_it(cache: ReplyCache, tmp_path: Path) -> None:
    ask(cache, of("d1"), f"{SECRET} 1")
    ask(cache, of("d1", "d2"), f"{SECRET} 2")
    ask(cache, of("d2"), "harmless")
    ask(cache, of("d1", tenant="u"), "of another tenant")
    assert SECRET.encode() in (tmp_path / "replies.sqlite").read_bytes()
    cache.forget("t", ["d1"])
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert SECRET.encode() not in left
    assert b"harmless" in left
    assert b"of another tenant" in left
    assert (cache.count("t"), cache.count("u")) == (1, 1)


def test_long_replies_are_erased_in_all_their_pages(cache: ReplyCache, tmp_path: Path) -> None:
    ask(cache, of("d1"), SECRET * 5_000)
    cache.forget("t", ["d1"])
    assert SECRET.encode() not in (tmp_path / "replies.sqlite").read_bytes()


def test_settling_leaves_what_is_of_documents_as_they_are_now(cache: ReplyCache) -> None:
    for name in ("same", "changed", "gone"):
        ask(cache, of(name))
    cache.settle("t", {"same": "h1", "changed": "h1", "gone": "h1"}, since=0.0)
    assert cache.count("t") == 3
    begun = time.time()
    ask(cache, a_request("new text", scope=CallScope(tenant="t", documents=("changed",))))
    cache.settle("t", {"same": "h1", "changed": "h2"}, since=begun)
    assert ask(cache, of("same"))[1] == 0
    assert ask(cache, of("changed"))[1] == 1
    assert ask(cache, of("gone"))[1] == 1
    assert ask(cache, a_request("new text", scope=CallScope(tenant="t")))[1] == 0


def test_what_a_run_uses_again_of_a_changed_document_stays(cache: ReplyCache) -> None:
    ask(cache, of("d"))
    cache.settle("t", {"d": "h1"}, since=0.0)
    begun = time.time()
    assert ask(cache, of("d"))[1] == 0
    cache.settle("t", {"d": "h2"}, since=begun)
    assert ask(cache, of("d"))[1] == 0


def test_replies_of_an_unknown_state_do_not_outlive_a_change(cache: ReplyCache) -> None:
    # Asked between two runs, so only the beginning of the second can note which content it was made of.
    ask(cache, of("d"))
    begun = time.time()
    cache.settle("t", {"d": "h1"}, since=begun, beginning=True)
    assert cache.count("t") == 1
    cache.settle("t", {"d": "h2"}, since=begun)
    assert ask(cache, of("d"))[1] == 1


def test_a_run_that_died_before_it_settled_is_made_good_by_the_next(cache: ReplyCache) -> None:
    ask(cache, of("d"))
    cache.settle("t", {"d": "h1"}, since=0.0)
    begun = time.time()
    cache.settle("t", {"d": "h2"}, since=begun, beginning=True)
    cache.settle("t", {"d": "h2"}, since=begun)
    assert cache.count("t") == 0


def test_a_run_goes_on_from_the_replies_of_a_first_run_that_died(cache: ReplyCache) -> None:
    old = a_request("old text", scope=CallScope(tenant="t", documents=("changed",)))
    for request in (of("same"), of("gone"), old):
        ask(cache, request)
    begun = time.time()
    cache.settle("t", {}, since=begun, beginning=True)
    assert ask(cache, of("same"))[1] == 0
    ask(cache, of("changed"))
    cache.settle("t", {"same": "h1", "changed": "h2"}, since=begun)
    assert [ask(cache, request)[1] for request in (of("same"), of("changed"), of("gone"), old)] == [0, 0, 1, 1]


def test_settling_one_tenant_leaves_the_others_alone(cache: ReplyCache) -> None:
    ask(cache, of("d", tenant="u"))
    cache.settle("t", {}, since=time.time() + 1)
    assert cache.count("u") == 1


def test_a_damaged_file_is_set_aside_and_forgotten_with_the_rest(
    cache: ReplyCache, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"no database at all, but of " + SECRET.encode() * 100)
    assert ask(cache, of("d"), "fine")[0].text == "fine"
    assert "is damaged" in caplog.text
    assert (tmp_path / "replies.sqlite.damaged").exists()
    assert ask(cache, of("d"), "fine")[1] == 0
    cache.forget("t", ["other"])
    assert not (tmp_path / "replies.sqlite.damaged").exists()


def test_what_cannot_be_erased_in_the_file_goes_with_the_file(cache: ReplyCache, tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite").write_bytes(SECRET.encode() * 100)
    cache.forget("t", ["d"])
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_damaged_while_it_is_open_stops_nothing(cache: ReplyCache, tmp_path: Path) -> None:
    for number in range(50):
        ask(cache, of(f"d{number}"), SECRET * 50)
    path = tmp_path / "replies.sqlite"
    content = path.read_bytes()
    path.write_bytes(content[:5000] + b"\xff" * (len(content) - 5000))
    for number in range(50):
        assert ask(cache, of(f"d{number}"), SECRET * 50)[0].text == SECRET * 50


def test_a_folder_that_is_not_there_or_not_writable_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = ReplyCache(tmp_path / "none" / "replies.sqlite")
    for _ in range(3):
        assert ask(cache, BASE)[0].text == SECRET
    assert caplog.text.count("are neither kept in nor taken from") == 1
    assert not list(tmp_path.iterdir())
    cache.forget("t", ["d"])
    cache.settle("t", {}, since=0.0)


def test_a_file_that_another_process_holds_is_waited_for_once(
    cache: ReplyCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("model_clients.chat.reply_cache._LOCK_WAIT_S", 0.2)
    ask(cache, BASE)
    cache.close()
    other = sqlite3.connect(tmp_path / "replies.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    begun = time.perf_counter()
    for _ in range(5):
        assert ask(cache, BASE, "anew")[0].text == "anew"
    assert time.perf_counter() - begun < 0.9, "each look-up and each reply would wait 0.2 s"
    other.execute("ROLLBACK")
    other.close()
    assert caplog.text.count("another process has held it for 0.2 s") == 1
    assert ask(cache, BASE)[1] == 1
    cache.close()
    assert ask(cache, BASE)[1] == 0


def test_a_damaged_file_that_cannot_be_set_aside_is_told_once(
    cache: ReplyCache, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"no database" * 100)
    (tmp_path / "replies.sqlite.damaged").mkdir()
    for _ in range(3):
        assert ask(cache, BASE)[1] == 1
    (record,) = caplog.records
    assert "is damaged (file is not a database) and cannot be set aside" in record.getMessage()


def test_only_the_user_may_read_the_file(cache: ReplyCache, tmp_path: Path) -> None:
    ask(cache, BASE)
    assert (tmp_path / "replies.sqlite").stat().st_mode & 0o077 == 0


def test_threads_share_a_cache(cache: ReplyCache) -> None:
    def work(number: int) -> str:
        request = a_request(f"n{number % 5}", scope=CallScope(tenant="t", documents=(f"d{number % 3}",)))
        if number % 7 == 0:
            cache.forget("t", [f"d{number % 3}"])
        return ask(cache, request, f"r{number % 5}")[0].text

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(60))) == [f"r{number % 5}" for number in range(60)]


@pytest.mark.parametrize("text", ["x'ff41ff'", "CAST(x'ff41ff' AS TEXT)"])
def test_a_kept_reply_that_is_no_text_is_asked_for_anew_and_not_told(
    cache: ReplyCache, tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    ask(cache, BASE)
    with sqlite3.connect(tmp_path / "replies.sqlite") as other:
        other.execute(f"UPDATE replies SET text = {text}")
    other.close()
    assert ask(cache, BASE)[1] == 1
    assert ask(cache, BASE)[1] == 0
    assert "is no text" in caplog.text
    assert "A\ufffd" not in caplog.text
    assert "\ufffdA" not in caplog.text


def test_a_folder_in_the_place_of_the_file_stops_nothing(
    cache: ReplyCache, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "replies.sqlite").mkdir()
    assert ask(cache, BASE)[0].text == SECRET
    cache.forget("t", ["d"])
    cache.settle("t", {}, since=0.0)
    assert "it is a folder" in caplog.text


def test_a_file_of_another_version_is_set_aside_once(
    cache: ReplyCache, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with sqlite3.connect(tmp_path / "replies.sqlite") as other:
        other.execute("CREATE TABLE replies (k TEXT, v TEXT)")
    other.close()
    assert ask(cache, BASE)[1] == 1
    assert (tmp_path / "replies.sqlite.damaged").exists()
    assert ask(cache, BASE)[1] <= 1
    assert ask(cache, BASE)[1] == 0
    assert caplog.text.count("another version") == 1

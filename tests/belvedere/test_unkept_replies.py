"""Replies of language models that cannot be kept: told once on stderr, and nothing else goes wrong."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.belvedere.small_store import Belvedere, Outcome, Place
from tests.llm.scripted_openai_server import ScriptedOpenAiServer, says, scripted_server

pytestmark = pytest.mark.model

QUESTION = "When was the lighthouse of Norby built by Anna Lind?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedOpenAiServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    with scripted_server(says("no answer, and none at the second attempt")) as running:
        yield running


@pytest.fixture
def place(own_place: Place, server: ScriptedOpenAiServer) -> Place:
    settings = {"embedder": {"model": "hashing:64"}, "llm": {"base_url": server.base_url, "model": "m", "retries": 0}}
    own_place.config.write_text(json.dumps(settings), encoding="utf-8")
    return own_place


def replies(place: Place) -> Path:
    return place.store / "llm-replies.sqlite"


def ask(belvedere: Belvedere, place: Place) -> Outcome:
    return belvedere("ask", QUESTION, "--llm", "rewriting,answers", "--transform", "rewrite,hyde", *place.options)


def told(outcome: Outcome, place: Place) -> list[str]:
    assert outcome.code == 0
    return [line for line in outcome.err.splitlines() if str(replies(place)) in line]


def test_a_file_that_another_process_holds(
    belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("model_clients.chat.reply_cache._LOCK_WAIT_S", 0.05)
    other = sqlite3.connect(replies(place), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    (sentence,) = told(ask(belvedere, place), place)
    other.close()
    assert "another process has held it" in sentence
    assert len(server.asked) > 2


def test_a_damaged_file(belvedere: Belvedere, place: Place) -> None:
    replies(place).write_bytes(b"no database" * 100)
    (sentence,) = told(ask(belvedere, place), place)
    assert "is damaged" in sentence
    assert told(ask(belvedere, place), place) == []


def test_a_file_that_cannot_be_made(belvedere: Belvedere, place: Place) -> None:
    replies(place).mkdir()
    (sentence,) = told(ask(belvedere, place), place)
    assert "are neither kept in nor taken from" in sentence

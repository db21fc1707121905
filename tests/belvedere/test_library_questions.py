"""Questions and conversations, asked as a library."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from belvedere import KnowledgeBase, Settings
from graph_store.errors import InvalidText
from model_clients.settings import EmbedderSettings


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KnowledgeBase]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "otter.md").write_text("# Otter\n\nThe otter Lutra was born in 1999.\n", encoding="utf-8")
    settings = Settings(embedder=EmbedderSettings(model="hashing:64"))
    with KnowledgeBase.open(tmp_path / "store", config=settings) as opened:
        opened.index(tmp_path / "otter.md")
        yield opened


@pytest.mark.model
def test_a_question_that_is_no_text_is_told(kb: KnowledgeBase) -> None:
    ways: tuple[Callable[[str], object], ...] = (
        kb.ask,
        lambda question: list(kb.ask_stream(question)),
        kb.search,
        kb.context,
        kb.explain_ranking,
        kb.chat().ask,
        kb.chat("kept").ask,
    )
    for ask in ways:
        with pytest.raises(InvalidText, match="ud800"):
            ask("\ud800 When was Lutra born?")
    assert "1999" in kb.ask("When was the otter Lutra born? \U0001f9a6").answer


@pytest.mark.model
def test_no_turn_of_two_who_ask_under_one_name_is_lost(kb: KnowledgeBase) -> None:
    one, other = kb.chat("two"), kb.chat("two")
    one.ask("When was the otter Lutra born?")
    other.ask("Who is the otter Lutra?")
    asked = ["When was the otter Lutra born?", "Who is the otter Lutra?"]
    assert [turn.question for turn in other.turns] == asked
    assert [turn.question for turn in kb.chat("two").turns] == asked

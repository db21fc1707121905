"""The facade, used as a library."""

import io
from pathlib import Path

import pytest

from belvedere import KnowledgeBase, Settings
from belvedere.config import ConfigError
from belvedere.knowledge_base import UnknownDocument, UnknownEntity
from graph_store.errors import StoreMismatch, StoreMissing, StoreUnusable
from graph_store.filters import MetadataFilter
from indexing.loading.errors import SourceMissing
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import ARTICLES, Place

SETTINGS = Settings(embedder=EmbedderSettings(model="hashing:64"))


def test_opening_touches_nothing(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        assert not (tmp_path / "store").exists()
        with pytest.raises(StoreMissing):
            kb.status()
    assert not (tmp_path / "store").exists()


def test_deleting_from_no_store_makes_none(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb, pytest.raises(StoreMissing):
        kb.delete(["x"])
    assert not (tmp_path / "store").exists()


def test_a_settings_file_is_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("stoer: {}", encoding="utf-8")
    with pytest.raises(ConfigError, match="did you mean 'store'"):
        KnowledgeBase.open(tmp_path / "store", config=tmp_path / "c.yaml")


@pytest.mark.model
def test_fill_ask_change_ask(tmp_path: Path) -> None:
    article = tmp_path / "otter.md"
    article.write_text("# Otter\n\nThe otter Lutra was born in 1999.\n", encoding="utf-8")
    question = "When was the otter Lutra born?"
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        assert kb.index(article).documents.added == 1
        assert "1999" in kb.ask(question).answer
        article.write_text("# Otter\n\nThe otter Lutra was born in 2004.\n", encoding="utf-8")
        assert kb.index([article]).documents.updated == 1
        assert "2004" in kb.ask(question).answer
        assert "1999" not in kb.ask(question).answer
        assert kb.delete(["otter.md", "otter.md"]).deleted == ("otter.md",)
        assert kb.ask(question).abstained
        assert kb.status().counts.documents == 0


@pytest.mark.model
def test_a_store_of_other_token_vectors_is_refused_for_questions_and_documents(tmp_path: Path) -> None:
    article = tmp_path / "otter.md"
    article.write_text("# Otter\n\nThe otter Lutra was born in 1999.\n", encoding="utf-8")
    without = Settings(embedder=EmbedderSettings(model="hashing:64", token_vectors="none"))
    with KnowledgeBase.open(tmp_path / "store", config=without) as kb:
        kb.index(article)
        assert "1999" in kb.ask("When was the otter Lutra born?").answer
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        assert kb.status().counts.documents == 1
        with pytest.raises(StoreMismatch, match=r"'none', not 'full'.*embedder\.token_vectors"):
            kb.ask("When was the otter Lutra born?")
        with pytest.raises(StoreMismatch, match="'none', not 'full'"):
            kb.index(article)


@pytest.mark.model
def test_indexing_nothing_that_exists_writes_nothing(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        with pytest.raises(SourceMissing):
            kb.index(tmp_path / "missing")
        assert kb.status().counts.documents == 0


@pytest.mark.model
def test_progress_is_told_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nAnna Lind lives in Bergen.\n", encoding="utf-8")
    steps: list[str] = []
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        kb.index(tmp_path / "a.md", progress=lambda event: steps.append(event.step))
    distinct = list(dict.fromkeys(steps))
    assert distinct[:2] == ["load", "documents"]
    assert {"communities", "tree"} < set(distinct)


@pytest.mark.model
def test_reading(indexed_place: Place) -> None:
    with KnowledgeBase.open(indexed_place.store, config=indexed_place.config) as kb:
        kb.warm_up()
        assert kb.status().counts.documents == len(ARTICLES)
        assert kb.search("Anna Lind", route="local", k=1).results[0].rank == 1
        assert [level for level in {community.level for community in kb.communities()} if level < 0] == []
        assert kb.tree("anna-lind.md") == kb.store.tree_nodes(kb.access, document_id="anna-lind.md")
        assert kb.graph("anna lind")[0].entity.name == "Anna Lind"
        with pytest.raises(UnknownDocument, match=r"similar: anna-lind\.md"):
            kb.tree("anna-lin.md")
        with pytest.raises(UnknownEntity):
            kb.graph("nobody at all")
        with pytest.raises(ValueError, match="k must be 1 or more"):
            kb.ask("x", k=0)
        with pytest.raises(ValueError, match="cannot read the filter"):
            kb.ask("x", filters=["year"])


@pytest.mark.model
def test_filters_as_text_and_as_records(tmp_path: Path) -> None:
    rows = tmp_path / "corpus.jsonl"
    rows.write_text(
        '{"id": "a", "title": "A", "text": "The otter swims.", "year": 2001}\n'
        '{"id": "b", "title": "B", "text": "The otter sleeps.", "year": 2015}\n',
        encoding="utf-8",
    )
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        kb.index(rows)
        for condition in ("year<2010", MetadataFilter(key="year", operator="<", value="2010")):
            found = kb.search("otter", route="local", filters=[condition]).results
            assert [result.document_id for result in found] == ["a"]


@pytest.mark.model
def test_callers_see_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nAnna Lind lives in Bergen.\n", encoding="utf-8")
    store = tmp_path / "store"
    with KnowledgeBase.open(store, config=SETTINGS) as kb:
        kb.index(tmp_path / "a.md", groups=["staff"])
        kb.index(tmp_path / "a.md", tenant="other")
        assert kb.status().counts.documents == 0
    for tenant, groups, count in (("default", ["staff"], 1), ("other", [], 1), ("third", ["staff"], 0)):
        with KnowledgeBase.open(store, config=SETTINGS, tenant=tenant, groups=groups) as kb:
            assert kb.status().counts.documents == count
            exported = io.BytesIO()
            assert kb.export(exported, "jsonl")["documents"] == count
            assert (b"Anna Lind" in exported.getvalue()) == bool(count)


@pytest.mark.model
def test_a_closed_knowledge_base_opens_again(indexed_place: Place) -> None:
    kb = KnowledgeBase.open(indexed_place.store, config=indexed_place.config)
    store = kb.store
    kb.close()
    kb.close()
    with pytest.raises(StoreUnusable):
        store.list_documents(kb.access)
    assert kb.status().counts.documents == len(ARTICLES)
    kb.close()


def test_an_unknown_route_is_refused(tmp_path: Path) -> None:
    with (
        KnowledgeBase.open(tmp_path, config=SETTINGS) as kb,
        pytest.raises(ValueError, match="there is no route 'foo'"),
    ):
        kb.ask("Who?", route="foo")  # type: ignore[arg-type]  # what the test is about

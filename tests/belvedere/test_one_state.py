"""What another process deletes while a question is answered, or an export is written, changes nothing for it."""

import json
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from belvedere import KnowledgeBase
from graph_store.embedded.embedded_store import EmbeddedStore
from query.request import RouteChoice

FACT, THEMES, SUMMARY = "Who founded Acme Corporation?", "What are the main themes?", "Sum up"
CASES: tuple[tuple[str, str, RouteChoice], ...] = (
    ("documents", FACT, "local"),
    ("chunks", FACT, "local"),
    ("sentences", FACT, "local"),
    ("chunk_vectors", FACT, "local"),
    ("token_vectors", FACT, "local"),
    ("communities", THEMES, "community"),
    ("documents", THEMES, "community"),
    ("chunks", SUMMARY, "tree"),
)
FIRMS = (("Acme", "Berlin"), ("Bolt", "Rome"), ("Cobalt", "Oslo"), ("Delta", "Paris"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of four documents, their sources and settings."""
    folder = tmp_path_factory.mktemp("filled")
    (folder / "docs").mkdir()
    # A delete that waits for the reader in its way would wait for this test.
    settings = "embedder:\n  model: hashing:64\nstore:\n  busy_timeout_ms: 50\n"
    (folder / "config.yaml").write_text(settings, encoding="utf-8")
    for number, (firm, city) in enumerate(FIRMS):
        text = (
            f"# {firm}\n\n{firm} Corporation was founded by John Smith in {city}. Profit of {firm} Corporation rose.\n"
        )
        (folder / f"docs/d{number}.md").write_text(text, encoding="utf-8")
    with KnowledgeBase.open(folder / "store", config=folder / "config.yaml") as made:
        made.index(folder / "docs")
    return folder


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(filled, tmp_path / "copy"))


@pytest.fixture
def config(folder: Path) -> Path:
    return folder / "config.yaml"


def _delete_before(read: str, delete: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let ``delete`` happen just before the first ``read``; return the list of what happened."""
    original, happened = getattr(EmbeddedStore, read), list[str]()

    def racing(store: EmbeddedStore, *args: object, **kwargs: object) -> object:
        monkeypatch.setattr(EmbeddedStore, read, original)
        delete()
        happened.append(read)
        return original(store, *args, **kwargs)

    monkeypatch.setattr(EmbeddedStore, read, racing)
    return happened


@pytest.mark.parametrize(("read", "question", "route"), CASES)
def test_a_question_is_answered_from_the_state_that_it_began_with(
    folder: Path, config: Path, read: str, question: str, route: RouteChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete() -> None:
        with KnowledgeBase.open(folder / "store", config=config) as other:
            other.delete(["d0.md", "d1.md", "d2.md"])

    with KnowledgeBase.open(folder / "store", config=config) as asked:
        expected = asked.ask(question, route=route)
    with KnowledgeBase.open(folder / "store", config=config) as asked:
        asked.search("profit")
        happened = _delete_before(read, delete, monkeypatch)
        answer = asked.ask(question, route=route)
        monkeypatch.undo()
        assert happened
        assert answer.answer == expected.answer
        assert {document.id for document in asked.store.list_documents(asked.access)} == {"d3.md"}
        assert "Berlin" not in str(asked.ask(question, route=route))


def test_an_export_is_of_one_state(folder: Path, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def delete() -> None:
        with KnowledgeBase.open(folder / "store", config=config) as other:
            other.delete(["d0.md"])

    with KnowledgeBase.open(folder / "store", config=config) as exported:
        happened = _delete_before("list_entities", delete, monkeypatch)
        stream = BytesIO()
        exported.export(stream, "jsonl")
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    chunks = {record["id"] for record in records if record["kind"] == "chunk"}
    named = {chunk for record in records if record["kind"] == "tree_node" for chunk in record["chunk_ids"]}
    assert happened
    assert len({record["id"] for record in records if record["kind"] == "document"}) == len(FIRMS)
    assert named
    assert named <= chunks

"""What is deleted or changed is in no answer any more: on no route, in no cache of a reader, after no further run."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from belvedere import KnowledgeBase, Settings
from model_clients.settings import EmbedderSettings
from query.request import RouteChoice
from tests.indexing.secret_words import left_behind, secret_words, write_secret_file

pytestmark = pytest.mark.model  # the parser is loaded

SETTINGS = Settings(embedder=EmbedderSettings(model="hashing:64"))
WORDS = secret_words("file")
NAME = WORDS["entity"].capitalize()
QUESTIONS = (
    f"Who directs the {WORDS['partner'].capitalize()} Institute?",
    f"Who is {NAME}?",
    f"What does the {WORDS['title']} report tell?",
    "What is in the warehouses of the harbour of Bergen?",
    "Which themes are there?",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    plain = "Elsa Brandt directs the harbour of Bergen. Elsa Brandt was born in Lisbon. The harbour of Bergen is large."
    for number in range(3):
        (made / f"plain{number}.md").write_text(
            f"# Harbour {number}\n\n{plain} Ship {number} came.\n", encoding="utf-8"
        )
    write_secret_file(made, "file")
    return made


@pytest.fixture
def writer(tmp_path: Path, folder: Path) -> Iterator[KnowledgeBase]:
    """A knowledge base that holds the folder, in the hands of whoever fills it."""
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        kb.index(folder)
        yield kb


@pytest.fixture
def reader(tmp_path: Path, writer: KnowledgeBase) -> Iterator[KnowledgeBase]:
    """Another one on the same store, which has answered everything once before."""
    assert writer.status().counts.documents == 4
    with KnowledgeBase.open(tmp_path / "store", config=SETTINGS) as kb:
        told = everything(kb)
        assert {place for place, word in WORDS.items() if word not in told} <= {"key", "value"}
        yield kb


def everything(kb: KnowledgeBase) -> str:
    """Return all that a reader is told, apart from the questions themselves, in lower case."""
    told: list[object] = [
        kb.communities(),
        kb.tree(),
        kb.store.list_documents(kb.access),
        kb.store.list_entities(kb.access),
    ]
    for question in QUESTIONS:
        for route in get_args(RouteChoice):
            answer, found = kb.ask(question, route=route), kb.search(question, route=route)
            told += [answer.answer, answer.short_answer, answer.citations, answer.evidence, found.results]
            told.append(kb.context(question, route=route).text)
    text = repr(told).casefold()
    for question in QUESTIONS:
        text = text.replace(question.casefold(), "")
    return text


def told_of(kb: KnowledgeBase, places: tuple[str, ...] = tuple(WORDS)) -> set[str]:
    text = everything(kb)
    return {place for place in places if WORDS[place] in text}


def test_a_deleted_document_is_in_no_answer(writer: KnowledgeBase, reader: KnowledgeBase, folder: Path) -> None:
    (deleted,) = writer.delete([f"{WORDS['file']}.md"]).deleted
    assert told_of(reader) == set()
    assert told_of(writer) == set()
    (folder / deleted).unlink()
    writer.index(folder)
    assert told_of(reader) == set()


def test_a_pruned_document_is_in_no_answer(writer: KnowledgeBase, reader: KnowledgeBase, folder: Path) -> None:
    (folder / f"{WORDS['file']}.md").unlink()
    writer.index(folder, prune=True)
    assert told_of(reader) == set()


def test_a_changed_document_answers_as_it_is_now(writer: KnowledgeBase, reader: KnowledgeBase, folder: Path) -> None:
    path = folder / f"{WORDS['file']}.md"
    path.write_text("# Quiet harbour\n\nThe warehouses of the harbour of Bergen hold sailcloth.\n", encoding="utf-8")
    writer.index(folder)
    assert told_of(reader, tuple(place for place in WORDS if place != "file")) == set()
    assert "sailcloth" in everything(reader)


def test_a_reader_that_goes_on_is_no_reason_to_keep_words(
    writer: KnowledgeBase, reader: KnowledgeBase, tmp_path: Path
) -> None:
    writer.delete([f"{WORDS['file']}.md"])
    assert reader.ask(QUESTIONS[0]).answer is not None
    assert left_behind(tmp_path / "store", WORDS.values()) == set()

"""Drafts a data set from a store: its documents, and questions made from their sentences, for a person to edit."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from belvedere.errors import UserMistake
from belvedere.evaluation.dataset import DRAFTED
from belvedere.knowledge_base import KnowledgeBase
from query.pseudo_questions import MadeQuestion, make_questions

_FILES = ("corpus.jsonl", "questions.jsonl")


class CannotDraft(UserMistake):
    """A store that gives no questions, or a folder with work that would be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What was written."""

    folder: Path
    documents: int
    questions: int


def draft_dataset(kb: KnowledgeBase, folder: Path, count: int) -> Draft:
    """Write ``corpus.jsonl`` and ``questions.jsonl`` to ``folder``, which is made where it is not there.

    At most ``count`` questions, each from another passage; the same store gives the same ones. Raises ``CannotDraft``.
    """
    for name in _FILES:
        if (folder / name).exists():
            raise CannotDraft(f"{folder / name} is already there and may hold your edits: name another folder")
    documents = list(_documents(kb))
    questions = list(_questions(kb, make_questions(kb.store, kb.embedder, count))) if documents else []
    if not questions:
        raise CannotDraft("the store has no sentence that a question can be made from: index some text first")
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in zip(_FILES, (documents, questions), strict=True):
        (folder / name).write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8", errors="replace"
        )
    return Draft(folder=folder, documents=len(documents), questions=len(questions))


def _documents(kb: KnowledgeBase) -> Iterator[Mapping[str, object]]:
    for document in kb.store.list_documents(kb.access):
        text = kb.store.document_text(kb.access, document.id)
        if text:
            yield {**document.metadata, "id": document.id, "title": document.title, "text": text}


def _questions(kb: KnowledgeBase, made: list[MadeQuestion]) -> Iterator[Mapping[str, object]]:
    """Yield a row per question, with the passage that it was made from beside it for whoever edits it."""
    chunks = {chunk.id: chunk for chunk in kb.store.chunks(kb.access, [item.chunk_id for item in made])}
    for number, item in enumerate(made, start=1):
        chunk = chunks[item.chunk_id]
        yield {
            "id": f"{DRAFTED}-{number:04}",
            "question": item.text,
            "gold_ids": [chunk.document_id],
            "type": DRAFTED,
            "answer": None,
            "made_from": chunk.text,
        }

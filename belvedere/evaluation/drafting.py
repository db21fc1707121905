"""Drafts a data set from a store: its documents, and questions made from their sentences, for a person to edit."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from belvedere.errors import UserMistake
from belvedere.evaluation.draft_combined import DraftedQuestion, joins, single, unanswerable
from belvedere.evaluation.draft_reading import FoundFact, read_facts
from belvedere.evaluation.draft_themes import themes
from belvedere.knowledge_base import KnowledgeBase

_FILES = ("corpus.jsonl", "questions.jsonl")
_JOINS, _UNANSWERABLE, _THEMES = 0.2, 0.15, 0.05  # shares of the questions; the rest ask for single facts
# About every third passage has a sentence that can be asked; joins need more to choose from.
_PASSAGES_PER_QUESTION = 15
_LEAST_PASSAGES = 1_000
_NEEDS = {
    "unanswerable": (
        _UNANSWERABLE,
        "they need two names of one kind in two documents, of which alike things are told, and this sample has none. "
        "Without any, abstaining is not measured: write some yourself, with empty gold_ids",
    ),
    "join": (_JOINS, "they need a document that tells of somebody or something that another one defines or names"),
    "theme": (_THEMES, "they need a document of three passages, or a community over several documents"),
}
_KINDS = ("who", "when", "where", "how-many", "what")


class CannotDraft(UserMistake):
    """A store that gives no questions, or a folder with work that would be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What was written; ``types`` are the numbers of questions of each type, ``notes`` say what is missing and why."""

    folder: Path
    documents: int
    questions: int
    types: Mapping[str, int]
    notes: tuple[str, ...]


def draft_dataset(kb: KnowledgeBase, folder: Path, count: int, *, seed: int = 0) -> Draft:
    """Write ``corpus.jsonl`` and ``questions.jsonl`` to ``folder``, which is made where it is not there.

    The corpus holds what the caller may read. At most ``count`` questions, each fact from another passage; the same
    store and seed give the same ones. Raises ``CannotDraft``, ``ModelMissing``.
    """
    for name in _FILES:
        if (folder / name).exists():
            raise CannotDraft(f"{folder / name} is already there and may hold your edits: name another folder")
    _refuse_unwritable(folder)
    documents = list(_documents(kb))
    questions, notes = draft_questions(kb, count, seed=seed) if documents else ((), ())
    if not any(question.documents for question in questions):
        raise CannotDraft(_nothing(kb, documents))
    rows = [_row(number, question) for number, question in enumerate(questions, start=1)]
    _write(folder, (documents, rows))
    types = Counter(question.kind for question in questions)
    return Draft(
        folder=folder,
        documents=len(documents),
        questions=len(questions),
        types=dict(sorted(types.items())),
        notes=notes,
    )


def _refuse_unwritable(folder: Path) -> None:
    """Refuse, before anything is drafted, a folder below something that is none."""
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not above.is_dir():
        raise CannotDraft(f"cannot write to {str(folder)!r}: {str(above)!r} is no folder; name another")


def _write(folder: Path, contents: Sequence[Sequence[Mapping[str, object]]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotDraft(f"cannot make the folder {str(folder)!r}: {error.strerror}; name another") from None
    for name, content in zip(_FILES, contents, strict=True):
        (folder / name).write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content), encoding="utf-8", errors="replace"
        )


def _nothing(kb: KnowledgeBase, documents: Sequence[object]) -> str:
    if documents:
        return "the store has no sentence that a question can be made from: index some text first"
    return f"the tenant {kb.access.tenant!r} has no document that you may read: name another --tenant or --groups"


def draft_questions(kb: KnowledgeBase, count: int, *, seed: int) -> tuple[tuple[DraftedQuestion, ...], tuple[str, ...]]:
    """Return at most ``count`` questions, those of a type together, and what is missing and why."""
    facts = read_facts(
        kb.store,
        kb.access,
        passages=max(_LEAST_PASSAGES, _PASSAGES_PER_QUESTION * count),
        seed=seed,
        parser=kb.settings.indexing.extraction.spacy_model,
    )
    chosen = _Chosen()
    chosen.take(joins(facts), round(count * _JOINS))
    chosen.take(unanswerable(facts, kb.store.passage_graph(kb.access)), round(count * _UNANSWERABLE))
    chosen.take(themes(kb.store, kb.access), round(count * _THEMES))
    chosen.take(_mixed(facts, seed), count - len(chosen.questions))
    questions = tuple(sorted(chosen.questions, key=lambda question: question.kind))
    return questions, tuple(shortfalls(questions, facts, count))


def shortfalls(questions: Sequence[DraftedQuestion], facts: Sequence[FoundFact], count: int) -> Iterator[str]:
    """Yield a sentence for each way in which ``questions`` are fewer than was asked for, with the reason."""
    if len(questions) < count:
        passages = len({found.chunk_id for found in facts})
        yield (
            f"{len(questions)} of the {count} questions asked for: only {passages} passages have a sentence that can "
            "be asked by itself, and each gives one question at most (a join takes two). More documents give more."
        )
    kinds = {question.kind for question in questions}
    for kind, (share, reason) in _NEEDS.items():
        if kind not in kinds:
            why = reason if round(count * share) else f"their share of {count} questions is less than one"
            yield f"None of the type {kind}: {why}."


class _Chosen:
    """Questions, no two of them from one passage or in the same words."""

    def __init__(self) -> None:
        self.questions: list[DraftedQuestion] = []
        self._passages: set[str] = set()
        self._texts: set[str] = set()

    def take(self, offered: Iterable[DraftedQuestion], count: int) -> None:
        """Take the first ``count`` that differ from what is chosen."""
        taken = 0
        for question in offered:
            if taken == count:
                return
            if self._passages.isdisjoint(question.chunks) and question.text not in self._texts:
                self._passages.update(question.chunks)
                self._texts.add(question.text)
                self.questions.append(question)
                taken += 1


def _mixed(facts: Sequence[FoundFact], seed: int) -> Iterator[DraftedQuestion]:
    """Yield questions for single facts, of each kind in turn, in a seeded order."""
    shuffled = random.Random(seed).sample(facts, len(facts))
    by_kind = [[found for found in shuffled if found.fact.kind == kind] for kind in _KINDS]
    yield from (single(found) for found in chain.from_iterable(zip_longest(*by_kind)) if found is not None)


def _documents(kb: KnowledgeBase) -> Iterator[Mapping[str, object]]:
    for document in kb.store.list_documents(kb.access):
        text = kb.store.document_text(kb.access, document.id)
        if text:
            yield {**document.metadata, "id": document.id, "title": document.title, "text": text}


def _row(number: int, question: DraftedQuestion) -> Mapping[str, object]:
    """Return a line of the file, with what the question was made from for whoever edits it."""
    return {
        "id": f"draft-{number:04}",
        "question": question.text,
        "gold_ids": list(question.documents),
        "type": question.kind,
        "answer": question.answer,
        "draft": True,
        "made_from": list(question.made_from),
    }

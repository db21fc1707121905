"""Reads passages of a store for drafting: which sentences say something that can be asked, and what."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from belvedere.evaluation.draft_clauses import without_brackets
from belvedere.evaluation.draft_facts import Fact, Naming, sentence_facts
from belvedere.evaluation.draft_names import Names
from belvedere.evaluation.draft_soundness import is_sound
from graph_store.access import Access
from graph_store.records import Chunk
from graph_store.store import GraphStore
from model_clients.errors import ModelMissing
from raptor.sentence_quality import sentence_quality

if TYPE_CHECKING:
    from spacy.language import Language

_LEAST_WORDS, _MOST_WORDS = 6, 40
_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFact:
    """A fact with the passage that states it, and the normal forms of the full names of its subject and its answer."""

    fact: Fact
    chunk_id: str
    document_id: str
    title: str
    subject_key: str
    answer_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Telling:
    chunk: Chunk
    text: str


def read_facts(store: GraphStore, access: Access, *, passages: int, seed: int, parser: str) -> tuple[FoundFact, ...]:
    """Return what can be asked of a seeded sample of ``passages`` passages, in its order.

    Half of them are passages that the first half links to, since joins need both ends. Raises ``ModelMissing`` where
    the spaCy pipeline ``parser`` is not installed.
    """
    chunks = store.chunks(access, _sample(store, access, passages, seed))
    sentences = list(_telling(store, access, chunks))
    return tuple(_facts(sentences, load_parser(parser), Names(store, access)))


def _sample(store: GraphStore, access: Access, passages: int, seed: int) -> list[str]:
    graph = store.passage_graph(access)
    rows = list(range(len(graph.chunk_ids)))
    random.Random(seed).shuffle(rows)
    chosen: dict[int, None] = {}
    for row in rows:
        if len(chosen) >= passages:
            break
        chosen[row] = None
        begin, end = int(graph.indptr[row]), int(graph.indptr[row + 1])
        linked = sorted(range(begin, end), key=lambda place: (-float(graph.weights[place]), place))
        chosen.update(dict.fromkeys(int(graph.indices[place]) for place in linked[:2]))
    return [graph.chunk_ids[row] for row in list(chosen)[:passages]]


def _telling(store: GraphStore, access: Access, chunks: Sequence[Chunk]) -> Iterator[_Telling]:
    """Yield the sentences that stand alone well enough to be asked of."""
    by_id: Mapping[str, Chunk] = {chunk.id: chunk for chunk in chunks}
    for sentence in store.sentences(access, list(by_id)).sentences:
        chunk = by_id[sentence.chunk_id]
        text = " ".join(chunk.text[sentence.char_start : sentence.char_end].split())
        if _LEAST_WORDS <= len(text.split()) <= _MOST_WORDS and sentence_quality(text) > 0.5 and text[0].isalnum():
            yield _Telling(chunk=chunk, text=text)


def _facts(sentences: Sequence[_Telling], pipeline: "Language", names: Names) -> Iterator[FoundFact]:
    shown = [without_brackets(sentence.text) for sentence in sentences]
    for sentence, doc in zip(sentences, pipeline.pipe(shown, batch_size=_BATCH), strict=True):
        spans = list(doc.sents)
        if len(spans) != 1:
            continue
        naming = partial(names.full_name, sentence.chunk)
        for fact in dict.fromkeys(sentence_facts(spans[0], sentence.text, naming)):
            if is_sound(fact.question, fact.answer) and _asks_for_its_kind(fact, naming):
                yield _found(_with_whole_subject(fact), sentence.chunk, names)


def _asks_for_its_kind(fact: Fact, naming: Naming) -> bool:
    """Tell whether a question with "who" is about a person, as far as the collection knows the names."""
    if fact.kind != "who":
        return True
    if fact.subject and fact.question in {f"{word} {fact.subject}?" for word in ("Who is", "Who was")}:
        return fact.subject_label == "PERSON"
    return naming(fact.answer, "PERSON")[1] == "PERSON"


def _found(fact: Fact, chunk: Chunk, names: Names) -> FoundFact:
    return FoundFact(
        fact=fact,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        title=names.title(chunk.document_id),
        subject_key=names.key(chunk, fact.subject) if fact.subject else "",
        answer_key=names.key(chunk, fact.answer) if fact.description else "",
    )


def _with_whole_subject(fact: Fact) -> Fact:
    """Forget a subject that does not stand in the question just once: another could not be put there."""
    return fact if fact.subject and fact.question.count(fact.subject) == 1 else replace(fact, subject="")


def load_parser(name: str) -> "Language":
    """Return a spaCy pipeline with its lemmatizer, which indexing does without. Raises ``ModelMissing``."""
    import spacy  # noqa: PLC0415  # heavy import, only when used

    try:
        return spacy.load(name, exclude=["senter"])
    except OSError as error:
        raise ModelMissing(
            f"the spaCy pipeline {name!r} is not installed or cannot be loaded: install it, or change the setting"
            " indexing.extraction.spacy_model"
        ) from error

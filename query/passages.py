"""Passages with their documents, and the sentences in them that may answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph_store.access import Access
from graph_store.records import Chunk, Document, Sentence
from graph_store.store import GraphStore
from model_clients.embedder import FloatVector
from query.table_rows import table_header
from raptor.text_words import content_stems, tokens

# Marked headings, underlined and bold lines, and the rule of a table.
_MARKUP = re.compile(r"^\s*#{1,6}\s|\|\s*:?-{3,}|^\s*(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$|\n\s*(?:={3,}|-{3,})\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk with its document; ``rank`` is its place in the ranking, from 1.

    ``context_stems`` are the content stems of the title and the headings.
    """

    chunk: Chunk
    document: Document
    rank: int
    context_stems: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSentence:
    """A sentence of a passage with its cosine to the question.

    ``stems`` are the content stems of its own text, ``known_stems`` those of its title, its headings and
    (in a table) the heads of the columns as well.
    """

    passage: Passage
    sentence: Sentence
    text: str
    cosine: float
    stems: frozenset[str]
    known_stems: frozenset[str]


def read_passages(store: GraphStore, access: Access, chunks: Sequence[Chunk]) -> tuple[Passage, ...]:
    """Join chunks, ranked best first, with their documents."""
    document_ids = list(dict.fromkeys(chunk.document_id for chunk in chunks))
    documents = {document.id: document for document in store.documents(access, document_ids)}
    return tuple(
        Passage(
            chunk=chunk,
            document=documents[chunk.document_id],
            rank=rank,
            context_stems=_context_stems(documents[chunk.document_id], chunk),
        )
        for rank, chunk in enumerate(chunks, start=1)
        if chunk.document_id in documents
    )


def read_sentences(
    store: GraphStore, access: Access, passages: Sequence[Passage], vector: FloatVector
) -> tuple[CandidateSentence, ...]:
    """Read the sentences of ``passages`` with their cosines to ``vector`` ((d,), unit length), in passage order.

    Headings, and the header row of a table with its rule, tell nothing by themselves and are left out.
    """
    by_chunk = {passage.chunk.id: passage for passage in passages}
    read = store.sentences(access, list(by_chunk))
    if not read.sentences:
        return ()
    cosines = (read.vectors @ vector).tolist()
    return tuple(
        _candidate(by_chunk[sentence.chunk_id], sentence, cosine)
        for sentence, cosine in zip(read.sentences, cosines, strict=True)
        if not _is_heading(by_chunk[sentence.chunk_id], _text(by_chunk[sentence.chunk_id], sentence))
    )


def _is_heading(passage: Passage, text: str) -> bool:
    """Tell whether ``text`` is markup, or repeats the title or a heading whose words every sentence below has anyway.

    A text that ends as sentences do, or is all that a passage has, is none.
    """
    if _MARKUP.search(text):
        return True
    if text.endswith((".", "!", "?", "|")) or text == passage.chunk.text.strip():
        return False
    words = tokens(text)
    return any(words == tokens(name) for name in (passage.document.title, *passage.chunk.heading_path))


def _candidate(passage: Passage, sentence: Sentence, cosine: float) -> CandidateSentence:
    text = _text(passage, sentence)
    stems = frozenset(content_stems(text))
    return CandidateSentence(
        passage=passage,
        sentence=sentence,
        text=text,
        cosine=cosine,
        stems=stems,
        known_stems=stems | passage.context_stems | frozenset(content_stems(table_header(passage.chunk, sentence))),
    )


def _text(passage: Passage, sentence: Sentence) -> str:
    return passage.chunk.text[sentence.char_start : sentence.char_end]


def _context_stems(document: Document, chunk: Chunk) -> frozenset[str]:
    return frozenset(content_stems(" ".join([document.title, *chunk.heading_path, chunk.context])))

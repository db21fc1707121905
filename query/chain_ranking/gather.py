"""Reads the pool of a question and measures it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.bundles import FloatMatrix, TokenVectors
from graph_store.records import Chunk, Document, Sentence
from graph_store.store import GraphStore
from query.chain_ranking.arrays import Matrix, Vector
from query.chain_ranking.coverage import token_table, unit_tokens, word_scale
from query.chain_ranking.evidence import (
    Evidence,
    ToldSentences,
    list_scores,
    passage_coverage,
    sentence_nearness,
    stem_set,
    title_text,
    told_sentences,
    words_in,
)
from query.chain_ranking.names import stands_in
from query.chain_ranking.pool import Candidates
from query.chain_ranking.question_words import QuestionWords, question_words
from query.readable_view import ReadableView
from query.request import Request

_NO_NAMES: frozenset[str] = frozenset()
# Where a store keeps no token vectors, a word that stands in a passage counts as covered well beyond the usual.
_HELD = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Standardised coverage of passages (n, w) and of sentences (m, w)."""

    passages: Matrix
    sentences: Matrix


def gather_evidence(
    store: GraphStore, request: Request, view: ReadableView, *, found: Candidates, pool: Sequence[str]
) -> Evidence:
    """Read the pool and measure it against the question."""
    # First of all, for a store on a server hands out the passages with their names.
    names = view.names_of([place for chunk_id in pool if (place := view.place(chunk_id)) is not None])
    chunks = store.chunks(request.access, pool)
    ids = [chunk.id for chunk in chunks]
    titles = _titles(store, request, chunks)
    words = question_words(request.question, view.rarity)
    told = told_sentences(chunks, store.sentences(request.access, ids))
    vectors = _vectors(store, request, ids)
    lexical = words_in([f"{title}\n{chunk.text}" for title, chunk in zip(titles, chunks, strict=True)], words.stems)
    sentence_lexical = words_in(_sentence_texts(chunks, told.sentences), words.stems)
    by_chunk = store.token_vectors(request.access, ids)
    tokens = [by_chunk[chunk_id] for chunk_id in ids if chunk_id in by_chunk]
    coverage = _token_coverage(tokens, request, view, words=words, told=told)
    title_words = words_in(titles, words.stems)
    places = [view.place(chunk_id) for chunk_id in ids]
    about = tuple(names.about(place) if place is not None else _NO_NAMES for place in places)
    asked = frozenset(key for keys in about for key in keys if stands_in(key, request.question.searched))
    bm25, bm25_rank = list_scores(found.bm25, ids, missing=0.0)
    fused, _ = list_scores(found.fused, ids, missing=min((hit.score for hit in found.fused), default=0.0))
    _, dense_rank = list_scores(found.dense, ids, missing=0.0)
    return Evidence(
        words=words,
        asked=request.question.searched,
        chunks=chunks,
        titles=titles,
        question=request.vector,
        vectors=vectors,
        sentences=told.sentences,
        sentence_vectors=told.vectors,
        sentence_cosine=(told.vectors @ request.vector).astype(np.float64),
        first_sentence=told.bounds,
        dense=view.background.standard_cosines(vectors, request.vector),
        bm25=bm25 / max((hit.score for hit in found.bm25), default=1.0),
        dense_rank=dense_rank,
        bm25_rank=bm25_rank,
        fused=fused,
        mass=_mass(found.mass, places),
        coverage=_HELD * lexical if coverage is None else coverage.passages,
        sentence_coverage=_HELD * sentence_lexical if coverage is None else coverage.sentences,
        lexical=lexical,
        title_words=title_words,
        title_share=title_words.sum(axis=1) / np.array([max(1, len(stem_set(title))) for title in titles]),
        names=tuple(
            names.mentioned(place) | keys if place is not None else keys
            for place, keys in zip(places, about, strict=True)
        ),
        about=about,
        asked_home=np.array([bool(keys & asked) for keys in about], dtype=np.float64),
    )


def _titles(store: GraphStore, request: Request, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    ids = list(dict.fromkeys(chunk.document_id for chunk in chunks))
    documents: Mapping[str, Document] = {document.id: document for document in store.documents(request.access, ids)}
    return tuple(title_text(documents[chunk.document_id], chunk) for chunk in chunks)


def _vectors(store: GraphStore, request: Request, ids: Sequence[str]) -> FloatMatrix:
    found = store.chunk_vectors(request.access, ids)
    return np.array([found[chunk_id] for chunk_id in ids], dtype=np.float32).reshape(-1, len(request.vector))


def _token_coverage(
    tokens: Sequence[TokenVectors], request: Request, view: ReadableView, *, words: QuestionWords, told: ToldSentences
) -> Coverage | None:
    """Return coverage by the token vectors of the pool; None where there are none."""
    if not tokens or not len(request.tokens.starts):
        return None
    table = token_table(tokens)
    asked = unit_tokens(request.tokens.vectors)
    pieces = words.pieces(request.tokens.starts.tolist())
    cosines = (table.vectors @ asked.T).astype(np.float64)
    scale = word_scale(view.background.nearness(asked, pieces))
    near = sentence_nearness(table, cosines, pieces, told)
    return Coverage(passages=scale.standard(passage_coverage(table, cosines, pieces)), sentences=scale.standard(near))


def _sentence_texts(chunks: Sequence[Chunk], sentences: Sequence[Sentence]) -> list[str]:
    texts = {chunk.id: chunk.text for chunk in chunks}
    return [texts[item.chunk_id][item.char_start : item.char_end] for item in sentences]


def _mass(mass: Vector, places: Sequence[int | None]) -> Vector:
    """Return mass as a share of the largest, (n,); 0 for passages that the walk does not know."""
    own = np.array([mass[place] if place is not None and place < len(mass) else 0.0 for place in places])
    share: Vector = own / max(float(mass.max(initial=0.0)), 1e-12)
    return share

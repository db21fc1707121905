"""Everything that is measured about the pool of one question, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graph_store.bundles import ChunkSentences, FloatMatrix, FloatVector
from graph_store.records import Chunk, Document, Hit, Sentence
from query.chain_ranking.arrays import Indices, Matrix, Vector
from query.chain_ranking.coverage import TokenTable, highest_in_segments
from query.chain_ranking.question_words import QuestionWords
from raptor.text_words import content_stems

_STEMS_KEPT = 8_192


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The pool of one question: n passages with m sentences, and a question of w words.

    ``coverage`` (n, w) and ``sentence_coverage`` (m, w) are standard scores (see ``coverage``); ``lexical`` (n, w) and
    ``title_words`` (n, w) tell which words stand in the passage with its title, and in its title and headings.
    ``sentence_cosine`` (m,) is taken with the question, ``first_sentence`` (n + 1,) bounds the sentences of each
    passage. ``dense`` are cosines standardised against the collection, ``bm25`` and ``mass`` shares of the best,
    ranks count from 0. ``names`` are keys of names that a passage mentions or is about, ``about`` the latter;
    ``asked_home`` is 1 where the question names what the passage is about.
    """

    words: QuestionWords
    asked: str
    chunks: tuple[Chunk, ...]
    titles: tuple[str, ...]
    question: FloatVector
    vectors: FloatMatrix
    sentences: tuple[Sentence, ...]
    sentence_vectors: FloatMatrix
    sentence_cosine: Vector
    first_sentence: Indices
    dense: Vector
    bm25: Vector
    dense_rank: Vector
    bm25_rank: Vector
    fused: Vector
    mass: Vector
    coverage: Matrix
    sentence_coverage: Matrix
    lexical: Matrix
    title_words: Matrix
    title_share: Vector
    names: tuple[frozenset[str], ...]
    about: tuple[frozenset[str], ...]
    asked_home: Vector

    @property
    def size(self) -> int:
        """Return n."""
        return len(self.chunks)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldSentences:
    """The sentences of the pool, passage by passage: those of passage i are ``bounds[i]`` to ``bounds[i + 1]``."""

    sentences: tuple[Sentence, ...]
    vectors: FloatMatrix
    bounds: Indices


def told_sentences(chunks: Sequence[Chunk], found: ChunkSentences) -> ToldSentences:
    """Return the sentences with their bounds (n + 1,); ``found`` is in the order of ``chunks``."""
    counts = dict.fromkeys((chunk.id for chunk in chunks), 0)
    for sentence in found.sentences:
        counts[sentence.chunk_id] += 1
    bounds = np.concatenate(([0], np.cumsum(list(counts.values())))).astype(np.int64)
    return ToldSentences(sentences=found.sentences, vectors=found.vectors, bounds=bounds)


def passage_coverage(table: TokenTable, cosines: Matrix, pieces: Matrix) -> Matrix:
    """Return (n, w): how near the nearest token of each passage comes to each word; not yet standardised."""
    return highest_in_segments(cosines, table.bounds[:-1], table.bounds[1:]) @ pieces


def sentence_nearness(table: TokenTable, cosines: Matrix, pieces: Matrix, told: ToldSentences) -> Matrix:
    """Return (m, w): the same for each sentence, by the tokens that start in it."""
    begins, ends = np.zeros(len(told.sentences), dtype=np.int64), np.zeros(len(told.sentences), dtype=np.int64)
    for passage in range(len(told.bounds) - 1):
        first, last = table.bounds[passage], table.bounds[passage + 1]
        own = slice(told.bounds[passage], told.bounds[passage + 1])
        starts = table.starts[first:last]
        begins[own] = first + np.searchsorted(starts, [item.char_start for item in told.sentences[own]])
        ends[own] = first + np.searchsorted(starts, [item.char_end for item in told.sentences[own]])
    return highest_in_segments(cosines, begins, ends) @ pieces


@lru_cache(maxsize=_STEMS_KEPT)
def stem_set(text: str) -> frozenset[str]:
    """Return the content stems of a text; kept for the texts asked about last."""
    return frozenset(content_stems(text))


def words_in(texts: Sequence[str], stems: Sequence[str]) -> Matrix:
    """Return (n, w): 1 where the stem of a question word stands in the text."""
    found = np.zeros((len(texts), len(stems)))
    for row, text in enumerate(texts):
        own = stem_set(text)
        found[row] = [stem in own for stem in stems]
    return found


def title_text(document: Document, chunk: Chunk) -> str:
    """Return title and headings as one text."""
    return " ".join(dict.fromkeys((document.title, *chunk.heading_path)))


def list_scores(hits: Sequence[Hit], ids: Sequence[str], *, missing: float) -> tuple[Vector, Vector]:
    """Return (n,) scores (``missing`` where absent) and (n,) ranks from 0 (the length of the list where absent)."""
    places = {hit.id: (hit.score, rank) for rank, hit in enumerate(hits)}
    pairs = [places.get(chunk_id, (missing, len(hits))) for chunk_id in ids]
    table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]

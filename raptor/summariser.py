"""Extractive summaries: sentences chosen for centrality, coverage and diversity, quoted with their source.

The choice is greedy facility location (Lin and Bilmes 2011, "A class of submodular functions for document
summarization"): each step takes the sentence that explains most of what the chosen ones do not explain yet, where a
sentence that lies close to the centre of the text counts for more. Greedy choice is within 1 - 1/e of the best one.
"""

from collections.abc import Sequence

import numpy as np

from graph_store.bundles import FloatMatrix
from graph_store.records import SourcedSentence
from raptor.audience import FloatArray, IntVector, SentenceTable

MAX_CANDIDATES = 400
"""Sentences compared with each other at once: bounds the (n, n) similarities of a very long text."""

MAX_LEFT_OUT = 48
"""Sentences offered to a parent summary beyond those that its children chose."""

MAX_SUMMARY_WORDS = 150
"""Words of the text that is embedded for a summary."""

_NEAR_DUPLICATE = 0.9  # cosine above which two sentences say the same
_UNRELATED = 0.25  # cosine that any two sentences of one field reach: explains nothing
_LEAD_BONUS = 0.75  # share by which the lead sentence of a document gains


def choose_sentences(
    table: SentenceTable, rows: IntVector, *, limit: int, emphasis: FloatArray | None = None
) -> IntVector:
    """Choose at most ``limit`` of the sentences ``rows`` as their summary; returns rows, ascending.

    Never more than a quarter of the usable sentences are taken (but two, where there are two). Fragments are taken only
    where there is nothing else; no text is taken twice. ``emphasis`` (one factor per row of the table) makes sentences
    likelier. O(n²d) for n candidates, n at most ``MAX_CANDIDATES``; no rows give no rows.
    """
    candidates = _candidates(table, rows)
    if len(candidates) == 0:
        return candidates
    vectors = table.vectors[candidates]
    salience = _salience(table, candidates, vectors, emphasis)
    if len(candidates) > MAX_CANDIDATES:
        keep = np.sort(np.argsort(-salience, kind="stable")[:MAX_CANDIDATES])
        candidates, vectors, salience = candidates[keep], vectors[keep], salience[keep]
    allowed = min(limit, max(2, -(-len(candidates) // 4)))
    return candidates[np.sort(_greedy(vectors @ vectors.T, salience, allowed))]


def choose_parent_sentences(
    table: SentenceTable, chosen: IntVector, rows: IntVector, *, limit: int, emphasis: FloatArray | None = None
) -> IntVector:
    """Choose the summary of a parent from what its children chose plus the sentences that they explain least.

    ``chosen`` are the children's rows, ``rows`` all rows below the parent. Where the children chose nothing (they are
    chunks), this is ``choose_sentences`` over all rows.
    """
    if len(chosen) == 0:
        return choose_sentences(table, rows, limit=limit, emphasis=emphasis)
    left_out = np.setdiff1d(_candidates(table, rows), chosen)
    if len(left_out) > MAX_LEFT_OUT:
        vectors = table.vectors[left_out]
        explained = (vectors @ table.vectors[chosen].T).max(axis=1)
        need = _salience(table, left_out, vectors, emphasis) * (1.0 - explained)
        left_out = left_out[np.argsort(-need, kind="stable")[:MAX_LEFT_OUT]]
    return choose_sentences(table, np.union1d(chosen, left_out), limit=limit, emphasis=emphasis)


def quote(table: SentenceTable, rows: IntVector) -> tuple[SourcedSentence, ...]:
    """Return the sentences themselves, each with its chunk and span."""
    return tuple(table.sentences[row] for row in rows)


def summary_text(title: str, sentences: Sequence[SourcedSentence]) -> str:
    """Return the text to embed for a report or a tree node: the title, then whole sentences while they fit into
    ``MAX_SUMMARY_WORDS`` words; a first sentence that is too long is cut.
    """
    parts = [title] if title else []
    left = MAX_SUMMARY_WORDS - len(title.split())
    for number, sentence in enumerate(sentences):
        words = sentence.text.split()
        if number == 0:
            words = words[: max(left, 1)]
        if len(words) > left and number > 0:
            break
        parts.append(" ".join(words))
        left -= len(words)
    return "\n".join(parts)


def _candidates(table: SentenceTable, rows: IntVector) -> IntVector:
    """Return the usable rows (all that say anything where none is usable), each text once, ascending."""
    rows = np.unique(rows)
    usable = rows[table.quality[rows] > 0]
    picked: dict[str, int] = {}
    for row in usable if len(usable) else rows:
        picked.setdefault(table.keys[row], int(row))
    picked.pop("", None)
    return np.array(list(picked.values()), dtype=np.int64)


def _salience(table: SentenceTable, rows: IntVector, vectors: FloatMatrix, emphasis: FloatArray | None) -> FloatArray:
    """How much each sentence deserves to be said: near the centre, well formed, leading its document."""
    centre = vectors.mean(axis=0)
    norm = float(np.linalg.norm(centre))
    centrality = np.maximum(vectors @ centre / norm, 0.05) if norm > 0 else np.ones(len(rows), dtype=np.float32)
    salience: FloatArray = centrality * np.maximum(table.quality[rows], 0.05) * (1.0 + _LEAD_BONUS * table.lead[rows])
    return salience if emphasis is None else salience * emphasis[rows]


def _greedy(similarity: FloatMatrix, salience: FloatArray, limit: int) -> IntVector:
    """Greedy facility location over (n, n) cosines; returns indices in the order of choice."""
    explains = np.clip((similarity - _UNRELATED) / (1.0 - _UNRELATED), 0.0, 1.0)
    np.fill_diagonal(explains, 1.0)
    covered = np.zeros(len(salience), dtype=np.float32)
    open_ = np.ones(len(salience), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < limit and open_.any():
        gain = np.maximum(explains - covered, 0.0) @ salience
        best = int(np.argmax(np.where(open_, gain * salience, -1.0)))
        chosen.append(best)
        covered = np.maximum(covered, explains[best])
        open_ &= similarity[best] < _NEAR_DUPLICATE
        open_[best] = False
    return np.array(chosen, dtype=np.int64)

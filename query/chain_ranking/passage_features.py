"""What speaks for a passage by itself, one small function a feature."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from graph_store.bundles import FloatMatrix
from query.chain_ranking.arrays import Vector
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.links import Links
from query.chain_ranking.pool import hop_vectors

_MOST_SAME = 2.0
# How much each signal of late interaction counts beside the fused searches; chosen on training questions.
_LATE_INTERACTION = 0.4


def pool_scores(column: Vector) -> Vector:
    """Return standard scores within the pool; zeros where all are equal."""
    spread = float(column.std())
    if spread < 1e-9:
        return np.zeros_like(column)
    scores: Vector = (column - column.mean()) / spread
    return scores


def best_sentence(evidence: Evidence, values: Vector) -> Vector:
    """Return (n,): the largest value of the sentences of each passage, 0 where it has none."""
    bounds = evidence.first_sentence
    found = np.zeros(evidence.size)
    filled = np.flatnonzero(bounds[1:] > bounds[:-1])
    if len(filled):
        found[filled] = np.maximum.reduceat(values, bounds[:-1][filled])
    return found


def best_sentence_vectors(evidence: Evidence) -> FloatMatrix:
    """Return (n, d): the vector of the sentence nearest to the question, of the passage itself where it has none."""
    cosines, bounds = evidence.sentence_cosine, evidence.first_sentence
    rows = [
        evidence.sentence_vectors[first + int(np.argmax(cosines[first:last]))] if last > first else own
        for first, last, own in zip(bounds[:-1], bounds[1:], evidence.vectors, strict=True)
    ]
    return np.array(rows, dtype=np.float32).reshape(evidence.vectors.shape)


def dense(evidence: Evidence) -> Vector:
    """Cosine with the question, standardised against a sample of the collection."""
    return evidence.dense


def bm25(evidence: Evidence) -> Vector:
    """BM25 score as a share of the best."""
    return evidence.bm25


def dense_place(evidence: Evidence) -> Vector:
    """1 / (1 + rank) in the vector search."""
    return 1.0 / (1.0 + evidence.dense_rank)


def bm25_place(evidence: Evidence) -> Vector:
    """1 / (1 + rank) in the keyword search."""
    return 1.0 / (1.0 + evidence.bm25_rank)


def walk_mass(evidence: Evidence) -> Vector:
    """Mass in the walk as a share of the best."""
    return evidence.mass


def walk_log(evidence: Evidence) -> Vector:
    """Logarithm of that share."""
    logarithms: Vector = np.log(evidence.mass + 1e-5)
    return logarithms


def walk_place(evidence: Evidence) -> Vector:
    """1 / (1 + rank) by mass."""
    places = np.argsort(np.argsort(-evidence.mass, kind="stable"), kind="stable")
    return 1.0 / (1.0 + places.astype(np.float64))


def covered(evidence: Evidence) -> Vector:
    """Weighted coverage of the question's words by tokens."""
    return evidence.coverage @ evidence.words.weights


def words_held(evidence: Evidence) -> Vector:
    """Weighted share of the question's words that stand in the passage."""
    return evidence.lexical @ evidence.words.weights


def names_held(evidence: Evidence) -> Vector:
    """Weighted share of the words of names in the question that stand in the passage."""
    return evidence.lexical @ (evidence.words.weights * evidence.words.capitalised)


def other_words_held(evidence: Evidence) -> Vector:
    """Weighted share of the other words that stand in the passage."""
    return evidence.lexical @ (evidence.words.weights * ~evidence.words.capitalised)


def names_in_title(evidence: Evidence) -> Vector:
    """Weighted share of the question's name words in title and headings."""
    return evidence.title_words @ (evidence.words.weights * evidence.words.capitalised)


def words_in_title(evidence: Evidence) -> Vector:
    """Weighted share of the question's words in title and headings."""
    return evidence.title_words @ evidence.words.weights


def title_asked(evidence: Evidence) -> Vector:
    """Share of the words of title and headings that stand in the question."""
    return evidence.title_share


def sentence_nearest(evidence: Evidence) -> Vector:
    """Cosine of the nearest sentence with the question."""
    return best_sentence(evidence, evidence.sentence_cosine)


def sentence_covers(evidence: Evidence) -> Vector:
    """Weighted coverage by the sentence that covers most."""
    return best_sentence(evidence, evidence.sentence_coverage @ evidence.words.weights)


def lead_nearest(evidence: Evidence) -> Vector:
    """Cosine of the first sentence with the question."""
    bounds = evidence.first_sentence
    if not len(evidence.sentences):
        return np.zeros(evidence.size)
    first = np.minimum(bounds[:-1], len(evidence.sentences) - 1)
    nearness: Vector = np.where(bounds[1:] > bounds[:-1], evidence.sentence_cosine[first], 0.0)
    return nearness


def two_best_words(evidence: Evidence) -> Vector:
    """Mean coverage of the two words covered best."""
    if evidence.coverage.shape[1] < 2:
        total: Vector = evidence.coverage.sum(axis=1)
        return total
    best: Vector = np.sort(evidence.coverage, axis=1)[:, -2:].mean(axis=1)
    return best


def asked_home(evidence: Evidence) -> Vector:
    """1 where the question names what the passage is about."""
    return evidence.asked_home


def plain_search(evidence: Evidence) -> Vector:
    """Return (n,): how well each passage answers by itself: the fused searches, refined by late interaction.

    Added to the standard score of the searches are those of the passage's coverage of the question's words by its
    tokens, of the same by its best sentence, and of its nearest sentence. Source: late interaction as in ColBERT
    (Khattab and Zaharia, SIGIR 2020), over token vectors of a model that was not trained for it, so it only refines.
    """
    late = sum(pool_scores(feature(evidence)) for feature in (covered, sentence_covers, sentence_nearest))
    searched: Vector = pool_scores(evidence.fused) + _LATE_INTERACTION * late
    return searched


def same_document_above(evidence: Evidence) -> Vector:
    """How many passages of the same document have more mass, at most 2."""
    return same_above(evidence, evidence.mass)


def same_above(evidence: Evidence, scores: Vector) -> Vector:
    """Return how many passages of the same document score higher, at most 2."""
    documents = [chunk.document_id for chunk in evidence.chunks]
    seen: dict[str, int] = {}
    above = np.zeros(evidence.size)
    for index in np.argsort(-scores, kind="stable").tolist():
        above[index] = min(_MOST_SAME, seen.get(documents[index], 0))
        seen[documents[index]] = seen.get(documents[index], 0) + 1
    return above


PASSAGE_FEATURES: Mapping[str, Callable[[Evidence], Vector]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            dense, bm25, dense_place, bm25_place, walk_mass, walk_log, walk_place, covered, words_held, names_held,
            other_words_held, names_in_title, words_in_title, title_asked, sentence_nearest, sentence_covers,
            lead_nearest, two_best_words, asked_home, same_document_above,
        )
    }
)  # fmt: skip


def hop_nearness(evidence: Evidence, links: Links, strengths: Vector, told: FloatMatrix) -> dict[str, Vector]:
    """Return nearness (n,) to the question carried on through the anchors, weighted by their strength.

    Through the whole anchor, through its sentence nearest to the question (``told`` (n, d)), and the first over links
    alone. An anchor is not near to itself.
    """
    anchors = list(links.anchors)
    weight = (0.5 + 0.5 * strengths)[:, None]
    itself = np.zeros((len(anchors), evidence.size), dtype=bool)
    itself[np.arange(len(anchors)), anchors] = True
    linked = np.zeros((len(anchors), evidence.size))
    linked[links.place, links.target] = 1.0
    whole = weight * (hop_vectors(evidence.question, evidence.vectors[anchors]) @ evidence.vectors.T)
    by_sentence = weight * (hop_vectors(evidence.question, told[anchors]) @ evidence.vectors.T)
    return {
        "hop": np.where(itself, 0.0, whole).max(axis=0, initial=0.0),
        "hop_by_sentence": np.where(itself, 0.0, by_sentence).max(axis=0, initial=0.0),
        "hop_by_link": (whole * linked).max(axis=0, initial=0.0),
    }

"""The gate: how far the chains are trusted for one question, beside the plain searches.

Where one passage answers, or where names do not lead from passage to passage, following links only does harm. A small
trained model looks at how the searches and the chains turned out and mixes the two.
"""

from collections.abc import Sequence

import numpy as np

from query.chain_ranking.arrays import Indices, Vector
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.passage_features import pool_scores
from query.chain_ranking.rounds import RoundResult

_TOP = 5
_CHAIN = 3
_NO_LINK = -6.0
# So many best passages of the searches stay among so many first.
_KEPT = 2
_IN_SIGHT = 5
_LEAST_GAP = 1e-9


def gate_features(evidence: Evidence, result: RoundResult, searched: Vector) -> dict[str, float]:
    """Return what the gate looks at, after the last round; ``searched`` (n,) are the scores of the plain search."""
    by_chains = np.argsort(-result.scores, kind="stable")
    by_search = np.argsort(-searched, kind="stable")
    return {
        **_certainty(evidence, result.scores, by_chains),
        "search_lead": _lead(searched, by_search),
        **_question_shape(evidence),
        **_coverage(evidence, by_chains, by_search),
        **_links(evidence, result, by_chains),
        "distinct": _distinct_documents(evidence, by_chains[:_TOP]),
        "departs": _departure(by_chains, by_search),
    }


def gated(scores: Vector, searched: Vector, trust: float) -> Vector:
    """Return the mixture of standardised scores of the chains (share ``trust``) and of the searches, (n,).

    The two best of the searches stay among the first five whatever the chains say: a passage that answers by itself
    costs a join little there, and losing it would cost everything where no join is asked for.
    """
    mixture: Vector = trust * pool_scores(scores) + (1.0 - trust) * pool_scores(searched)
    return _kept_in_sight(mixture, np.argsort(-searched, kind="stable")[:_KEPT].tolist())


def _kept_in_sight(scores: Vector, kept: Sequence[int]) -> Vector:
    """Return ``scores`` dealt out anew where some of ``kept`` are not among the first five.

    Those then stand last there, the others keep their order; ties are broken, so that the new order is the scores'.
    """
    order = np.argsort(-scores, kind="stable").tolist()
    missing = [index for index in kept if index not in order[:_IN_SIGHT]]
    if not missing:
        return scores
    others = [index for index in order if index not in kept]
    in_sight = {*kept, *others[: _IN_SIGHT - len(kept)]}.difference(missing)
    first = [index for index in order if index in in_sight]
    behind = [index for index in others if index not in in_sight]
    dealt = scores.copy()
    dealt[[*first, *missing, *behind]] = scores[order] - _LEAST_GAP * np.arange(len(order))
    return dealt


def _certainty(evidence: Evidence, scores: Vector, by_chains: Indices) -> dict[str, float]:
    """Return how good the best of the chains is, how far ahead of its second, and how near the nearest passage."""
    return {
        "best_score": float(scores[by_chains[0]]),
        "lead": _lead(scores, by_chains),
        "dense_best": float(evidence.dense.max()),
    }


def _lead(scores: Vector, order: Indices) -> float:
    """Return how far the first of ``order`` is ahead of the second."""
    return float(scores[order[0]] - scores[order[min(1, len(order) - 1)]])


def _question_shape(evidence: Evidence) -> dict[str, float]:
    """Return how many words and how many words of names the question has, and their ratio."""
    words, names = len(evidence.words.stems), float(evidence.words.capitalised.sum())
    return {"words_asked": float(words), "names_asked": names, "names_share": names / max(1, words)}


def _coverage(evidence: Evidence, by_chains: Indices, by_search: Indices) -> dict[str, float]:
    """Return how much of the question the searches' first passage holds, and what chains hold beyond one passage."""
    weights = evidence.words.weights
    held, covered = evidence.lexical @ weights, evidence.coverage @ weights
    top = by_chains[:_CHAIN]
    together = float(evidence.lexical[by_chains[:_TOP]].max(axis=0) @ weights)
    return {
        "search_holds": float(held[by_search[0]]),
        "search_covers": float(covered[by_search[0]]),
        "chain_holds_more": together - float(held[by_search[0]]),
        "chain_covers_more": float(evidence.coverage[top].max(axis=0) @ weights) - float(covered[top].max()),
    }


def _links(evidence: Evidence, result: RoundResult, by_chains: Indices) -> dict[str, float]:
    """Return whether the best passages lead to each other, what that gains, and how good the best link is at all."""
    links, top = result.links, by_chains[:_CHAIN]
    among = np.isin(links.anchor, top) & np.isin(links.target, top)
    gained = np.maximum(0.0, evidence.coverage[links.target] - evidence.coverage[links.anchor]) @ evidence.words.weights
    return {
        "linked": float(among.any()),
        "link_gain": float(gained[among].max(initial=0.0)),
        "link_best": float(result.link_scores.max(initial=_NO_LINK)),
    }


def _distinct_documents(evidence: Evidence, top: Indices) -> float:
    return len({evidence.chunks[index].document_id for index in top.tolist()}) / len(top)


def _departure(by_chains: Indices, by_search: Indices) -> float:
    """Return the mean logarithm of the rank that the searches gave to the best passages of the chains."""
    places = np.empty(len(by_search))
    places[by_search] = np.arange(len(by_search))
    return float(np.log1p(places[by_chains[:_CHAIN]]).mean())

"""Fusion of ranked lists: by rank (reciprocal rank fusion) or by standardised score."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

import numpy as np

from graph_store.records import Hit


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], *, k: int = 60) -> tuple[Hit, ...]:
    """Fuse rankings of ids: the score of an id is the sum of 1 / (k + rank), rank from 1, over the rankings with it.

    Best first, ties by id, so the order of the rankings does not matter. An id repeated within one ranking counts at
    its best rank. Source: Cormack, Clarke and Büttcher, SIGIR 2009.
    """
    parts: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            parts.setdefault(item, []).append(1.0 / (k + rank))
    # fsum rounds once, at the end: a plain sum depends on the order, and so would ties.
    return sorted_hits({item: fsum(own) for item, own in parts.items()})


def z_sum(score_lists: Sequence[Mapping[str, float]]) -> tuple[Hit, ...]:
    """Fuse scores: each list is standardised (mean 0, standard deviation 1) and summed per id, best first, ties by id.

    An id that a list lacks gets that list's lowest standardised score. A list of equal scores adds 0 for everyone.
    """
    fused: dict[str, float] = dict.fromkeys(sorted({item for scores in score_lists for item in scores}), 0.0)
    for scores in score_lists:
        standard = _standardised(scores)
        lowest = min(standard.values(), default=0.0)
        for item in fused:
            fused[item] += standard.get(item, lowest)
    return sorted_hits(fused)


def sorted_hits(scores: Mapping[str, float]) -> tuple[Hit, ...]:
    """Return the hits of ``scores``, best first, ties by id."""
    return tuple(
        Hit(id=item, score=score) for item, score in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def ranks(hits: Iterable[Hit]) -> dict[str, int]:
    """Return id -> rank, from 1."""
    return {hit.id: rank for rank, hit in enumerate(hits, start=1)}


def _standardised(scores: Mapping[str, float]) -> dict[str, float]:
    if not scores:
        return {}
    values = np.fromiter(scores.values(), dtype=np.float64, count=len(scores))
    spread = float(values.std())
    if spread < 1e-12:
        return dict.fromkeys(scores, 0.0)
    standard = (values - values.mean()) / spread
    return dict(zip(scores, standard.tolist(), strict=True))

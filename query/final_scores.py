"""The score of a result: what ordered the ranking in the end, so that it never rises from one rank to the next."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from graph_store.records import Chunk
from query.chain_ranking.ranker import RankedChains


def ranking_scores(chunks: Sequence[Chunk], chains: RankedChains | None, mass: Mapping[str, float]) -> dict[str, float]:
    """Return the scores of ranked chunks by id, in their order, none larger than the one before.

    A passage of the pool has what chains and searches came to together, standardised within the pool (0 is its mean).
    Those that only the walk reached come below: 1 less than the lowest of the pool, and more by their share ``mass`` of
    the walk, which alone is the score where no pool was ranked. A passage that stands further in front than that, for
    a rare identifier, has the score of the best behind it.
    """
    pool = chains.score_of() if chains is not None else {}
    below = min(pool.values(), default=1.0) - 1.0
    return raised({chunk.id: pool.get(chunk.id, below + mass.get(chunk.id, 0.0)) for chunk in chunks})


def raised(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores, in the order of the ranking, each raised to the largest of those behind it."""
    largest = list(accumulate(reversed(list(scores.values())), max))[::-1]
    return dict(zip(scores, largest, strict=True))


def lowered(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores, in the order of the ranking, each lowered to the smallest of those before it."""
    return dict(zip(scores, accumulate(scores.values(), min), strict=True))

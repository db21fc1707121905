"""Two rounds of ranking: links from what the walk trusts, then links from what the first round trusts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from graph_store.bundles import FloatMatrix
from query.chain_ranking.arrays import Indices, Matrix, Vector
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.link_features import link_columns
from query.chain_ranking.links import LinkFinder, Links
from query.chain_ranking.passage_features import PASSAGE_FEATURES, hop_nearness, pool_scores, same_above

_NO_LINK = -6.0
# A pool without any likely passage is measured from here, so that its best does not look like a good one.
_LOWEST_BEST = -8.0


def base_columns(evidence: Evidence) -> dict[str, Vector]:
    """Return what speaks for each passage by itself, (n,) each, raw and within the pool."""
    raw = {name: feature(evidence) for name, feature in PASSAGE_FEATURES.items()}
    return {**raw, **{f"z_{name}": pool_scores(column) for name, column in raw.items()}}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundInput:
    """What a round looks at: links from anchors with strengths (anchors,), features of links (L,), of passages (n,)."""

    links: Links
    strengths: Vector
    link_columns: dict[str, Vector]
    extra: dict[str, Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult:
    """Log odds of passages (n,) after the last round with the columns they come from; its links with theirs (L,)."""

    scores: Vector
    columns: Mapping[str, Vector]
    links: Links
    link_scores: Vector


def first_input(evidence: Evidence, finder: LinkFinder, told: FloatMatrix, anchors: int) -> RoundInput:
    """Return the input of the first round: anchors by the mass of the walk."""
    order = np.argsort(-evidence.mass, kind="stable")[:anchors].tolist()
    return _input(evidence, finder.links(order), told, strengths=evidence.mass[order], scores=None)


def later_input(
    evidence: Evidence, finder: LinkFinder, told: FloatMatrix, scores: Vector, *, anchors: int
) -> RoundInput:
    """Return the input of a later round: anchors by the scores (log odds) of the one before."""
    order = np.argsort(-scores, kind="stable")[:anchors].tolist()
    return _input(evidence, finder.links(order), told, strengths=1.0 / (1.0 + np.exp(-scores[order])), scores=scores)


def _input(
    evidence: Evidence, links: Links, told: FloatMatrix, *, strengths: Vector, scores: Vector | None
) -> RoundInput:
    columns = link_columns(evidence, links, strengths, told)
    extra = hop_nearness(evidence, links, strengths, told)
    trusted = strengths[links.place]
    extra["named_by_anchor"] = best_per_target(links, trusted * links.anchor_names, evidence.size)
    extra["names_anchor"] = best_per_target(links, trusted * links.target_names, evidence.size)
    if scores is not None:
        columns["score_anchor"] = scores[links.anchor]
        columns["score_target"] = scores[links.target]
        extra |= _after_round(evidence, links, trusted, scores)
    extra |= {f"z_{name}": pool_scores(column) for name, column in extra.items()}
    return RoundInput(links=links, strengths=strengths, link_columns=columns, extra=extra)


def best_per_target(links: Links, values: Vector, size: int) -> Vector:
    """Return (n,): the largest of ``values`` (L,) among the links to each passage, 0 where there is none."""
    found = np.zeros(size)
    np.maximum.at(found, links.target, values)
    return found


def _after_round(evidence: Evidence, links: Links, trusted: Vector, scores: Vector) -> dict[str, Vector]:
    order = np.argsort(-scores, kind="stable")
    w = evidence.words.weights
    extra = {
        "score": scores,
        "score_place": 1.0 / (1.0 + np.argsort(order, kind="stable")),
        "score_behind": scores - scores.max(initial=_LOWEST_BEST),
        "score_same_above": same_above(evidence, scores),
    }
    for count in (1, 2, 4):
        others = _union_of_others(evidence.coverage, order, count)
        lexical = _union_of_others(evidence.lexical, order, count)
        extra[f"new_{count}"] = np.maximum(0.0, evidence.coverage - others) @ w
        extra[f"new_words_{count}"] = np.maximum(0.0, evidence.lexical - lexical) @ w
    total = np.zeros(evidence.size)
    np.add.at(total, links.target, trusted)
    extra["trust_sum"] = total
    extra["trust_best"] = best_per_target(links, trusted, evidence.size)
    extra["top_covered"] = np.full(evidence.size, float(evidence.coverage[order[:5]].max(axis=0, initial=0.0) @ w))
    return extra


def _union_of_others(values: Matrix, order: Indices, count: int) -> Matrix:
    """Return (n, w): the best value of each word among the ``count`` first of ``order`` other than the row itself."""
    first = order[: count + 1]
    union = values[first[:count]].max(axis=0, initial=0.0)
    found = np.tile(union, (len(values), 1))
    for place, index in enumerate(first[:count].tolist()):
        others = [i for j, i in enumerate(first.tolist()) if j != place]
        found[index] = values[others].max(axis=0, initial=0.0) if others else 0.0
    return found


def link_summary(links: Links, scores: Vector, strengths: Vector, size: int) -> dict[str, Vector]:
    """Return (n,) each: the best and second best link score as target with the strength of the best's anchor, the
    best as anchor, and the first and last of these below the pool's best; -6 where there is no link.
    """
    best, second, trust = np.full(size, _NO_LINK), np.full(size, _NO_LINK), np.zeros(size)
    as_anchor = np.full(size, _NO_LINK)
    told = np.zeros(size, dtype=np.int64)
    for index in np.argsort(-scores, kind="stable").tolist():
        target = links.target[index]
        if told[target] == 0:
            best[target], trust[target] = max(scores[index], _NO_LINK + 1e-6), strengths[links.place[index]]
        elif told[target] == 1:
            second[target] = scores[index]
        told[target] += 1
    np.maximum.at(as_anchor, links.anchor, scores)
    return {
        "link_best": best,
        "link_second": second,
        "link_trust": trust,
        "link_as_anchor": as_anchor,
        "link_behind": best - best.max(initial=_NO_LINK),
        "link_anchor_behind": as_anchor - as_anchor.max(initial=_NO_LINK),
    }


def passage_columns(data: RoundInput, link_scores: Vector, size: int) -> dict[str, Vector]:
    """Return the columns of passages that depend on the round: its features, and what the link scores say."""
    return {**data.extra, **link_summary(data.links, link_scores, data.strengths, size)}

"""How passages were ranked by chains, in a form to be shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from query.chain_ranking.arrays import Vector
from query.chain_ranking.chains import ChainStep
from query.chain_ranking.ranker import RankedChains

Reasons: TypeAlias = tuple[tuple[str, float], ...]

_REASONS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedResult:
    """A result with the chain that led to it (itself last) and what weighed most, by feature, in log odds."""

    chunk_id: str
    document_id: str
    title: str
    score: float
    chain_score: float
    chain: tuple[ChainStep, ...]
    reasons: Reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedRanking:
    """Results, best first; how far chains were trusted (0 to 1), and what the gate weighed, in log odds."""

    question: str
    trust: float
    gate: Reasons
    results: tuple[ExplainedResult, ...]


def explain_ranking(question: str, ranked: RankedChains | None, *, k: int) -> ExplainedRanking:
    """Explain the best ``k`` passages of a ranking by chains; nothing where none was made."""
    if ranked is None:
        return ExplainedRanking(question=question, trust=0.0, gate=(), results=())
    order = np.argsort(-ranked.scores, kind="stable")[:k].tolist()
    added = ranked.model.contributions(ranked.columns)
    return ExplainedRanking(
        question=question,
        trust=ranked.trust,
        gate=_largest(ranked.gate_contributions),
        results=tuple(_result(ranked, place, added[place]) for place in order),
    )


def _result(ranked: RankedChains, place: int, added: Vector) -> ExplainedResult:
    chunk = ranked.evidence.chunks[place]
    return ExplainedResult(
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        title=ranked.evidence.titles[place],
        score=float(ranked.scores[place]),
        chain_score=float(ranked.chain_scores[place]),
        chain=ranked.steps(chunk.id),
        reasons=_largest(dict(zip(ranked.model.features, added.tolist(), strict=True))),
    )


def _largest(added: Mapping[str, float]) -> Reasons:
    ordered: Sequence[str] = sorted(added, key=lambda name: (-abs(added[name]), name))
    return tuple((name, float(added[name])) for name in ordered[:_REASONS])

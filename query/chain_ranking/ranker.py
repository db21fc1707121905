"""Ranks passages by chains: two rounds of trained links, mixed with the searches as far as the gate trusts them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.store import GraphStore
from query.chain_ranking.arrays import Vector
from query.chain_ranking.chains import ChainStep, chain_of, chain_steps
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.gate import gate_features, gated
from query.chain_ranking.gather import gather_evidence
from query.chain_ranking.links import LinkFinder, Links
from query.chain_ranking.names import KnownNames
from query.chain_ranking.passage_features import best_sentence_vectors, plain_search
from query.chain_ranking.pool import Candidates, choose_pool, most_holders
from query.chain_ranking.rounds import RoundInput, RoundResult, base_columns, first_input, later_input, passage_columns
from query.chain_ranking.settings import ChainSettings
from query.chain_ranking.weights import ChainWeights, LinearScorer, RoundWeights, chain_weights
from query.readable_view import ReadableView
from query.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChains:
    """A ranked pool. ``chain_scores`` (n,) are log odds of the last round, ``scores`` (n,) those mixed with the
    searches; ``trust`` (0 to 1) is what the gate decided, and ``gate_contributions`` by which log odds; ``links`` with
    ``link_scores``, and ``columns`` with the ``model`` that scored them, are the last round's.
    """

    evidence: Evidence
    scores: Vector
    chain_scores: Vector
    trust: float
    gate_contributions: Mapping[str, float]
    links: Links
    link_scores: Vector
    columns: Mapping[str, Vector]
    model: LinearScorer

    def order(self) -> list[str]:
        """Return the ids of the pool, best first."""
        return [self.evidence.chunks[index].id for index in np.argsort(-self.scores, kind="stable").tolist()]

    def score_of(self) -> dict[str, float]:
        """Return the scores of the pool by chunk."""
        return {chunk.id: score for chunk, score in zip(self.evidence.chunks, self.scores.tolist(), strict=True)}

    def place(self, chunk_id: str) -> int | None:
        """Return where a chunk stands in the pool, None where it does not."""
        return next((i for i, chunk in enumerate(self.evidence.chunks) if chunk.id == chunk_id), None)

    def steps(self, chunk_id: str) -> tuple[ChainStep, ...]:
        """Return the chain that led to a passage, itself last; empty for one outside the pool."""
        place = self.place(chunk_id)
        if place is None:
            return ()
        rows = chain_of(self.evidence, self.links, self.link_scores, self.chain_scores, place)
        return chain_steps(self.evidence, self.links, rows, place)


def rank_chains(
    store: GraphStore, request: Request, view: ReadableView, *, found: Candidates, settings: ChainSettings
) -> RankedChains | None:
    """Rank the pool of a question; None where there is nothing to rank. Raises ``WeightsUnusable``."""
    pool = choose_pool(store, request, view, found=found, settings=settings)
    evidence = gather_evidence(store, request, view, found=found, pool=pool)
    if not evidence.size or not evidence.words.stems:
        return None
    return score_evidence(evidence, view.names, settings, chain_weights(settings.weights))


def score_evidence(
    evidence: Evidence, names: KnownNames, settings: ChainSettings, weights: ChainWeights
) -> RankedChains:
    """Run the rounds over gathered evidence and mix with the searches by the gate."""
    last = run_rounds(Rounds(evidence, names, settings), weights.rounds)
    searched = plain_search(evidence)
    features = gate_features(evidence, last, searched)
    trust = weights.gate.probability(features)
    return RankedChains(
        evidence=evidence,
        scores=gated(last.scores, searched, trust),
        chain_scores=last.scores,
        trust=trust,
        gate_contributions=weights.gate.contributions(features),
        links=last.links,
        link_scores=last.link_scores,
        columns=last.columns,
        model=weights.rounds[-1].passage,
    )


def run_rounds(rounds: "Rounds", weights: Sequence[RoundWeights]) -> RoundResult:
    """Run one round after the other; there must be one at least."""
    data = rounds.first()
    result = _run(rounds, data, weights[0])
    for model in weights[1:]:
        result = _run(rounds, rounds.after(result.scores), model)
    return result


def _run(rounds: "Rounds", data: RoundInput, model: RoundWeights) -> RoundResult:
    link_scores = model.link.scores(data.link_columns, len(data.links.anchor))
    columns = rounds.columns(data, link_scores)
    scores = model.passage.scores(columns, rounds.size)
    return RoundResult(scores=scores, columns=columns, links=data.links, link_scores=link_scores)


class Rounds:
    """The inputs of the rounds over one pool; what does not change between rounds is made once."""

    def __init__(self, evidence: Evidence, names: KnownNames, settings: ChainSettings) -> None:
        self._evidence = evidence
        self.size = evidence.size
        self._anchors = settings.anchors
        self._base = base_columns(evidence)
        self._told = best_sentence_vectors(evidence)
        most = most_holders(names.count, settings)
        self._finder = LinkFinder(evidence, names, most_holders=most, most_homes=settings.most_homes)

    def first(self) -> RoundInput:
        """Return the input of the first round."""
        return first_input(self._evidence, self._finder, self._told, self._anchors)

    def after(self, scores: Vector) -> RoundInput:
        """Return the input of the round after one that gave ``scores``."""
        return later_input(self._evidence, self._finder, self._told, scores, anchors=self._anchors)

    def columns(self, data: RoundInput, link_scores: Vector) -> Mapping[str, Vector]:
        """Return the columns that passages are scored by in one round."""
        return {**self._base, **passage_columns(data, link_scores, self._evidence.size)}

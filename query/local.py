"""The local route: passages by keywords, vectors and a walk over the passage graph."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import exp

import numpy as np
from numpy.typing import NDArray

from graph_store.ids import name_key
from graph_store.records import Chunk, Hit
from graph_store.searches import NOTHING_ALONG, Along, KeywordSearch, VectorSearch
from graph_store.store import GraphStore
from query.chain_ranking.chains import ChainStep
from query.chain_ranking.pool import Candidates
from query.chain_ranking.ranker import RankedChains, rank_chains
from query.codes import passages_with_codes
from query.final_scores import ranking_scores
from query.fusion import z_sum
from query.names import FoundName, find_names, possible_names
from query.readable_view import ReadableView
from query.request import Request
from query.settings import LocalSettings

# Passages are read from the store in batches of this size while those outside the filter are passed over.
_BATCH = 64
_SORTED_FIRST = 256
# Below this the searches outweigh the chains, which then explain nothing.
_TRUSTED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStage:
    """The lists that the walk starts from: BM25 scores, cosines, and their fusion by z-scores, each best first."""

    bm25: tuple[Hit, ...]
    dense: tuple[Hit, ...]
    fused: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRanking:
    """The ranked passages with what ranked them. ``ppr`` maps ranked chunks to their mass in the walk, best is 1;
    ``scores`` to what ordered them in the end (:mod:`query.final_scores`).
    """

    chunks: tuple[Chunk, ...]
    first_stage: FirstStage
    ppr: Mapping[str, float]
    names: tuple[FoundName, ...]
    with_codes: tuple[str, ...]
    chains: RankedChains | None = None
    scores: Mapping[str, float] = field(default_factory=dict)

    def chain(self, chunk_id: str) -> tuple[ChainStep, ...]:
        """Return how other passages led to a chunk, itself last; empty where none did, or chains were not trusted."""
        if self.chains is None or self.chains.trust < _TRUSTED:
            return ()
        steps = self.chains.steps(chunk_id)
        return steps if len(steps) > 1 else ()

    def chain_odds(self) -> dict[str, float]:
        """Return the log odds that chains give to each passage of the pool; empty where they were not trusted."""
        if self.chains is None or self.chains.trust < _TRUSTED:
            return {}
        scores = self.chains.chain_scores.tolist()
        return {chunk.id: score for chunk, score in zip(self.chains.evidence.chunks, scores, strict=True)}

    def signals(self, chunk_id: str) -> dict[str, float]:
        """Return what spoke for a chunk: its score and rank in each list that has it."""
        told: dict[str, float] = {}
        for name, hits in (("bm25", self.first_stage.bm25), ("dense", self.first_stage.dense)):
            for rank, hit in enumerate(hits, start=1):
                if hit.id == chunk_id:
                    told[name], told[f"{name}_rank"] = hit.score, rank
        if chunk_id in self.ppr:
            told["ppr"] = self.ppr[chunk_id]
            told["ppr_rank"] = 1 + sum(mass > self.ppr[chunk_id] for mass in self.ppr.values())
        place = self.chains.place(chunk_id) if self.chains is not None else None
        if self.chains is not None and place is not None:
            told["chain"] = float(self.chains.chain_scores[place])
            told["chain_trust"] = self.chains.trust
        if chunk_id in self.with_codes:
            told["identifier"] = 1.0
        return told


def search_first_stage(
    store: GraphStore, request: Request, settings: LocalSettings, *, along: Along = NOTHING_ALONG
) -> FirstStage:
    """Search by keywords and by vector, and fuse the two; ``along`` is what will be asked for next."""
    k = max(settings.candidates, request.k)
    bm25, dense = store.search_many(
        request.access,
        (
            KeywordSearch(text=request.question.searched, kind="chunk", k=k, filters=request.filters),
            VectorSearch(vector=request.vector, kind="chunk", k=k, filters=request.filters),
        ),
        along=along,
    )
    fused = z_sum([{hit.id: hit.score for hit in hits} for hits in (bm25, dense)])
    return FirstStage(bm25=bm25, dense=dense, fused=fused)


def rank_local(store: GraphStore, request: Request, view: ReadableView, settings: LocalSettings) -> LocalRanking:
    """Rank passages by chains that start from what a walk over the passage graph reaches.

    The walk starts from the fused list and from the home passages of names in the question. After the passages that
    chains rank come those that only the walk reached, by mass, then the rest in fused order. Passages that hold a rare
    identifier of the question come before all others.
    """
    first_stage = search_first_stage(store, request, settings, along=view.along(_asked_names(request)))
    return walk_from(store, request, view, first_stage, settings)


def walk_from(
    store: GraphStore, request: Request, view: ReadableView, first_stage: FirstStage, settings: LocalSettings
) -> LocalRanking:
    """Rank as ``rank_local`` does, from hits that were found before."""
    names, found = walk_candidates(request, view, first_stage, settings)
    with_codes = passages_with_codes(store, request, most=settings.rarest_code)
    chains = None
    if settings.chains.enabled:
        chains = rank_chains(store, request, view, found=found, settings=settings.chains)
    ranked = chains.order() if chains is not None else ()
    order = chain(with_codes, ranked, _order(found.mass, view.chunk_ids, first_stage.fused))
    chunks = tuple(_first_readable(store, request, order))
    mass = _shown_mass(chunks, found.mass, view)
    return LocalRanking(
        chunks=chunks,
        first_stage=first_stage,
        ppr=mass,
        names=names,
        with_codes=with_codes,
        chains=chains,
        scores=ranking_scores(chunks, chains, mass),
    )


def walk_candidates(
    request: Request, view: ReadableView, first_stage: FirstStage, settings: LocalSettings
) -> tuple[tuple[FoundName, ...], Candidates]:
    """Walk the passage graph from the hits and from the homes of names in the question; return those names as well."""
    known = view.names_among(_asked_names(request))
    names = find_names(request.question.searched, known, shortest=settings.shortest_name)
    homes = [home for name in names if len(name.homes) <= settings.most_homes for home in name.homes]
    restart = _restart(first_stage.fused, homes, view, settings)
    damping = settings.damping if homes else settings.damping_without_names
    mass = view.walk(settings.bounds).rank(restart, damping=damping, steps=settings.steps)
    found = Candidates(bm25=first_stage.bm25, dense=first_stage.dense, fused=first_stage.fused, mass=mass)
    return names, found


def _asked_names(request: Request) -> frozenset[str]:
    """Return what may be a name in the question, with what looks like one: its support rests on those."""
    return possible_names(request.question.searched) | {name_key(name) for name in request.question.names}


def _restart(
    fused: Sequence[Hit], homes: Sequence[int], view: ReadableView, settings: LocalSettings
) -> dict[int, float]:
    restart: dict[int, float] = {}
    for hit in fused[: settings.restart_ranks]:
        place = view.place(hit.id)
        if place is not None:
            # A clear lead of the first hit must survive the walk, so mass falls with the score, not with the rank.
            restart[place] = exp((hit.score - fused[0].score) / settings.restart_spread)
    for home in homes:
        restart[home] = restart.get(home, 0.0) + settings.home_restart
    return restart


def _order(mass: NDArray[np.float64], chunk_ids: Sequence[str], fused: Sequence[Hit]) -> Iterator[str]:
    for index in _by_mass(mass):
        yield chunk_ids[index]
    for hit in fused:
        yield hit.id


def _by_mass(mass: NDArray[np.float64]) -> Iterator[int]:
    """Yield the positions that hold mass, largest first, ties by position, so that two runs agree.

    Few are ever asked for, so the largest are sorted first and the rest only where a filter passes those over.
    """
    reached = np.flatnonzero(mass > 0.0)
    if len(reached) > _SORTED_FIRST:
        least = -np.partition(-mass[reached], _SORTED_FIRST)[_SORTED_FIRST]
        head = reached[mass[reached] > least]
        yield from head[np.argsort(-mass[head], kind="stable")].tolist()
        reached = reached[mass[reached] <= least]
    yield from reached[np.argsort(-mass[reached], kind="stable")].tolist()


def _first_readable(store: GraphStore, request: Request, order: Iterator[str]) -> list[Chunk]:
    allowed = store.filtered_documents(request.access, request.filters)
    batch_size = request.k if allowed is None else max(_BATCH, request.k)
    found: dict[str, Chunk] = {}
    seen: set[str] = set()
    while len(found) < request.k:
        batch = _next_ids(order, seen, batch_size)
        if not batch:
            break
        for chunk in store.chunks(request.access, batch):
            if allowed is None or chunk.document_id in allowed:
                found[chunk.id] = chunk
    return list(found.values())[: request.k]


def _next_ids(order: Iterator[str], seen: set[str], count: int) -> list[str]:
    batch: list[str] = []
    for chunk_id in order:
        if chunk_id not in seen:
            seen.add(chunk_id)
            batch.append(chunk_id)
            if len(batch) == count:
                break
    return batch


def _shown_mass(chunks: Sequence[Chunk], mass: NDArray[np.float64], view: ReadableView) -> dict[str, float]:
    largest = float(mass.max(initial=0.0))
    if largest <= 0.0:
        return {}
    places = {chunk.id: view.place(chunk.id) for chunk in chunks}
    own = {
        chunk_id: float(mass[place]) for chunk_id, place in places.items() if place is not None and place < len(mass)
    }
    return {chunk_id: amount / largest for chunk_id, amount in own.items() if amount > 0.0}

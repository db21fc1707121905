"""What the local route found, as blocks: passages, read on where they are small, and chains in their hop order."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from graph_store.access import Access
from graph_store.records import Chunk
from graph_store.store import GraphStore
from query.local import LocalRanking
from query.packing.draft import BlockDraft, Novelty, SourceDraft, Unit, group_sources, new_parts
from query.packing.packed_context import PackedKind
from query.packing.settings import PackingSettings
from query.passages import CandidateSentence, Passage, read_passages, read_sentences
from query.rarity import WordRarity
from query.request import Request
from query.sentence_selection import score_sentences
from query.table_rows import table_header

# A neighbour without a parent is read where it is at most so many chunks away, in the same section.
_READ_ON = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedRanking:
    """A ranking with what its sentences are weighed by."""

    request: Request
    ranking: LocalRanking
    rarity: WordRarity


def passage_blocks(
    store: GraphStore, found: PackedRanking, novelty: Novelty, settings: PackingSettings
) -> list[BlockDraft]:
    """Return the ranked passages as blocks, strongest first."""
    access = found.request.access
    passages = read_passages(store, access, found.ranking.chunks[: found.request.k])
    neighbours = _neighbours(store, access, passages[: settings.grown], {item.chunk.id for item in passages})
    candidates = read_sentences(store, access, [*passages, *neighbours], found.request.vector)
    beside = {passage.chunk.id for passage in neighbours}
    units = new_parts(_units(found, candidates, beside, settings), novelty)
    return _blocks(group_sources(units), passages, found.ranking)


def _neighbours(store: GraphStore, access: Access, passages: Sequence[Passage], known: set[str]) -> tuple[Passage, ...]:
    """Return the passages around each of ``passages`` that belong to its parent, each at the rank of that passage.

    Where a passage has no parent, they are the nearest of its section. Only what the caller may read is ever read.
    """
    found: dict[str, tuple[Chunk, int]] = {}
    for passage in passages:
        for chunk in store.document_chunks(access, passage.chunk.document_id):
            if chunk.id not in known and _is_beside(passage.chunk, chunk):
                found.setdefault(chunk.id, (chunk, passage.rank))
    read = read_passages(store, access, [chunk for chunk, _ in found.values()])
    return tuple(replace(passage, rank=found[passage.chunk.id][1]) for passage in read)


def _is_beside(chunk: Chunk, other: Chunk) -> bool:
    if chunk.parent_id is not None:
        return other.parent_id == chunk.parent_id
    return other.heading_path == chunk.heading_path and abs(other.position - chunk.position) <= _READ_ON


def _units(
    found: PackedRanking, candidates: Sequence[CandidateSentence], beside: set[str], settings: PackingSettings
) -> Iterator[Unit]:
    """Yield the sentences with their worth, passage by passage in rank order, and of each passage in its order.

    The worth is the score of the sentence as an answer on its own (cosine, coverage of the question's words by rarity),
    less for the rank of its passage and for its place among the passage's sentences, so that further passages are told
    of before one is told whole.
    """
    question = found.request.question
    bridges = _bridge_spans(found.ranking)
    scored = score_sentences(candidates, question, found.rarity.shares(question.stems))
    told: dict[str, int] = {}
    worth: dict[tuple[str, int], float] = {}
    for entry in scored:
        chunk_id = entry.candidate.passage.chunk.id
        told[chunk_id] = told.get(chunk_id, 0) + 1
        worth[_place(entry.candidate)] = (
            entry.score
            - settings.rank_loss * log(entry.candidate.passage.rank)
            - settings.repeat_loss * log(told[chunk_id])
            - settings.neighbour_loss * (chunk_id in beside)
            + settings.bridge_gain * _is_bridge(entry.candidate, bridges)
        )
    for candidate in sorted(candidates, key=lambda item: (item.passage.rank, item.passage.chunk.id in beside)):
        yield _unit(candidate, worth[_place(candidate)])


def _place(candidate: CandidateSentence) -> tuple[str, int]:
    return candidate.passage.chunk.id, candidate.sentence.position


def _bridge_spans(ranking: LocalRanking) -> Mapping[str, list[tuple[int, int]]]:
    """Return chunk id -> spans of the sentences that lead on to the next passage of a trusted chain."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for chunk in ranking.chunks:
        steps = ranking.chain(chunk.id)
        for before, step in itertools.pairwise(steps):
            if step.sentence is not None:
                spans.setdefault(before.chunk_id, []).append(step.sentence)
    return spans


def _is_bridge(candidate: CandidateSentence, bridges: Mapping[str, list[tuple[int, int]]]) -> bool:
    own = candidate.sentence
    spans = bridges.get(candidate.passage.chunk.id, ())
    return any(start < own.char_end and own.char_start < end for start, end in spans)


def _unit(candidate: CandidateSentence, worth: float) -> Unit:
    chunk = candidate.passage.chunk
    return Unit(
        chunk=chunk,
        document=candidate.passage.document,
        start=chunk.char_start + candidate.sentence.char_start,
        end=chunk.char_start + candidate.sentence.char_end,
        worth=worth,
        columns=table_header(chunk, candidate.sentence),
    )


def _blocks(sources: Sequence[SourceDraft], passages: Sequence[Passage], ranking: LocalRanking) -> list[BlockDraft]:
    """Join the sources of each chain, in hop order: that of the strongest passage first, no source in two blocks."""
    source_of = {unit.chunk.id: number for number, source in enumerate(sources) for unit in source.units}
    placed: set[int] = set()
    blocks: list[BlockDraft] = []
    for passage in passages:
        hops = [step.chunk_id for step in ranking.chain(passage.chunk.id)] or [passage.chunk.id]
        numbers = dict.fromkeys(source_of[chunk_id] for chunk_id in hops if chunk_id in source_of)
        own = [number for number in numbers if number not in placed]
        if own:
            placed.update(own)
            kind: PackedKind = "chain" if len(own) > 1 else "passage"
            blocks.append(BlockDraft(kind=kind, sources=tuple(sources[number] for number in own)))
    return blocks

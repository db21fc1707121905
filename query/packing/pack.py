"""Packs what was found for a question into a text that a reader with so many tokens can take in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.store import GraphStore
from model_clients.embedder import Embedder
from query.packing.derived_blocks import derived_blocks, result_blocks
from query.packing.draft import BlockDraft, Novelty, SourceDraft, Unit
from query.packing.layout import columns_of, ends_first, write_text
from query.packing.packed_context import PackedBlock, PackedContext, PackedSentence, PackedSource
from query.packing.passage_blocks import PackedRanking, passage_blocks
from query.packing.selection import TokenCounter, only, select
from query.packing.settings import PackingSettings
from query.readable_view import ReadableView
from query.request import Request
from query.retrieval import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """Blocks in the order of the text, the text with its tokens, and how many sentences were left out."""

    blocks: tuple[PackedBlock, ...]
    text: str
    tokens: int
    left_out: int


class Packer:
    """Packs contexts from a store; tokens are those of the embedder's tokenizer, which loads no more than that."""

    def __init__(self, store: GraphStore, embedder: Embedder, settings: PackingSettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings

    def pack(self, request: Request, view: ReadableView, found: Found, budget: int) -> Packed:
        """Choose among the sentences found, and lay them out. Of a budget too small for any, nothing is used."""
        drafts = self._drafts(request, view, found)
        return pack_blocks(drafts, self._count, budget)

    def context(
        self, request: Request, found: Found, packed: Packed, times: Mapping[str, float], budget: int
    ) -> PackedContext:
        """Return the record that callers get."""
        return PackedContext(
            question=request.question.text,
            route=found.decision.route,
            route_reason=found.decision.reason,
            text=packed.text,
            budget=budget,
            tokens=packed.tokens,
            counted_by=self._embedder.model_id,
            blocks=packed.blocks,
            left_out=packed.left_out,
            timings_ms=times,
            trace=found.trace(request),
        )

    def _drafts(self, request: Request, view: ReadableView, found: Found) -> list[BlockDraft]:
        if not request.question.words:
            return []
        novelty = Novelty()
        if found.finding is not None:
            return derived_blocks(self._store, request.access, found, novelty=novelty, settings=self._settings)
        if found.ranking is None:
            return []
        ranked = PackedRanking(request=request, ranking=found.ranking, rarity=view.rarity)
        passages = passage_blocks(self._store, ranked, novelty, self._settings)
        further = result_blocks(self._store, request.access, found, novelty=novelty, settings=self._settings)
        return [*passages, *further]

    def _count(self, text: str) -> int:
        return len(self._embedder.token_spans(text))


def pack_blocks(drafts: Sequence[BlockDraft], count: TokenCounter, budget: int) -> Packed:
    """Pack blocks, given strongest first, into at most ``budget`` tokens."""
    taken = select(drafts, count, budget)
    while True:
        chosen = ends_first(list(enumerate(only(drafts, taken), start=1)))
        text = write_text([block for _, block in chosen])
        tokens = count(text)
        if tokens <= budget or not taken:
            break
        # Tokens of a whole text may be more than those of its parts: the last sentence taken goes again.
        taken.pop()
    units = sum(len(source.units) for block in drafts for source in block.sources)
    return Packed(blocks=_packed_blocks(chosen), text=text, tokens=tokens, left_out=units - len(taken))


def _packed_blocks(chosen: Sequence[tuple[int, BlockDraft]]) -> tuple[PackedBlock, ...]:
    blocks: list[PackedBlock] = []
    number = 1
    for strength, block in chosen:
        sources = tuple(_packed_source(place, source) for place, source in enumerate(block.sources, start=number))
        number += len(sources)
        blocks.append(PackedBlock(kind=block.kind, title=block.title, strength=strength, sources=sources))
    return tuple(blocks)


def _packed_source(number: int, source: SourceDraft) -> PackedSource:
    first = source.first
    return PackedSource(
        number=number,
        document_id=first.document.id,
        title=first.document.title,
        source_uri=first.document.source_uri,
        heading_path=first.chunk.heading_path,
        page=first.chunk.page,
        columns=columns_of(source),
        sentences=tuple(_packed_sentence(unit) for unit in source.units),
    )


def _packed_sentence(unit: Unit) -> PackedSentence:
    return PackedSentence(chunk_id=unit.chunk.id, char_start=unit.start, char_end=unit.end, text=unit.text)

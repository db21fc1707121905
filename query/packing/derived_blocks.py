"""What a global route found, as blocks: its digest, then the reports and tree nodes, each with the places it quotes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import log

from graph_store.access import Access
from graph_store.records import Chunk, Document, SourcedSentence
from graph_store.store import GraphStore
from query.citations import Quote, holds
from query.digest import DerivedText, SourceReader
from query.global_finding import GlobalFinding
from query.outcome import RankedResult
from query.packing.draft import BlockDraft, Novelty, Unit, group_sources, new_parts
from query.packing.packed_context import PackedKind
from query.packing.settings import PackingSettings
from query.retrieval import Found
from raptor.text_words import tokens

_Quoted = tuple[PackedKind, str, list[Quote]]


def derived_blocks(
    store: GraphStore,
    access: Access,
    found: Found,
    *,
    novelty: Novelty,
    settings: PackingSettings,
) -> list[BlockDraft]:
    """Return blocks, strongest first: what an answer would tell, then each result by what it quotes.

    A quotation that does not stand in a chunk that the caller may read is left out.
    """
    quoted = [*_digest_quotes(found.finding), *_result_quotes(store, access, found)]
    reader = _Reader(store, access, [quote for _, _, quotes in quoted for quote in quotes])
    blocks: list[BlockDraft] = []
    for strength, (kind, title, quotes) in enumerate(quoted, start=1):
        units = new_parts(reader.units(quotes, strength, settings), novelty)
        if units:
            blocks.append(BlockDraft(kind=kind, title=title, sources=tuple(group_sources(units))))
    return blocks


def result_blocks(
    store: GraphStore,
    access: Access,
    found: Found,
    *,
    novelty: Novelty,
    settings: PackingSettings,
) -> list[BlockDraft]:
    """Return the reports and tree nodes among the results as blocks, as ``derived_blocks`` does."""
    derived = tuple(result for result in found.results if result.kind != "chunk")
    further = replace(found, results=derived, finding=None)
    return derived_blocks(store, access, further, novelty=novelty, settings=settings) if derived else []


def _digest_quotes(finding: GlobalFinding | None) -> Iterator[_Quoted]:
    for block in finding.blocks if finding is not None else ():
        yield "digest", block.title, [quote for sentence in block.sentences for quote in sentence.quotes]


def _result_quotes(store: GraphStore, access: Access, found: Found) -> Iterator[_Quoted]:
    results = found.results
    sentences = {**_derived_sentences(store, access, results), **found.told}
    texts = [
        DerivedText(title=result.title, sentences=sentences[result.id]) for result in results if result.id in sentences
    ]
    reader = SourceReader(store, access, texts)
    chunks = {chunk.id: chunk for chunk in store.chunks(access, [item.id for item in results if item.kind == "chunk"])}
    for result in results:
        if result.id in sentences:
            quotes = (reader.quote(sentence) for sentence in sentences[result.id])
            kind: PackedKind = "report" if result.kind == "report" else "tree_node"
            yield kind, result.title, [quote for quote in quotes if quote is not None]
        elif result.id in chunks:
            yield "passage", "", list(_chunk_quotes(store, access, chunks[result.id]))


def _derived_sentences(
    store: GraphStore, access: Access, results: Sequence[RankedResult]
) -> Mapping[str, tuple[SourcedSentence, ...]]:
    reports = [result.id for result in results if result.kind == "report"]
    nodes = [result.id for result in results if result.kind == "tree_node"]
    return {
        **{community.id: community.report for community in store.communities(access, ids=reports)},
        **{node.id: node.summary for node in store.tree_nodes(access, ids=nodes)},
    }


def _chunk_quotes(store: GraphStore, access: Access, chunk: Chunk) -> Iterator[Quote]:
    for sentence in store.sentences(access, [chunk.id]).sentences:
        text = chunk.text[sentence.char_start : sentence.char_end]
        if not _repeats_heading(text, chunk):
            yield Quote(chunk_id=chunk.id, char_start=sentence.char_start, char_end=sentence.char_end, text=text)


def _repeats_heading(text: str, chunk: Chunk) -> bool:
    return any(tokens(text) == tokens(heading) for heading in chunk.heading_path)


class _Reader:
    """The chunks and documents of quotations, read once."""

    def __init__(self, store: GraphStore, access: Access, quotes: Iterable[Quote]) -> None:
        ids = list(dict.fromkeys(quote.chunk_id for quote in quotes))
        self._chunks = {chunk.id: chunk for chunk in store.chunks(access, ids)}
        wanted = list(dict.fromkeys(chunk.document_id for chunk in self._chunks.values()))
        self._documents: Mapping[str, Document] = {item.id: item for item in store.documents(access, wanted)}

    def units(self, quotes: Sequence[Quote], strength: int, settings: PackingSettings) -> Iterator[Unit]:
        """Yield the quotations that hold; their worth falls with the place of the block and their own within it."""
        for place, quote in enumerate(quotes, start=1):
            if not holds(quote, self._chunks):
                continue
            chunk = self._chunks[quote.chunk_id]
            yield Unit(
                chunk=chunk,
                document=self._documents[chunk.document_id],
                start=chunk.char_start + quote.char_start,
                end=chunk.char_start + quote.char_end,
                worth=-settings.rank_loss * log(strength) - settings.repeat_loss * log(place),
            )

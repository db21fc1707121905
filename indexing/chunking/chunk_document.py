"""Cut a document into chunks, with their sentences and parents."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graph_store.ids import stable_id
from graph_store.records import Chunk, Document, Parent, Sentence
from indexing.chunking.blocks import parse_blocks
from indexing.chunking.draft import Draft
from indexing.chunking.final_check import checked_drafts
from indexing.chunking.parents import parent_groups
from indexing.chunking.room import RoomKeeper
from indexing.chunking.settings import ChunkingSettings
from indexing.chunking.structure import structure_drafts
from indexing.chunking.token_index import TokenIndex
from indexing.chunking.window import window_drafts
from indexing.loading.loaded import PageSpan
from indexing.sentences import sentence_spans
from model_clients.embedder import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedDocument:
    """The chunks of a document by position, their parents by position, their sentences by chunk and position."""

    parents: tuple[Parent, ...]
    chunks: tuple[Chunk, ...]
    sentences: tuple[Sentence, ...]


def chunk_document(
    document: Document, text: str, pages: Sequence[PageSpan], embedder: Embedder, settings: ChunkingSettings
) -> ChunkedDocument:
    """Cut ``text``, the cleaned text of ``document``, into chunks.

    Every character that is not white space is in a chunk, ``chunk.text == text[char_start:char_end]``, and the indexed
    text of each chunk has at most ``embedder.max_tokens`` tokens. Blank text gives no chunks. An id depends on the
    document, the chunk's words and what stands above them, not on its place: a chunk that stays the same in a changed
    document keeps its id. Raises ``ChunkingError`` where the title alone fills what the embedder reads.
    """
    index = TokenIndex(text, embedder)
    drafts = _drafts(index, document.title, embedder, settings)
    model_id = embedder.model_id
    parents: list[Parent] = []
    chunks: list[Chunk] = []
    chunk_ids, parent_ids = _IdMaker("c", document), _IdMaker("p", document)
    for position, group in enumerate(parent_groups(index, drafts, settings.parent_tokens)):
        parent = _parent(parent_ids, text, group, position)
        parents.append(parent)
        for draft in group:
            chunk = _chunk(chunk_ids, text, draft, len(chunks))
            chunks.append(replace(chunk, parent_id=parent.id, page=_page(pages, draft.start), embedding_model=model_id))
    return ChunkedDocument(parents=tuple(parents), chunks=tuple(chunks), sentences=tuple(_sentences(chunks)))


def _drafts(index: TokenIndex, title: str, embedder: Embedder, settings: ChunkingSettings) -> list[Draft]:
    if not index.text.strip():
        return []
    if settings.strategy == "window":
        keeper = RoomKeeper(title, embedder, settings.window_tokens)
        return list(checked_drafts(index, window_drafts(index, keeper, settings), keeper))
    keeper = RoomKeeper(title, embedder, settings.max_tokens)
    drafts = structure_drafts(index, parse_blocks(index.text, title), keeper, settings)
    return list(checked_drafts(index, drafts, keeper))


class _IdMaker:
    """Makes ids of equal parts differ by counting them."""

    def __init__(self, prefix: str, document: Document) -> None:
        self.document = document
        self._prefix = prefix
        self._seen: Counter[tuple[str, ...]] = Counter()

    def make(self, *parts: str) -> str:
        """Return the id of the next record with these parts."""
        occurrence = self._seen[parts]
        self._seen[parts] += 1
        return stable_id(self._prefix, self.document.tenant, self.document.id, *parts, str(occurrence))


def _parent(ids: _IdMaker, text: str, group: Sequence[Draft], position: int) -> Parent:
    start, end = group[0].start, group[-1].end
    return Parent(
        id=ids.make(text[start:end]), document_id=ids.document.id, char_start=start, char_end=end, position=position
    )


def _chunk(ids: _IdMaker, text: str, draft: Draft, position: int) -> Chunk:
    document = ids.document
    content = text[draft.start : draft.end]
    return Chunk(
        id=ids.make(content, draft.context, *draft.heading_path),
        document_id=document.id,
        document_version=document.version,
        text=content,
        heading_path=draft.heading_path,
        char_start=draft.start,
        char_end=draft.end,
        position=position,
        context=draft.context,
        tenant=document.tenant,
        groups=document.groups,
    )


def _page(pages: Sequence[PageSpan], position: int) -> int | None:
    """Return the page that ``position`` is on; between two pages the first of them, before all pages the first page."""
    if not pages:
        return None
    return pages[max(0, bisect_right(pages, position, key=lambda page: page.char_start) - 1)].number


def _sentences(chunks: Iterable[Chunk]) -> Iterable[Sentence]:
    for chunk in chunks:
        for position, (start, end) in enumerate(sentence_spans(chunk.text)):
            yield Sentence(chunk_id=chunk.id, position=position, char_start=start, char_end=end)

"""The strategy ``window``: chunks of a fixed number of tokens."""

from indexing.chunking.draft import Draft
from indexing.chunking.errors import ChunkingError
from indexing.chunking.room import RoomKeeper
from indexing.chunking.settings import ChunkingSettings
from indexing.chunking.token_index import TokenIndex
from model_clients.embedder import Span


def window_spans(token_count: int, size: int, overlap: int) -> list[Span]:
    """Return the windows over ``token_count`` tokens as half-open spans of token numbers.

    With N tokens and stride = size - overlap there are ceil((N - size) / stride) + 1 windows, 1 where N <= size, none
    where N = 0. Every token is in one, only the last window may be shorter, and over many tokens each token is in
    size / stride windows on average. Raises ``ChunkingError`` unless 0 <= overlap < size.
    """
    if not 0 <= overlap < size:
        raise ChunkingError(f"a window of {size} tokens cannot share {overlap}; the overlap must be from 0 to size - 1")
    if token_count <= 0:
        return []
    stride = size - overlap
    count = max(0, -(-(token_count - size) // stride)) + 1
    return [(number * stride, min(number * stride + size, token_count)) for number in range(count)]


def window_drafts(index: TokenIndex, keeper: RoomKeeper, settings: ChunkingSettings) -> list[Draft]:
    """Return the drafts of a document: windows over its tokens, under no heading.

    A window that does not fit in what the embedder reads beside the title is made smaller, its overlap in proportion.
    """
    if not index.total:
        return [Draft(start=0, end=len(index.text), new_from=0)]
    room = keeper.prefix(()).room
    overlap = settings.window_overlap * room // settings.window_tokens
    drafts: list[Draft] = []
    for first, last in window_spans(index.total, room, overlap):
        start, end = index.token_span(first, last)
        drafts.append(Draft(start=start, end=end, new_from=max(start, drafts[-1].end) if drafts else start))
    return drafts

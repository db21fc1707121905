"""The last check before drafts become chunks: trimmed, and proven to fit in what the embedder reads."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from indexing.chunking.draft import Draft
from indexing.chunking.errors import ChunkingError
from indexing.chunking.room import Prefix, RoomKeeper
from indexing.chunking.token_index import TokenIndex

# Cutting at white space changes a count by a token or two at most: nearer the limit than this, count again.
_MARGIN = 4


def checked_drafts(index: TokenIndex, drafts: Iterable[Draft], keeper: RoomKeeper) -> Iterator[Draft]:
    """Yield the drafts, trimmed, with heading path and context as short as they will be stored; no blank ones.

    A cut in the middle of a word can make more tokens of its halves than the word had. So what was cut there, or comes
    near the limit, is counted again with its prefix, as the embedder will see it, and divided until it fits.
    """
    last_start = -1
    for draft in drafts:
        # Where the draft before had to be divided, its last part may begin within what this one shares with it.
        apart = replace(draft, start=draft.new_from) if draft.start <= last_start else draft
        for fitting in _fitting(index, apart, keeper):
            yield fitting
            last_start = fitting.start


def _trimmed(text: str, draft: Draft, prefix: Prefix) -> Draft | None:
    content = text[draft.start : draft.end]
    stripped = content.strip()
    if not stripped:
        return None
    start = draft.start + content.index(stripped[0])
    return replace(
        draft,
        start=start,
        end=start + len(stripped),
        new_from=max(start, draft.new_from),
        heading_path=prefix.heading_path,
        context=prefix.context,
    )


def _fitting(index: TokenIndex, draft: Draft, keeper: RoomKeeper) -> Iterator[Draft]:
    """Yield the draft or, where it does not fit, what it does not share with the one before, divided until it fits."""
    trimmed = _trimmed(index.text, draft, keeper.prefix(draft.heading_path, draft.context))
    if trimmed is None:
        return
    if _fits(index, trimmed, keeper):
        yield trimmed
    elif trimmed.start < trimmed.new_from:
        yield from _fitting(index, replace(trimmed, start=trimmed.new_from), keeper)
    else:
        middle = _middle(index, trimmed)
        yield from _fitting(index, replace(trimmed, end=middle), keeper)
        yield from _fitting(index, replace(trimmed, start=middle, new_from=middle), keeper)


def _middle(index: TokenIndex, draft: Draft) -> int:
    """Return where to divide a draft; ``ChunkingError`` for a single character."""
    start, end = draft.start, draft.end
    middle = index.cut(start, end, max(1, index.count(start, end) // 2))
    if not start < middle < end:
        middle = (start + end) // 2
    if middle == start:
        raise ChunkingError(
            f"the character {index.text[start:end]!r} alone has more tokens than the embedding model reads"
        )
    return middle


def _fits(index: TokenIndex, draft: Draft, keeper: RoomKeeper) -> bool:
    prefix = keeper.prefix(draft.heading_path, draft.context)
    estimate = index.count(draft.start, draft.end)
    is_clean = _is_word_boundary(index.text, draft.start) and _is_word_boundary(index.text, draft.end)
    if is_clean and estimate + _MARGIN <= prefix.room:
        return True
    return keeper.indexed_tokens(prefix, index.text[draft.start : draft.end]) <= prefix.tokens + prefix.room


def _is_word_boundary(text: str, position: int) -> bool:
    if position in {0, len(text)}:
        return True
    return text[position - 1].isspace() or text[position].isspace()

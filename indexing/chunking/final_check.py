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
    near the limit, is counted again with its prefix, as the embedder will see it, and halved until it fits.
    """
    for draft in drafts:
        trimmed = _trimmed(index.text, draft, keeper.prefix(draft.heading_path, draft.context))
        if trimmed is not None:
            yield from _fitting(index, trimmed, keeper)


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
    if _fits(index, draft, keeper):
        yield draft
        return
    middle = index.cut(draft.start, draft.end, max(1, index.count(draft.start, draft.end) // 2))
    if not draft.start < middle < draft.end:
        middle = (draft.start + draft.end) // 2
    if middle == draft.start:
        character = index.text[draft.start : draft.end]
        raise ChunkingError(f"the character {character!r} alone has more tokens than the embedding model reads")
    yield from checked_drafts(index, (replace(draft, end=middle), replace(draft, start=middle)), keeper)


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

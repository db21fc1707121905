"""Passages that hold an identifier of the question, letter by letter."""

import re
from collections.abc import Sequence

from graph_store.records import Chunk
from graph_store.store import GraphStore
from query.request import Request

# Keyword hits read for the exact comparison: more than that and the identifier is no longer rare.
_COMPARED = 24


def passages_with_codes(store: GraphStore, request: Request, *, most: int) -> tuple[str, ...]:
    """Return the ids of passages that hold identifiers of the question, those with more of them first, then by BM25.

    Empty where the question has none, or where more than ``most`` passages hold one: then it is a topic of the
    collection and does not tell passages apart.
    """
    codes = request.question.identifiers
    if not codes:
        return ()
    hits = store.search_keywords(request.access, " ".join(codes), kind="chunk", k=_COMPARED, filters=request.filters)
    patterns = [_standing_alone(code) for code in codes]
    chunks = store.chunks(request.access, [hit.id for hit in hits])
    held = {chunk.id: _held(chunk, patterns) for chunk in chunks}
    holders = [hit.id for hit in hits if held.get(hit.id, 0) > 0]
    if len(holders) > most:
        return ()
    return tuple(sorted(holders, key=lambda chunk_id: -held[chunk_id]))


def _standing_alone(code: str) -> re.Pattern[str]:
    # "ORA-01555" must not be found in "ORA-015550" nor in "XORA-01555".
    return re.compile(rf"(?<!\w){re.escape(code)}(?!\w)", re.IGNORECASE)


def _held(chunk: Chunk, patterns: Sequence[re.Pattern[str]]) -> int:
    text = "\n".join([chunk.text, chunk.context, *chunk.heading_path])
    return sum(pattern.search(text) is not None for pattern in patterns)

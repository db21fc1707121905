"""How much room the title, the headings and the table header above a chunk leave for its text."""

from dataclasses import dataclass

from graph_store.indexed_text import prefix_text
from indexing.chunking.errors import ChunkingError
from indexing.chunking.token_index import TokenIndex
from model_clients.embedder import Embedder

# Fewer tokens than this are no passage: the title would be all that is embedded.
_LEAST_TEXT_TOKENS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """What stands before the text of a chunk, shortened where need be. ``tokens`` counts all of it with the title;
    ``room`` is how many tokens the text may have.
    """

    heading_path: tuple[str, ...]
    context: str
    tokens: int
    room: int


class RoomKeeper:
    """Divides what the embedder reads between the prefix and the text of chunks of one document.

    Headings and context may take half at most: then outer headings go first, the innermost is cut next, the table
    header last. A title that takes more than its share shrinks the room of the text.
    """

    def __init__(self, title: str, embedder: Embedder, max_tokens: int) -> None:
        self._title = title
        self._embedder = embedder
        self._limit = embedder.max_tokens
        self._max_tokens = max_tokens
        self._prefixes: dict[tuple[tuple[str, ...], str], Prefix] = {}

    def prefix(self, heading_path: tuple[str, ...], context: str = "") -> Prefix:
        """Return the prefix of a chunk under these headings; ``ChunkingError`` where the title leaves no room."""
        key = (heading_path, context)
        if key not in self._prefixes:
            self._prefixes[key] = self._measured(*self._shortened(heading_path, context))
        return self._prefixes[key]

    def indexed_tokens(self, prefix: Prefix, text: str) -> int:
        """Return the exact number of tokens of a chunk's indexed text."""
        whole = prefix_text(self._title, prefix.heading_path, prefix.context) + text
        return len(self._embedder.token_spans(whole))

    def _measured(self, heading_path: tuple[str, ...], context: str) -> Prefix:
        tokens = self._count(heading_path, context)
        room = min(self._max_tokens, self._limit - tokens)
        if room < min(_LEAST_TEXT_TOKENS, self._max_tokens):
            raise ChunkingError(
                f"the title {self._title!r} takes {tokens} of the {self._limit} tokens that the embedding model reads; "
                "shorten it, or choose a model that reads more"
            )
        return Prefix(heading_path=heading_path, context=context, tokens=tokens, room=room)

    def _shortened(self, heading_path: tuple[str, ...], context: str) -> tuple[tuple[str, ...], str]:
        half = self._limit // 2
        if self._count(heading_path, context) <= half:
            return heading_path, context
        context = self._cut(context, half // 2)
        while len(heading_path) > 1 and self._count(heading_path, context) > half:
            heading_path = heading_path[1:]
        if heading_path and self._count(heading_path, context) > half:
            heading_path = self._only(self._cut(heading_path[0], half // 4))
        if self._count(heading_path, context) > half:
            context = self._cut(context, max(0, half - self._count(heading_path, "")))
        if self._count(heading_path, context) > half:
            heading_path = ()
        return heading_path, context

    def _only(self, heading: str) -> tuple[str, ...]:
        return (heading,) if heading else ()

    def _cut(self, text: str, tokens: int) -> str:
        if tokens <= 0:
            return ""
        return text[: TokenIndex(text, self._embedder).cut(0, len(text), tokens)].rstrip()

    def _count(self, heading_path: tuple[str, ...], context: str) -> int:
        return len(self._embedder.token_spans(prefix_text(self._title, heading_path, context)))

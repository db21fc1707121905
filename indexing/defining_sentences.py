"""Sentences that say what something is: "Li Wei (born 1990) is a Chinese footballer who ..."."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_store.bundles import Collection
from graph_store.ids import name_key
from graph_store.records import Chunk

_COPULA = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+", re.IGNORECASE)
_PHRASE_END = re.compile(
    r"[^\w\s'\u2019-]"
    r"|\b(?:who|whom|whose|that|which|of|in|from|at|for|by|with|on|to|born|known|based|located|and (?:the|a|an))\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\band\b|\bor\b", re.IGNORECASE)
_MARKS = re.compile(r"[*_`#]+")
_MAX_BEFORE_COPULA = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class DefiningSentence:
    """A sentence that defines a name; ``nouns`` say what the thing is ("actor", "producer"), in lower case."""

    text: str
    nouns: frozenset[str]


class ChunkSentences:
    """The sentences of a collection by chunk."""

    def __init__(self, collection: Collection) -> None:
        self._chunks: Mapping[str, Chunk] = {chunk.id: chunk for chunk in collection.chunks}
        self._spans: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for sentence in collection.sentences:
            self._spans[sentence.chunk_id].append((sentence.char_start, sentence.char_end))

    def of(self, chunk_id: str) -> Sequence[str]:
        """Return the texts of a chunk's sentences, in order, without Markdown marks and line breaks."""
        chunk = self._chunks.get(chunk_id)
        if chunk is None:
            return ()
        spans = sorted(self._spans.get(chunk_id, [(0, len(chunk.text))]))
        return [" ".join(_MARKS.sub("", chunk.text[start:end]).split()) for start, end in spans]


def find_defining_sentence(sentences: Iterable[str], keys: frozenset[str]) -> DefiningSentence | None:
    """Return the first sentence that begins with a name of one of ``keys`` and says what it is."""
    for sentence in sentences:
        copula = _COPULA.search(sentence)
        if copula is None or copula.start() > _MAX_BEFORE_COPULA:
            continue
        before = name_key(sentence[: copula.start()])
        if any(before == key or before.startswith(f"{key} ") for key in keys):
            return DefiningSentence(text=sentence, nouns=_nouns(sentence[copula.end() :]))
    return None


def _nouns(rest: str) -> frozenset[str]:
    """Return the last word of each part of "Chinese footballer and coach", up to where the noun phrase ends."""
    end = _PHRASE_END.search(rest)
    parts = _AND.split(rest[: end.start()] if end else rest)
    return frozenset(words[-1] for part in parts if (words := part.casefold().split()))

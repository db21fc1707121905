"""Names in a question that the collection knows: longest match against the names of the passage graph."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.bundles import PassageGraph
from raptor.stop_words import FUNCTION_WORDS

_WORD = re.compile(r"\w+", re.UNICODE)
_LONGEST_NAME = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundName:
    """A known name at the words ``[start, stop)`` of the question.

    ``homes`` are the indices of its home passages, ``mentions`` those of all passages that mention it.
    """

    key: str
    start: int
    stop: int
    homes: tuple[int, ...]
    mentions: tuple[int, ...]


def name_words(question: str) -> list[str]:
    """Return the words of a question as written; case folded they are words of name keys."""
    return _WORD.findall(unicodedata.normalize("NFKC", question))


def find_names(question: str, graph: PassageGraph, *, shortest: int = 4) -> tuple[FoundName, ...]:
    """Return the known names in ``question``, in order; of overlapping ones the longer, then the earlier.

    Names shorter than ``shortest`` characters, stop words and single words in lower case ("time" is not the magazine)
    are passed over; the last not where the whole question is in lower case. Cost: words x 8 dictionary look-ups.
    """
    written = name_words(question)
    words = [word.casefold() for word in written]
    may_stand_alone = [not word.islower() or question.islower() for word in written]
    taken = [False] * len(words)
    found: list[FoundName] = []
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            stop = start + length
            if any(taken[start:stop]) or (length == 1 and not may_stand_alone[start]):
                continue
            name = _known_name(words, start, stop, graph)
            if name is not None and len(name.key) >= shortest:
                found.append(name)
                taken[start:stop] = [True] * length
    return tuple(sorted(found, key=lambda name: name.start))


def _known_name(words: Sequence[str], start: int, stop: int, graph: PassageGraph) -> FoundName | None:
    if stop - start == 1 and words[start] in FUNCTION_WORDS:
        return None
    key = " ".join(words[start:stop])
    homes, mentions = _indices(graph.homes, key), _indices(graph.mentions, key)
    if not homes and not mentions:
        return None
    return FoundName(key=key, start=start, stop=stop, homes=homes, mentions=mentions)


def _indices(table: Mapping[str, tuple[int, ...]], key: str) -> tuple[int, ...]:
    return tuple(table.get(key, ()))

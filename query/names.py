"""Names in a question that the collection knows: longest match against the names of its passages."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from query.chain_ranking.names import KnownNames, is_known
from raptor.stop_words import FUNCTION_WORDS

_WORD = re.compile(r"\w+", re.UNICODE)
_LONGEST_NAME = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundName:
    """A known name at the words ``[start, stop)`` of the question.

    ``homes`` are the indices of its home passages; of a name with many, the first may do.
    """

    key: str
    start: int
    stop: int
    homes: tuple[int, ...]


def name_words(question: str) -> list[str]:
    """Return the words of a question as written; case folded they are words of name keys."""
    return _WORD.findall(unicodedata.normalize("NFKC", question))


def possible_names(question: str) -> frozenset[str]:
    """Return all keys that ``find_names`` may look up: the runs of up to 8 words of the question."""
    words = [word.casefold() for word in name_words(question)]
    lengths = range(1, min(_LONGEST_NAME, len(words)) + 1)
    runs = ((start, start + length) for length in lengths for start in range(len(words) - length + 1))
    return frozenset(" ".join(words[start:stop]) for start, stop in runs)


def find_names(question: str, names: KnownNames, *, shortest: int = 4) -> tuple[FoundName, ...]:
    """Return the known names in ``question``, in order; of overlapping ones the longer, then the earlier.

    Names shorter than ``shortest`` characters, stop words and single words in lower case ("time" is not the magazine)
    are passed over; the last not where the whole question is in lower case. Cost: words x 8 look-ups.
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
            name = _known_name(words, start, stop, names)
            if name is not None and len(name.key) >= shortest:
                found.append(name)
                taken[start:stop] = [True] * length
    return tuple(sorted(found, key=lambda name: name.start))


def _known_name(words: Sequence[str], start: int, stop: int, names: KnownNames) -> FoundName | None:
    if stop - start == 1 and words[start] in FUNCTION_WORDS:
        return None
    key = " ".join(words[start:stop])
    if not is_known(names, key):
        return None
    return FoundName(key=key, start=start, stop=stop, homes=tuple(names.homes(key)))

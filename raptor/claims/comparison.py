"""Whether a claim that a language model made is borne out by the texts that it names: checked without a model.

Every number of a claim must stand in its evidence, and so must every name, which is a word that is written large where
no sentence begins, and a word at the beginning of one unless it is common. Of all words that say something, at least
half must stand there, in any form of theirs. A claim that passes may still twist what its evidence says; one that fails
says something that is not there.
"""

import re
import unicodedata
from collections.abc import Iterator

from graph_store.keyword_analysis import question_terms
from raptor.stop_words import FUNCTION_WORDS, STOP_WORDS

LEAST_SHARED = 0.5
"""Share of a claim's words that must stand in its evidence."""

_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*")
_NUMBER = re.compile(r"\d+(?:[.,'\u2019]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[.,'\u2019](?=\d{3}(?!\d))")
_SENTENCE_END = re.compile(r"[.!?:;]['\")\u201d]*\s+$")
_LEAST_STEM = 4
_COMMON_OPENERS = frozenset(
    {
        *("overall", "together", "key", "main", "major", "notable", "notably", "several", "various", "different"),
        *("another", "additionally", "finally", "similarly", "despite", "alongside", "according", "within"),
        *("throughout", "following", "early", "modern", "recent", "recently", "people", "topics", "themes", "sources"),
    }
)


def is_supported(claim: str, evidence: str) -> bool:
    """Tell whether ``evidence`` bears out ``claim``: its numbers, its names, and half of its words. O(both)."""
    if not claim.strip() or not names_and_numbers_occur(claim, evidence):
        return False
    wanted = set(question_terms(_plain(claim)))
    if not wanted:
        return False
    return len(wanted.intersection(question_terms(_plain(evidence)))) >= LEAST_SHARED * len(wanted)


def names_and_numbers_occur(claim: str, evidence: str, *, is_sentence: bool = True) -> bool:
    """Tell whether every number and every name of ``claim`` stands in ``evidence``.

    What is no sentence, such as "Founder of the Works", may begin with any word.
    """
    claim, evidence = _plain(claim), _plain(evidence)
    if not set(_numbers(claim)) <= set(_numbers(evidence)):
        return False
    known = {part for word in _WORD.findall(evidence.casefold()) for part in (word, *re.split(r"[-'\u2019]", word))}
    stems = {word[:length] for word in known for length in range(_LEAST_STEM, len(word) + 1)}
    return all(_is_known(name.casefold(), known, stems) for name in _names(claim, is_sentence=is_sentence))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _numbers(text: str) -> Iterator[str]:
    """Yield numbers without separators of thousands, and without zeros that count nothing."""
    for found in _NUMBER.findall(text):
        yield _THOUSANDS.sub("", found).replace(",", ".").lstrip("0") or "0"


def _names(claim: str, *, is_sentence: bool) -> Iterator[str]:
    for found in _WORD.finditer(claim):
        word = found[0]
        if not word[0].isupper():
            continue
        begins = found.start() == 0 or _SENTENCE_END.search(claim, 0, found.start()) is not None
        if not begins or (is_sentence and not _is_common(word.casefold())):
            yield word


def _is_common(word: str) -> bool:
    return word in FUNCTION_WORDS or word in STOP_WORDS or word in _COMMON_OPENERS


def _is_known(name: str, known: set[str], stems: set[str]) -> bool:
    """Tell whether a name stands there: itself, its parts, a longer form of it, or all of it but an ending."""
    if name in known or name in stems:
        return True
    parts = [part for part in re.split(r"[-'\u2019]", name) if part not in {"", "s"}]
    if len(parts) > 1 or name != "".join(parts):
        return all(_is_known(part, known, stems) for part in parts)
    return any(name[:length] in known for length in range(max(_LEAST_STEM, len(name) - 2), len(name)))

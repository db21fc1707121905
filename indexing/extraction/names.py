"""What counts as a name: spans of named entities and identifiers, trimmed and filtered."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

TOPIC = "TOPIC"
"""The type of a name that only titles, headings or definitions vouch for."""

IDENTIFIER = "IDENTIFIER"

_TYPES = {
    "PERSON": "PERSON",
    "ORG": "ORG",
    "GPE": "PLACE",
    "LOC": "PLACE",
    "FAC": "PLACE",
    "EVENT": "EVENT",
    "WORK_OF_ART": "WORK",
    "PRODUCT": "PRODUCT",
    "LAW": "LAW",
    "NORP": "GROUP",
}
_LEADING = re.compile(r"(?:(?:the|a|an|this|that|these|those|its|his|her|their|our|my)\s+|[^\w]+)", re.IGNORECASE)
_TRAILING = re.compile(r"(?:\s(?:and|or|of|the|in|for|at|on|by|with|a|an)|['\u2019]s?|[^\w.)!?%+]+)$", re.IGNORECASE)
_DOTTED = re.compile(r"(?:\b\w\.){1,}$|\b(?:Inc|Ltd|Co|Corp|Jr|Sr|St|Bros|Dr)\.$")
_NUMBER = re.compile(r"^[\W\d_]*(?:st|nd|rd|th|km|kg|m|s)?$", re.IGNORECASE)
_JUNK = re.compile(r"://|www\.|@\w|[<>{}=\\^|`]")
# "DSS-43", "ORA-01555", "CVE-2023-1234", "3RT2015-1BB41"; "CCSDS 131.0-B", "RFC 2616" (but not a year).
_IDENTIFIER = re.compile(
    r"(?<![\w/.-])(?:"
    r"[A-Z]{2,8}-\d[A-Z0-9]*(?:[.-][A-Z0-9]+)*"
    r"|(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{4,}(?:-[A-Z0-9]+)+"
    r"|[A-Z]{2,8} (?!(?:1[5-9]|20)\d\d\b)\d{2,6}(?:\.\d+)*(?:-[A-Z0-9]{1,3})?"
    r")(?![\w/]|-\w)"
)
_SHOUTED = re.compile(r"\b[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSpan:
    """A name at ``text[start:end]`` of a block."""

    start: int
    end: int
    type: str


def find_names(
    text: str, entities: Sequence[tuple[int, int, str]], *, known: Iterable[str], max_words: int
) -> tuple[NameSpan, ...]:
    """Return the names of a text in order, without overlaps.

    ``entities`` are (start, end, OntoNotes label). Where they overlap, ``known`` names (exact spelling, such as the
    document's title) win over identifiers, and these over named entities.
    """
    found = list(_known(text, known, entities))
    found += [span for span in _identifiers(text) if _is_free(span.start, span.end, found)]
    for start, end, label in entities:
        span = _trim(text, start, end)
        if label not in _TYPES or not is_name(text[slice(*span)], max_words):
            continue
        if _is_free(*span, found):
            kind = _TYPES[label]
            # Acronyms that the parser takes for people are mostly organisations.
            kind = "ORG" if kind == "PERSON" and _SHOUTED.fullmatch(text, *span) else kind
            found.append(NameSpan(start=span[0], end=span[1], type=kind))
    return tuple(sorted(found, key=lambda span: span.start))


def _is_free(start: int, end: int, taken: Iterable[NameSpan]) -> bool:
    return all(end <= other.start or start >= other.end for other in taken)


def _known(text: str, known: Iterable[str], entities: Sequence[tuple[int, int, str]]) -> Iterator[NameSpan]:
    """Yield where known names stand, longest first, outside of longer named entities.

    A named entity that ends where a known name ends gives its type.
    """
    spans = [(*_trim(text, start, end), label) for start, end, label in entities]
    # The parser calls many a numbered thing a law.
    labels = {end: label for _, end, label in spans if label != "LAW"}
    taken: list[NameSpan] = []
    for name in sorted(known, key=len, reverse=True):
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            longer = any(first <= start and end <= last and last - first > end - start for first, last, _ in spans)
            if not longer and _is_whole(text, start, end) and _is_free(start, end, taken):
                taken.append(NameSpan(start=start, end=end, type=_TYPES.get(labels.get(end, ""), TOPIC)))
            start = text.find(name, end)
    yield from taken


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or after.isalnum())


def is_name(text: str, max_words: int) -> bool:
    """Tell whether a trimmed span can be a name: two characters or more, a letter, not all in lower case, not a
    number, not an address, not longer than ``max_words``.
    """
    if len(text) < 2 or len(text.split()) > max_words:
        return False
    if _NUMBER.match(text) or _JUNK.search(text):
        return False
    return text != text.lower() or _has_caseless_letter(text)


def trim_name(text: str) -> str:
    """Return a name without leading determiner, trailing possessive and surrounding punctuation."""
    start, end = _trim(text, 0, len(text))
    return text[start:end]


def _has_caseless_letter(text: str) -> bool:
    return any(char.isalpha() and char.lower() == char.upper() for char in text)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end:
        leading = _LEADING.match(text, start, end)
        if leading is None:
            break
        start = leading.end()
    while start < end:
        trailing = _TRAILING.search(text, start, end)
        if trailing is not None:
            end = trailing.start()
        elif _ends_in_stray_mark(text[start:end]):
            end -= 1
        else:
            break
    return start, end


def _ends_in_stray_mark(name: str) -> bool:
    """Tell whether a name ends in a full stop that is not an abbreviation's, or in a bracket it does not open."""
    return (name[-1] == "." and _DOTTED.search(name) is None) or (name[-1] == ")" and "(" not in name)


def _identifiers(text: str) -> Iterator[NameSpan]:
    if len(_SHOUTED.findall(text)) > 0.5 * len(text.split()) > 2:
        # A line in capitals: "SALE 2500" is no identifier there.
        return
    for found in _IDENTIFIER.finditer(text):
        yield NameSpan(start=found.start(), end=found.end(), type=IDENTIFIER)

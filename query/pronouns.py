"""Sentences that begin with a pronoun, told so that it is said who is meant.

They are quoted together with the sentence before where that says it; else the title of their document leads them.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from query.passages import CandidateSentence
from query.table_rows import table_header

_PRONOUN = re.compile(r"(?:He|She|They|It|His|Her|Their|Its)\s+[^\W\d]")
_LONGEST_BEFORE = 240
"""Characters: a longer sentence would bury what was found."""
_FARTHEST = 2
"""Characters between two sentences that follow each other."""


def with_antecedents(
    told: Sequence[CandidateSentence], known: Sequence[CandidateSentence]
) -> tuple[CandidateSentence, ...]:
    """Return the told sentences, those that begin with a pronoun reaching back to the start of the sentence before.

    The whole stays one verbatim span of the chunk. Nothing changes where the sentence before is told as well, is long,
    begins with a pronoun itself, stands in another paragraph, or is none of ``known``.
    """
    ends = {
        (candidate.passage.chunk.id, candidate.sentence.char_end): candidate
        for candidate in known
        if len(candidate.text) <= _LONGEST_BEFORE and not _PRONOUN.match(candidate.text)
    }
    starts = {(candidate.passage.chunk.id, candidate.sentence.char_start) for candidate in told}
    return tuple(_widened(candidate, ends, starts) for candidate in told)


def lead_in(candidate: CandidateSentence, before: CandidateSentence | None) -> str:
    """Return the title that leads a told sentence, "" where none need: "Kestrel: " before "Her captain is Tomas Lind."

    Needed where the sentence begins with a pronoun and what is told ``before`` it is of another document: there the
    reader would take it for the subject.
    """
    if not _PRONOUN.match(candidate.text) or table_header(candidate.passage.chunk, candidate.sentence):
        return ""
    if before is not None and before.passage.document.id == candidate.passage.document.id:
        return ""
    return f"{candidate.passage.document.title}: "


def _widened(
    candidate: CandidateSentence,
    ends: dict[tuple[str, int], CandidateSentence],
    starts: set[tuple[str, int]],
) -> CandidateSentence:
    if not _PRONOUN.match(candidate.text) or table_header(candidate.passage.chunk, candidate.sentence):
        return candidate
    chunk, begin = candidate.passage.chunk, candidate.sentence.char_start
    near = [ends[key] for gap in range(_FARTHEST + 1) if (key := (chunk.id, begin - gap)) in ends]
    if not near or (chunk.id, near[0].sentence.char_start) in starts:
        return candidate
    start = near[0].sentence.char_start
    if "\n\n" in chunk.text[near[0].sentence.char_end : begin]:
        return candidate
    span = replace(candidate.sentence, char_start=start)
    return replace(candidate, sentence=span, text=chunk.text[start : span.char_end])

"""Sentences of raw text with exact offsets.

Layout decides first (:mod:`indexing.text_lines`): a heading, list item, table row or chat line never shares a sentence
with another. Within such a unit syntok finds the boundaries; its time is linear in the length of the text, whatever
stands in it. Two things it does not know are added here: full stops of Chinese and Japanese, and a word that only
begins sentences after an abbreviation that ends in a full stop ("in Washington, D.C. He left.").
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from indexing.text_lines import is_indivisible, unit_spans
from model_clients.embedder import Span

if TYPE_CHECKING:
    from syntok.tokenizer import Tokenizer  # type: ignore[import-untyped]  # the library has no annotations

# Every repetition is bounded, so that a hostile text cannot make the search quadratic.
_MAYBE_BOUNDARY = re.compile(r"[.!?…][^\w\s]{0,8}\s+[^a-z\s]")
_CJK_STOP = re.compile("[。\uff01\uff1f\uff61]+[」』”\u2019\uff09》】\"')]*")
_OPENERS = (
    "After|Although|An?|And|As|At|But|During|For|From|He|Her|His|However|If|In|It|Its|On|She|Since|So|Some|That|The|"
    "Their|Then|There|These|They|This|Those|Though|To|Under|Until|We|What|When|Where|While|Who|With|You"
)
# "D.C.", the end of an address on the web, a letter as a name ("Plan B.").
_ABBREVIATION = r"(?:(?<!\w)(?:[A-Za-z]\.){2,}|[/@=][^\s]{1,200}\.|(?<=[a-z] )[A-Z]\.)"
_AFTER_ABBREVIATION = re.compile(rf"{_ABBREVIATION}[\"'”\u2019)]{{0,3}}\s+(?=(?:{_OPENERS})\s)")


def sentence_spans(text: str) -> list[Span]:
    """Return the spans of the sentences of ``text``: in order, disjoint, trimmed, never empty.

    Every character that is not white space is in one. The same text always gives the same spans.
    """
    return [span for unit in unit_spans(text) for span in _sentences_of_unit(text, unit)]


def _sentences_of_unit(text: str, unit: Span) -> Iterator[Span]:
    if is_indivisible(text[slice(*unit)]):
        yield unit
        return
    for part in _split_cjk(text, unit):
        yield from _sentences_within(text, part)


def _split_cjk(text: str, unit: Span) -> Iterator[Span]:
    start, end = unit
    for match in _CJK_STOP.finditer(text, start, end):
        yield start, match.end()
        start = match.end()
    if start < end:
        yield start, end


def _sentences_within(text: str, unit: Span) -> Iterator[Span]:
    """Yield the sentences of a unit, or of a part of one."""
    start, end = unit
    part = text[start:end]
    starts = [0]
    # Most headings, list items and table rows have no mark inside that could end a sentence.
    if _MAYBE_BOUNDARY.search(part):
        starts = sorted({0, *_syntok_starts(part), *(match.end() for match in _AFTER_ABBREVIATION.finditer(part))})
    for begin, stop in zip(starts, [*starts[1:], len(part)], strict=True):
        sentence = part[begin:stop].strip()
        if sentence:
            first = start + part.index(sentence[0], begin)
            yield first, first + len(sentence)


def _syntok_starts(part: str) -> Iterator[int]:
    from syntok import segmenter  # type: ignore[import-untyped]  # noqa: PLC0415  # no annotations; needed by indexing alone

    for sentence in segmenter.segment(_tokenizer().tokenize(part)):
        yield sentence[0].offset


@lru_cache(maxsize=1)
def _tokenizer() -> "Tokenizer":
    from syntok.tokenizer import Tokenizer  # noqa: PLC0415  # needed by indexing alone

    # The tokens must stay as they stand in the text, else their offsets are not those of the text.
    return Tokenizer(emit_hyphen_or_underscore_sep=True, replace_not_contraction=False)

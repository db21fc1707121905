"""Hard checks on what is claimed: a span of the wrong kind is no answer, however likely its place in the sentence."""

import re
from collections.abc import Sequence

from query.question import Question
from query.short_answers.asked import Wanted
from query.short_answers.evidence import SourceSentence
from query.short_answers.spans import Span
from query.short_answers.words import Word, stems_of, word_set
from query.table_rows import table_header, told_row
from raptor.text_words import content_stems

# Questions for a description, for more than one, or for what is none of what the documents name first.
_DESCRIPTION = re.compile(r"^\W*(?:who|what) (?:is|was|are|were) (?:the |an? )?(.+?)[\s?.!]*$", re.IGNORECASE)
_OCCUPATION = re.compile(r"\bwhat (?:does|do|did) .+ do\b", re.IGNORECASE)
_SEVERAL = re.compile(r"^\W*(?:who|what|which(?: [\w-]+)?) (?:are|were)\b", re.IGNORECASE)
_RELATED = re.compile(
    r"\b(?:before|after|until|other than|besides|except|instead of|apart from|without)\b", re.IGNORECASE
)
_MONEY_ASKED = re.compile(
    r"\b(?:prices?|fees?|salary|budget|turnover|revenues?|profits?|income)\b|\bcosts?\b"
    r"|\bhow much\b.*\b(?:pay|paid|charged?|spend|spent|worth|sold?|sell|earn(?:ed)?)\b",
    re.IGNORECASE,
)
_UNITS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(rf"(?:{unit})", re.IGNORECASE))
    for asked, unit in (
        (
            r"how heavy|weigh\w*|(?:what|which) (?:is|was) the (?:mass|weight)",
            r"\b(?:kg|kilogram\w*|grams?|g|tonnes?|tons?|lbs?|pounds?|ounces?|oz)\b",
        ),
        (
            r"how (?:tall|high|deep|wide|far)|(?:what|which) (?:is|was) the (?:height|length|depth|width|distance"
            r"|altitude|elevation|diameter)",
            r"\b(?:m|metres?|meters?|km|kilometres?|kilometers?|cm|mm|centi\w+|milli\w+|feet|foot|ft|inch(?:es)?|miles?"
            r"|stor(?:e?y|ies|eys))\b",
        ),
        (r"percentage|what share", r"%|\bper ?cent\b"),
    )
)
_CURRENCY = re.compile(
    r"[£$€¥]|\b(?:pounds?|dollars?|euros?|gbp|usd|eur|kron(?:or|er|e|a)|yen|francs?|marks?|rupees?|yuan|roubles?|cents?"
    r"|pence)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\w.,])(?:1\d|20)\d\d(?![\w-]|[.,]\d)")
_PLACE_CUES = word_set("in near from to into around outside inside on")
_PLACE_NOUNS = word_set("city town village state county province region district capital island republic kingdom")
_ARTICLES = word_set("a an the")
_GENERIC = frozenset(content_stems("located situated lies lie place city country town found located stands stand"))
_ORGANISATIONS = word_set(
    "university college school institute academy records company corporation inc ltd llc plc gmbh ag press party church"
    " museum orchestra band club league society committee council ministry department agency board union trust"
    " bank group studios network newspaper magazine journal army navy works systems industries"
    " technologies laboratories labs partners holdings services solutions foundation association team"
)
_OF_KIND = {
    "person": frozenset(content_stems("name person who author")),
    "date": frozenset(content_stems("date year when day")),
    "place": frozenset(content_stems("place city town country location site where")),
}
_LABELLED = re.compile(r"(?:^|; )([^:;]{1,40}): ")
_JOINING = word_set("and or & to")


def may_ask_for_span(question: Question) -> bool:
    """Tell whether a question asks for one thing that a sentence names, not for a description, several, or a neighbour
    in an order ("Who was director before X?").
    """
    text = question.searched
    described = _DESCRIPTION.match(text)
    if described is not None and _is_name(described.group(1), question):
        return False
    return not any(pattern.search(text) for pattern in (_OCCUPATION, _SEVERAL, _RELATED))


def may_be_claimed(question: Question, asked: Wanted, source: SourceSentence, span: Span) -> bool:
    """Tell whether a span is of the kind that is asked for, whole, and said of what is asked."""
    return (
        _has_asked_unit(question, source, span)
        and _counts_asked(question, source, span)
        and _is_of_asked_year(question, source, span)
        and (asked.kind != "place" or _is_place(question, source, span))
        and _is_whole(source, span)
        and _is_in_asked_cell(question, asked, source, span)
    )


def _is_name(text: str, question: Question) -> bool:
    key = text.casefold().strip()
    return any(name.casefold() == key for name in (*question.names, *question.identifiers)) or (
        text[:1].isupper() and all(part[:1].isupper() or part[:1].isdigit() for part in text.split())
    )


def _has_asked_unit(question: Question, source: SourceSentence, span: Span) -> bool:
    """Tell whether a span is an amount in the unit of what is asked for: money for a price, metres for a height."""
    text = source.candidate.text[span.start : span.end + 1 + _next_length(source, span)]
    wanted = [unit for asked, unit in _UNITS if asked.search(question.searched)]
    if not wanted and _MONEY_ASKED.search(question.searched):
        wanted = [_CURRENCY]
    if not wanted:
        return True
    return span.kind == "number" and all(unit.search(text) is not None for unit in wanted)


def _next_length(source: SourceSentence, span: Span) -> int:
    """Return the length of the word after a span, 0 where none follows it directly."""
    after = source.words[span.last + 1 : span.last + 2]
    return len(after[0].text) if after and after[0].gap in {" ", "-"} else 0


def _counts_asked(question: Question, source: SourceSentence, span: Span) -> bool:
    """Tell whether the number that answers "how many" counts what is asked for."""
    counted = re.search(r"\bhow many ([\w-]+)(?: ([\w-]+))?", question.searched, re.IGNORECASE)
    if counted is None:
        return True
    nouns = frozenset(content_stems(" ".join(part for part in counted.groups() if part)))
    near = stems_of([*source.words[span.first : span.last + 1], *_phrase_after(source.words[span.last + 1 :])])
    return span.kind == "number" and (not nouns or bool(nouns & near))


def _phrase_after(words: Sequence[Word]) -> list[Word]:
    """Return up to three words that go on with a phrase, up to the next number."""
    found: list[Word] = []
    for word in words[:3]:
        if word.is_number or word.gap not in {" ", "-"}:
            break
        found.append(word)
    return found


def _is_of_asked_year(question: Question, source: SourceSentence, span: Span) -> bool:
    """Tell whether a span is said of the year that is asked for: where the sentence has others, in the same clause."""
    asked = frozenset(_YEAR.findall(question.searched))
    if not asked or span.kind == "date":
        return True
    text = source.candidate.text
    told = frozenset(_YEAR.findall(text))
    if not told & asked:
        title = f"{source.candidate.passage.document.title} {' '.join(source.candidate.passage.chunk.heading_path)}"
        return not told and bool(asked & frozenset(_YEAR.findall(title)))
    if told <= asked:
        return True
    borders = [0, *(found.start() for found in re.finditer(r"[;,] ", text)), len(text)]
    start = max(place for place in borders if place <= span.start)
    end = min(place for place in borders if place >= span.end)
    return bool(asked & frozenset(_YEAR.findall(text[start:end])))


def _is_place(question: Question, source: SourceSentence, span: Span) -> bool:
    """Tell whether a span stands where places stand, is no organisation by its look, and the sentence says what is
    asked of it ("born").
    """
    words = source.words
    if words[span.last].text.casefold() in _ORGANISATIONS or not words[span.first].is_capital:
        return False
    named = frozenset(content_stems(" ".join(question.names)))
    asked = frozenset(question.stems) - named - _GENERIC
    if not asked <= source.candidate.stems:
        return False
    before = span.first - 1
    if before >= 0 and words[before].text.casefold() in _ARTICLES:
        before -= 1
    if before < 0:
        return False
    cue = words[before].text.casefold()
    is_of_place = cue == "of" and before > 0 and words[before - 1].text.casefold() in _PLACE_NOUNS
    return cue in _PLACE_CUES or is_of_place


def _is_whole(source: SourceSentence, span: Span) -> bool:
    """Tell whether a span is no single member of a list, no end of a range, and no part of a longer phrase."""
    words = source.words
    before, after = words[: span.first], words[span.last + 1 :]
    if after and after[0].gap in {" ", "-"} and not after[0].is_function_word and span.kind in {"name", "phrase"}:
        return not (after[0].is_capital or span.kind == "phrase" or "-" in after[0].gap or _is_cut_noun(words, span))
    if len(after) > 1 and _joins(after[0]) and _is_alike(words[span.last], after[1], span):
        return after[0].text.casefold() == "to" and span.kind != "number"
    if len(before) > 1 and _joins(before[-1]) and _is_alike(words[span.first], before[-2], span):
        return before[-1].text.casefold() == "to"
    return not _is_listed(before, words[span.first : span.last + 1], after, span)


def _is_cut_noun(words: Sequence[Word], span: Span) -> bool:
    """Tell whether a name is the first part of what it names: "Self-cleaning probe", "Site manager"."""
    return span.first == span.last and span.last + 1 < len(words) and not words[span.last + 1].is_capital


def _joins(word: Word) -> bool:
    return word.gap == " " and word.text.casefold() in _JOINING


def _is_alike(own: Word, other: Word, span: Span) -> bool:
    return other.is_number if span.kind == "number" else own.is_capital and other.is_capital


def _is_listed(before: Sequence[Word], own: Sequence[Word], after: Sequence[Word], span: Span) -> bool:
    """Tell whether a name is one of three or more: "A, B and C"."""
    if span.kind != "name" or any(word.text.casefold() == "and" for word in own):
        return False
    follows = bool(after) and after[0].gap == ", " and after[0].is_capital
    precedes = bool(before) and own[0].gap == ", " and before[-1].is_capital
    joined = any(word.text.casefold() in {"and", "or"} for word in (*before[-6:], *after[:8]))
    return (follows or precedes) and joined


def _is_in_asked_cell(question: Question, asked: Wanted, source: SourceSentence, span: Span) -> bool:
    """Tell whether a span of a table's row stands in the column that is asked for; True outside of tables."""
    candidate = source.candidate
    header = table_header(candidate.passage.chunk, candidate.sentence)
    row = told_row(candidate.text, header) if header else candidate.text
    heads = _LABELLED.findall(row)
    if len(heads) < 2:
        return not header
    cells = dict(zip(heads, [part.partition(": ")[2] for part in row.split("; ") if ": " in part], strict=False))
    stems = frozenset(question.stems)
    asked_heads = [head for head in heads if stems & frozenset(content_stems(head))]
    fitting = [head for head in heads if frozenset(content_stems(head)) & _OF_KIND.get(asked.kind, frozenset())]
    text = candidate.text[span.start : span.end]
    own = [head for head in heads if text in cells.get(head, "")]
    return bool(own) and own[0] in (fitting or asked_heads)

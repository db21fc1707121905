"""One text, read by the parser: its names, sentences, statements and what it defines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from indexing.extraction.names import NameSpan, find_names, is_name, trim_name
from indexing.extraction.settings import ExtractionSettings
from indexing.extraction.statements import Statement, sentence_statements
from model_clients.errors import ModelMissing

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

_COPULAS = frozenset({"is", "was", "are", "were"})
_NO_SUBJECT_TAGS = frozenset(
    {"PRP", "PRP$", "DT", "IN", "EX", "WP", "WDT", "WRB", "RB", "TO", "CC", "CD", "VB", "VBG", "VBN"}
)
_NO_SUBJECT_WORDS = frozenset({"this", "that", "these", "those", "there", "here", "it", "one", "some", "many", "most"})
_STOPS = frozenset({",", "(", ";", ":", "[", "/", "\u2013", "\u2014", "-LRB-"})
_MAX_SUBJECT_WORDS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A sentence "X is a Y", by its number: X stands at ``text[start:end]``, ``noun`` is Y."""

    start: int
    end: int
    noun: str
    sentence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the parser found in a text. ``subject`` is what stands before the first verb, where it looks like a name."""

    text: str
    names: tuple[NameSpan, ...]
    sentences: tuple[tuple[int, int], ...]
    statements: tuple[Statement, ...]
    definitions: tuple[Definition, ...]
    subject: tuple[int, int] | None


class TextReader:
    """Reads texts with spaCy, which is loaded on first use."""

    def __init__(self, settings: ExtractionSettings) -> None:
        self._settings = settings

    def read(self, texts: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[Reading]:
        """Yield one reading per text, in order. Each text comes with names to be found in it whatever the parser says.

        Equal pairs are parsed once per call.
        """
        unique = list(dict.fromkeys(texts))
        readings = {}
        parsed = _pipeline(self._settings.spacy_model).pipe(
            unique, as_tuples=True, batch_size=self._settings.batch_size
        )
        for pair, (doc, known) in zip(unique, parsed, strict=True):
            readings[pair] = read_doc(doc, known, self._settings.max_name_words)
        for pair in texts:
            yield readings[pair]


@lru_cache(maxsize=1)
def _pipeline(name: str) -> "Language":
    """Return the parser, loaded once in a process: that takes a second, longer than a small run has work."""
    import spacy  # noqa: PLC0415  # heavy import, only when used

    try:
        # Coarse tags and lemmas cost a quarter of the time; the fine tags are enough here.
        return spacy.load(name, exclude=["lemmatizer", "attribute_ruler", "senter"])
    except OSError as error:
        raise ModelMissing(
            f"the spaCy pipeline {name!r} is not installed or cannot be loaded: install it, or change the"
            " setting indexing.extraction.spacy_model"
        ) from error


def read_doc(doc: "Doc", known: Sequence[str], max_name_words: int) -> Reading:
    """Take from a parsed text what extraction needs."""
    entities = [(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents]
    names = find_names(doc.text, entities, known=known, max_words=max_name_words)
    sentences = list(doc.sents)
    owners = dict(_owners(doc, names))
    return Reading(
        text=doc.text,
        names=names,
        sentences=tuple((sentence.start_char, sentence.end_char) for sentence in sentences),
        statements=tuple(_statements(sentences, owners, [name.type for name in names])),
        definitions=tuple(_definitions(sentences, max_name_words)),
        subject=_leading_subject(sentences[0], max_name_words) if sentences else None,
    )


def _owners(doc: "Doc", names: Sequence[NameSpan]) -> Iterator[tuple[int, int]]:
    """Yield (token index, name index) for the tokens inside names."""
    for index, name in enumerate(names):
        span = doc.char_span(name.start, name.end, alignment_mode="expand")
        if span is not None:
            yield from ((token.i, index) for token in span)


def _statements(sentences: Iterable["Span"], owners: dict[int, int], types: Sequence[str]) -> Iterator[Statement]:
    for number, sentence in enumerate(sentences):
        if any(index in owners for index in range(sentence.start, sentence.end)):
            found = sentence_statements(sentence, number, owners=owners, types=types)
            yield from dict.fromkeys(item for item in found if item.subject != item.object)


def _definitions(sentences: Iterable["Span"], max_words: int) -> Iterator[Definition]:
    for number, sentence in enumerate(sentences):
        root = sentence.root
        if root.lower_ not in _COPULAS:
            continue
        noun = next((child for child in root.children if child.dep_ == "attr"), None)
        span = _leading_subject(sentence, max_words)
        if noun is None or span is None or not (_is_indefinite(noun) and _has_subject_in(root, *span)):
            continue
        yield Definition(start=span[0], end=span[1], noun=_kind_noun(noun), sentence=number)


def _kind_noun(noun: "Token") -> str:
    """Return the noun that says what something is; behind "one of the" it is the plural that follows."""
    if noun.lower_ == "one":
        behind = [
            item for prep in noun.children if prep.lower_ == "of" for item in prep.children if item.dep_ == "pobj"
        ]
        return behind[0].lower_.removesuffix("s") if behind else noun.lower_
    return noun.lower_


def _is_indefinite(noun: "Token") -> bool:
    return noun.lower_ == "one" or any(left.lower_ in {"a", "an", "the"} for left in noun.lefts)


def _has_subject_in(verb: "Token", start: int, end: int) -> bool:
    return any(child.dep_ == "nsubj" and start <= child.idx < end for child in verb.children)


def _leading_subject(sentence: "Span", max_words: int) -> tuple[int, int] | None:
    """Return the span of what a sentence begins with, up to its first finite verb, bracket or comma.

    None where that is no name: not capitalised past its determiner, over 7 words, a pronoun or preposition first.
    """
    tokens = [token for token in sentence if not token.is_space]
    stop = next((index for index, token in enumerate(tokens) if _ends_subject(token)), None)
    if stop is None or stop == 0 or stop > _MAX_SUBJECT_WORDS:
        return None
    first = tokens[1] if stop > 1 and tokens[0].lower_ in {"the", "a", "an"} else tokens[0]
    if _cannot_lead(first) or not first.text[0].isalnum() or first.text[0].islower():
        return None
    start, end = first.idx, tokens[stop - 1].idx + len(tokens[stop - 1])
    name = trim_name(sentence.doc.text[start:end])
    if not is_name(name, max_words):
        return None
    begin = sentence.doc.text.index(name, start)
    return begin, begin + len(name)


def _ends_subject(token: "Token") -> bool:
    return token.text in _STOPS or token.tag_ in {"VBD", "VBZ", "VBP", "MD"} or token.text in {".", "!", "?"}


def _cannot_lead(token: "Token") -> bool:
    return token.tag_ in _NO_SUBJECT_TAGS or token.lower_ in _NO_SUBJECT_WORDS

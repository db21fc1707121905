"""Whether a sentence puts together what no text puts together: who one sentence tells of, with what another tells.

For each clause of a claim the sentences are looked at that have the most of its plain words. One of them must have its
names (somebody of the same surname is another) and numbers, too, or stand under them; or leave them open, by naming
none or by a pronoun, where its passage has them; or be linked with the sentence that has them by what both tell of, if
the claim says what that sentence says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from raptor.claims.languages import language_of
from raptor.claims.names import name_runs, without_names
from raptor.claims.words import Words, is_held, words_of

_CLAUSE_END = re.compile(r"[,;:](?=\s)|\s[\u2013\u2014]\s|(?<=\w[.!?])\s")
_AND = re.compile(r"\s(?:and|und|et|y|e|en|och|i|и)\s")
_PRONOUNS = {
    language: frozenset(pronouns.split())
    for language, pronouns in {
        "en": "he she it they this these", "de": "er sie es", "fr": "il elle ils elles ce", "es": "él ella ellos ellas",
        "it": "lui lei loro", "pt": "ele ela eles elas", "nl": "hij zij ze het", "sv": "han hon den det de",
        "pl": "on ona ono oni", "cyrillic": "он она оно они",
    }.items()
}  # fmt: skip
_ANY_PRONOUN = frozenset().union(*_PRONOUNS.values())
# The verb alone may tell that somebody named before is meant.
_LEAVES_OUT_PRONOUNS = frozenset({"es", "it", "pt", "pl"})
# They stand before the names of many, so that none of them tells one from another.
_TITLES = frozenset(
    """
    mr mrs ms miss dr prof professor sir dame lord lady saint st king queen prince princess emperor empress tsar pope
    duke duchess count countess baron baroness president chancellor premier minister senator governor mayor judge
    justice bishop archbishop cardinal general colonel major captain lieutenant admiral sergeant doctor herr frau
    monsieur madame señor señora signor signora don doña dom könig königin präsident kanzler roi reine rey reina
    президент король император
    """.split()  # noqa: SIM905  # words are easier to read and to change than a list of them
)
_Term: TypeAlias = tuple[str, ...] | frozenset[str]
"""A name, by its words, or a number, by its readings."""


@dataclass(frozen=True, kw_only=True)
class Passage:
    """Sentences that stand together, and what stands above them."""

    sentences: tuple[str, ...]
    above: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What a text has: its words, and its names of several words."""

    words: Words
    names: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class _Sentence:
    text: str
    passage: Passage

    @cached_property
    def words(self) -> Words:
        return words_of(self.text)

    @cached_property
    def held(self) -> "_Held":
        return _Held(words=self.words, names=_full_names(self.text))

    @cached_property
    def above(self) -> "_Held":
        return _Held(words=words_of(self.passage.above), names=_full_names(self.passage.above))

    @cached_property
    def pronouns(self) -> int:
        language = language_of(self.text)
        found = _PRONOUNS.get(language or "", _ANY_PRONOUN) & self.words.tokens
        return max(len(found), int(language in _LEAVES_OUT_PRONOUNS))


def is_joined(claim: str, passages: Sequence[Passage]) -> bool:
    """Tell whether no sentence of the passages puts together what a clause of a claim does."""
    sentences = [_Sentence(text=text, passage=passage) for passage in passages for text in passage.sentences]
    return len(sentences) > 1 and not all(
        _is_borne(clause, claim, sentences) for clause in _clauses(claim) if _terms(clause)
    )


def _clauses(claim: str) -> Iterator[str]:
    """Yield the clauses of a claim; "and" ends one where both sides say something beside names."""
    for clause in _CLAUSE_END.split(claim):
        start = 0
        for found in _AND.finditer(clause):
            if _plain(clause[start : found.start()]).stems and _plain(clause[found.end() :]).stems:
                yield clause[start : found.start()]
                start = found.end()
        yield clause[start:]


def _plain(text: str) -> Words:
    return words_of(without_names(text, is_sentence=True))


def _is_borne(clause: str, claim: str, sentences: Sequence[_Sentence]) -> bool:
    plain = _plain(clause).stems
    counts = [sum(is_held(word, sentence.words) for word in plain) for sentence in sentences]
    best = [sentence for sentence, count in zip(sentences, counts, strict=True) if count == max(counts)]
    terms = _terms(clause)
    return any(_bears(terms, claim, sentence, sentences) for sentence in best)


def _bears(terms: Sequence[_Term], claim: str, sentence: _Sentence, sentences: Sequence[_Sentence]) -> bool:
    unnamed = [term for term in terms if not _has(term, sentence.held)]
    missing = [term for term in unnamed if not _has(term, sentence.above)]
    near = [other for other in sentences if other.passage is sentence.passage]
    are_near = all(any(_has(term, other.held) for other in near) for term in missing)
    if are_near and (len(unnamed) <= sentence.pronouns or not _names_others(sentence, claim)):
        return True
    return all(any(_links(term, sentence, other, _plain(claim)) for other in sentences) for term in missing)


def _names_others(sentence: _Sentence, claim: str) -> bool:
    """Tell whether a sentence has numbers that a claim has not, or names that end as none of the claim's."""
    ends = words_of(" ".join(run[-1] for run in name_runs(claim)))
    numbers = words_of(claim)
    names = _full_names(claim)
    return any(
        not _has(term, _Held(words=numbers if isinstance(term, frozenset) else ends, names=names))
        for term in _terms(sentence.text)
    )


def _links(term: _Term, sentence: _Sentence, other: _Sentence, said: Words) -> bool:
    """Tell whether another sentence that has a name or number is told, too, and shares something with this one."""
    return (
        _has(term, other.held)
        and not sentence.words.stems.isdisjoint(other.words.stems)
        and any(is_held(word, other.words) and not is_held(word, sentence.words) for word in said.stems)
    )


def _terms(text: str) -> list[_Term]:
    return [*name_runs(text), *words_of(text).numbers]


def _full_names(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of several words in a text; a title before a surname makes none ("President Keld")."""
    return tuple(run for run in map(_without_titles, name_runs(text)) if len(run) > 1)


def _without_titles(name: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in name[:-1] if word not in _TITLES) + name[-1:]


def _has(term: _Term, held: _Held) -> bool:
    """Tell whether a text has a number, or the last word of a name: "Holm" is Ida Holm, but "Otto Holm" is not."""
    if isinstance(term, frozenset):
        return not term.isdisjoint(held.words.readings)
    if not is_held(term[-1], held.words):
        return False
    name = _without_titles(term)
    namesakes = [other for other in held.names if other[-1] == name[-1]]
    if len(name) == 1 or not namesakes or is_held(name[0], held.words):
        return True
    return any(_may_be_one(name, other) for other in namesakes)


def _may_be_one(name: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Tell whether two names with one last word begin alike, or by an initial, or one is all within the other."""
    initials = 1 in (len(name[0]), len(other[0]))
    is_same = name[0][0] == other[0][0] if initials else name[0] == other[0]
    return is_same or set(name) <= set(other) or set(other) <= set(name)

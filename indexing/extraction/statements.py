"""Subject-predicate-object statements from a dependency parse.

Endpoints are names, or a pronoun or "the film" in subject place, which only the document can resolve. Handled: clauses
with objects, prepositions and agents; the copula; apposition; participles ("X, published by Y"); relative clauses;
conjoined verbs and objects. Labels are those of the CLEAR style that spaCy's English models use; without a lemmatizer,
verbs stand in the form that the text has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PRONOUNS = frozenset({"he", "she", "it"})
_RELATIVE = frozenset({"WP", "WDT", "WP$"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "attr", "oprd", "dative"})
_SHARED_SUBJECT = frozenset({"conj", "xcomp", "advcl"})
_MAX_PREDICATE_WORDS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement; ``subject`` and ``object`` are indices of names.

    Where ``subject`` is None, ``subject_word`` is the pronoun or common noun in its place, in lower case.
    """

    subject: int | None
    subject_word: str
    predicate: str
    object: int
    sentence: int


@dataclass(frozen=True, slots=True)
class _Subject:
    name: int | None
    word: str = ""


def sentence_statements(
    sentence: "Span", number: int, *, owners: Mapping[int, int], types: Sequence[str]
) -> Iterator[Statement]:
    """Yield the statements of one sentence.

    ``owners`` maps a token's index in its text to the name it is part of, ``types`` are the types of the names.
    """
    for token in sentence:
        tag = token.tag_
        if tag[:2] == "VB":
            yield from _clause(token, number, owners)
        elif tag[:1] == "N" or token.i in owners:
            yield from _noun_phrase(token, number, owners)
            yield from _apposition(token, number, owners, types)


def _clause(verb: "Token", number: int, owners: Mapping[int, int]) -> Iterator[Statement]:
    objects = list(_verb_objects(verb, owners))
    if not objects:
        return
    for subject in _subjects(verb, owners):
        for predicate, target in objects:
            yield _statement(subject, predicate, target, number)


def _noun_phrase(noun: "Token", number: int, owners: Mapping[int, int]) -> Iterator[Statement]:
    """Yield "X of Y" where X is a name."""
    if noun.i in owners:
        for predicate, target in _prepositions(noun, "", owners):
            yield _statement(_Subject(owners[noun.i]), predicate, target, number)


def _apposition(noun: "Token", number: int, owners: Mapping[int, int], types: Sequence[str]) -> Iterator[Statement]:
    """Yield what an apposition says: "X, capital of Y"; a place after X is where X is; "X, the Y" of one type is X.

    Without an article, names in a row are more often a list.
    """
    head = owners.get(noun.head.i) if noun.dep_ == "appos" else None
    if head is None:
        return
    name = owners.get(noun.i)
    if name is None:
        for predicate, target in _prepositions(noun, noun.lower_, owners):
            yield _statement(_Subject(head), predicate, target, number)
    elif types[name] == "PLACE":
        yield _statement(_Subject(head), "in", name, number)
    elif types[name] == types[head] and any(left.lower_ == "the" for left in noun.lefts):
        yield _statement(_Subject(head), "is", name, number)


def _statement(subject: _Subject, predicate: str, target: int, number: int) -> Statement:
    return Statement(
        subject=subject.name, subject_word=subject.word, predicate=predicate, object=target, sentence=number
    )


def _subjects(verb: "Token", owners: Mapping[int, int]) -> list[_Subject]:
    """Return the subjects of a verb: its own, else those it shares with the verb or noun it depends on."""
    for _ in range(4):
        own = [child for child in verb.children if child.dep_ in _SUBJECTS]
        if own:
            return [found for child in own for found in _subject_of(child, verb, owners)]
        if verb.dep_ == "acl":
            return [_Subject(owners[verb.head.i])] if verb.head.i in owners else []
        if verb.dep_ not in _SHARED_SUBJECT or verb.head.tag_[:2] != "VB":
            return []
        verb = verb.head
    return []


def _subject_of(child: "Token", verb: "Token", owners: Mapping[int, int]) -> list[_Subject]:
    if child.tag_ in _RELATIVE:
        antecedent = verb.head
        return [_Subject(owners[antecedent.i])] if verb.dep_ == "relcl" and antecedent.i in owners else []
    names = [_Subject(owners[token.i]) for token in _with_conjuncts(child) if token.i in owners]
    if names:
        return names
    if child.tag_ == "PRP" and child.lower_ in _PRONOUNS:
        return [_Subject(None, child.lower_)]
    if child.tag_ == "NN" and any(left.lower_ == "the" for left in child.lefts):
        return [_Subject(None, child.lower_)]
    return []


def _verb_objects(verb: "Token", owners: Mapping[int, int]) -> Iterator[tuple[str, int]]:
    words = _verb_words(verb)
    for child in verb.children:
        if child.dep_ in _OBJECTS:
            yield from _object(child, words, owners)
        elif child.dep_ in {"prep", "agent"}:
            yield from _preposition(child, words, owners)


def _verb_words(verb: "Token") -> str:
    particles = [child.lower_ for child in verb.children if child.dep_ == "prt"]
    negated = any(child.dep_ == "neg" for child in verb.children)
    return " ".join(["not"] * negated + [verb.lower_, *particles])


def _object(token: "Token", words: str, owners: Mapping[int, int]) -> Iterator[tuple[str, int]]:
    """Yield an object that is a name, else the names that its prepositions lead to ("wrote the score for X")."""
    for item in _with_conjuncts(token):
        if item.i in owners:
            yield words, owners[item.i]
        else:
            yield from _prepositions(item, f"{words} {item.lower_}", owners)
            yield from _appositions(item, f"{words} {item.lower_}", owners)


def _appositions(noun: "Token", words: str, owners: Mapping[int, int]) -> Iterator[tuple[str, int]]:
    for child in noun.children:
        if child.dep_ == "appos" and child.i in owners:
            yield words, owners[child.i]


def _prepositions(noun: "Token", words: str, owners: Mapping[int, int]) -> Iterator[tuple[str, int]]:
    for child in noun.children:
        if child.dep_ in {"prep", "agent"}:
            yield from _preposition(child, words, owners, deeper=False)


def _preposition(
    prep: "Token", words: str, owners: Mapping[int, int], *, deeper: bool = True
) -> Iterator[tuple[str, int]]:
    """Yield the names under a preposition; through one common noun where ``deeper`` ("served as mayor of X")."""
    phrase = f"{words} {prep.lower_}".strip()
    if len(phrase.split()) > _MAX_PREDICATE_WORDS:
        return
    for child in prep.children:
        if child.dep_ == "prep":
            yield from _preposition(child, phrase, owners, deeper=deeper)
        if child.dep_ != "pobj":
            continue
        for item in _with_conjuncts(child):
            if item.i in owners:
                yield phrase, owners[item.i]
            elif deeper:
                yield from _prepositions(item, f"{phrase} {item.lower_}", owners)


def _with_conjuncts(token: "Token") -> Iterator["Token"]:
    """Yield a noun and what is joined to it by "and"."""
    yield token
    for child in token.children:
        if child.dep_ == "conj":
            yield from _with_conjuncts(child)

"""Questions that one sentence answers, by template: a part of its main clause is asked for, and is the answer."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from belvedere.evaluation.draft_clauses import Clause, Phrase, joined, leans_on_others, phrase_of, read_clause
from belvedere.evaluation.draft_words import (
    ACTS_OF_PERSONS,
    DONE_TO_THINGS,
    LASTING,
    is_person_noun,
    past_tense,
    question_word,
)

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

FactKind: TypeAlias = Literal["who", "when", "where", "how-many", "what"]
Naming: TypeAlias = Callable[[str, str], tuple[str, str]]
"""Turns a name as it stands in a sentence, with its kind, into the full name and the kind that the collection knows."""

_THINGS = frozenset({"ORG", "WORK_OF_ART", "PRODUCT", "EVENT", "LAW", "FAC"})
_PLACES = frozenset({"GPE", "LOC", "FAC"})
_NAMED = frozenset({"PERSON", *_THINGS, *_PLACES})
_CALLED = {"PERSON": "the person who", "ORG": "the organisation that"}
_YEAR = re.compile(r"\b1[0-9]{3}\b|\b20[0-9]{2}\b")
_BORN = re.compile(
    r"^(?P<name>[^()]{3,60}?) \((?:[^()]*[;,] )?born (?P<date>[^();,]*(?:, )?\b(?:1[0-9]{3}|20[0-9]{2}))\b"
)
_RELATIVE = re.compile(r",? (?:who|which|that|whose|where) ")
_DEFINITIONAL = ("Who is ", "Who was ", "What is ", "What was ")
_STRANDED = frozenset({"to", "from", "through"})
_AT_PLACES = frozenset({"in", "at", "near"})
_NO_NOUNS = frozenset({"PRP", "DT", "WP", "WDT", "EX", "CD"})
_PLURAL = frozenset({"are", "were", "have", "do"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A question with its answer as it stands in the sentence.

    ``subject`` is the name that the question is about, where it stands in it as one piece and another could be put
    there. ``description`` is what the answer may be called instead of by its name ("the person who founded X"),
    ``definition`` what the subject may be called ("the lens maker of Copenhagen").
    """

    kind: FactKind
    question: str
    answer: str
    sentence: str
    subject: str = ""
    subject_label: str = ""
    description: str = ""
    definition: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A clause with its subject by its full name."""

    clause: Clause
    sentence: str
    subject: str
    label: str

    def inverted(self, word: str, rest: str) -> str:
        """Return a question in which the verb or its auxiliary stands before the subject."""
        clause = self.clause
        parts: tuple[str, ...]
        if clause.auxiliaries:
            first, *others = clause.auxiliaries
            parts = (word, first.text, self.subject, joined(others), _verb_text(clause, clause.verb.text), rest)
        elif clause.is_copula:
            parts = (word, clause.verb.text, self.subject, clause.adverbs, rest)
        else:
            support = {"VBD": "did", "VBZ": "does"}.get(clause.verb.tag_, "do")
            parts = (word, support, self.subject, _verb_text(clause, clause.verb.lemma_), rest)
        return f"{_words(*parts)}?"

    def fact(self, kind: FactKind, question: str, answer: str, description: str = "") -> Fact:
        return Fact(
            kind=kind,
            question=question,
            answer=answer,
            sentence=self.sentence,
            subject=self.subject if self.label else "",
            subject_label=self.label,
            description=description,
            definition=_defined(answer) if question.startswith(_DEFINITIONAL) else "",
        )


def sentence_facts(sentence: "Span", original: str, naming: Naming) -> Iterator[Fact]:
    """Yield what can be asked of a parsed sentence; ``original`` is the sentence with its brackets."""
    clause = read_clause(sentence)
    if clause is None or (clause.subject.tokens[0].tag_ == "CD" and clause.subject.head.tag_ != "NNS"):
        return
    if clause.subject.head.tag_ in _NO_NOUNS or leans_on_others(clause):
        return
    subject, label = _subject_text(clause), clause.subject.label
    if label:
        subject, label = naming(subject, label)
        label = _kind_by_verb(clause, label)
    read = _Read(clause=clause, sentence=original, subject=subject, label=label)
    yield from _born(read)
    yield from _of_the_subject(read)
    yield from _of_phrases(read)
    yield from _of_participle(read)


def _defined(attribute: str) -> str:
    """Return "the lens maker of Copenhagen" of "a lens maker of Copenhagen who ..."; "" where it tells too little."""
    article, _, rest = _RELATIVE.split(attribute)[0].rstrip(", ").partition(" ")
    telling = any(word[:1].isupper() for word in rest.split())
    return f"the {rest}" if article in {"a", "an"} and telling and 4 <= len(rest.split()) <= 14 else ""


def _kind_by_verb(clause: Clause, label: str) -> str:
    """Return the kind of name of a subject where its verb tells better than the parser; "" where it makes no sense."""
    if clause.verb.lemma_ in ACTS_OF_PERSONS:
        return "PERSON"
    return (
        ""
        if label == "PERSON" and clause.subject.head.dep_ == "nsubjpass" and clause.verb.lemma_ in DONE_TO_THINGS
        else label
    )


# -- who did it -------------------------------------------------------------------------------------------------------


def _of_the_subject(read: _Read) -> Iterator[Fact]:
    """Yield "Who founded X?"; a copula only with "the" behind it, else too much is meant ("Who is an actor?")."""
    clause = read.clause
    number = _number_first(clause.subject)
    verb = _verb_text(clause, clause.verb.text)
    predicate = _words(joined(clause.auxiliaries), verb, *(phrase.text for phrase in clause.phrases))
    if number and clause.finite.tag_ != "VBZ" and clause.finite.lower_ != "was":
        counted = joined(clause.subject.tokens[len(number) :])
        yield read.fact("how-many", f"How many {counted} {predicate}?", joined(number))
    definite = _definite_attribute(clause)
    if read.label not in _NAMED or clause.finite.tag_ == "VBP" or clause.finite.lower_ in _PLURAL:
        return
    if not clause.phrases or (clause.is_copula and not definite):
        return
    word = question_word(read.label, clause.subject.text)
    if definite:
        person = is_person_noun(clause.phrases[0].head.lower_)
        word = "Who" if person else word
        if not person and read.label == "PERSON":  # "the main factory of X" is none, whatever the parser says
            return
    if not word:
        return
    called = _CALLED.get(read.label, "") if word != "What" else ""
    yield read.fact(
        "who" if word == "Who" else "what",
        f"{word} {predicate}?",
        clause.subject.text,
        definite or (f"{called} {predicate}" if called else ""),
    )


def _definite_attribute(clause: Clause) -> str:
    """Return "the capital of X" of "Y is the capital of X", "" where the clause is of another form."""
    if not clause.is_copula or len(clause.phrases) != 1 or clause.phrases[0].head.dep_ != "attr":
        return ""
    attribute = clause.phrases[0]
    prepositions = any(token.tag_ == "IN" and token.lower_ == "of" for token in attribute.tokens)
    return attribute.text if attribute.tokens[0].lower_ == "the" and prepositions else ""


# -- when, where, how many, whom, what --------------------------------------------------------------------------------


def _of_phrases(read: _Read) -> Iterator[Fact]:
    if not any(token.ent_type_ in _NAMED for token in read.clause.subject.tokens):
        return
    phrases = _with_dates_apart(read.clause)
    for place, phrase in enumerate(phrases):
        others = [item.text for item in (*phrases[:place], *phrases[place + 1 :])]
        for kind, word, answer, left in _asked(read, phrase):
            if phrase.head.dep_ == "attr" and others:
                continue
            # What is left of the phrase ("by", "to") stands beside the verb, where it is sure to be understood.
            rest = _words(left, *others)
            if rest or read.clause.auxiliaries or read.clause.is_copula:
                yield read.fact(kind, read.inverted(word, rest), answer, _described(read, kind, left, others))


def _described(read: _Read, kind: FactKind, left: str, others: Sequence[str]) -> str:
    """Return what the answer may be called: "the place where X was formed", "the organisation that published X"."""
    clause = read.clause
    if kind == "where" and not left:
        verb = _verb_text(clause, clause.verb.text)
        return _words("the place where", read.subject, joined(clause.auxiliaries), verb, *others)
    past = past_tense(clause.verb.lower_)
    if left == "by" and past:
        return _words("the person who" if kind == "who" else "the organisation that", past, read.subject, *others)
    return ""


def _asked(read: _Read, phrase: Phrase) -> Iterator[tuple[FactKind, str, str, str]]:
    """Yield (kind, question word, answer, what stays of the phrase) for what can be asked of a phrase."""
    match phrase.head.dep_:
        case "prep":
            yield from _asked_of_preposition(read.clause, phrase)
        case "agent":
            yield from _asked_of_agent(phrase)
        case "dobj":
            yield from _asked_of_object(read.clause, phrase)
        case "attr" if (
            _is_indefinite(phrase) and len(phrase.tokens) >= 3 and not read.clause.auxiliaries and read.label
        ):
            person = is_person_noun(phrase.head.lower_)
            if person == (read.label == "PERSON"):
                yield ("who", "Who", phrase.text, "") if person else ("what", "What", phrase.text, "")


def _asked_of_preposition(clause: Clause, phrase: Phrase) -> Iterator[tuple[FactKind, str, str, str]]:
    word, rest = phrase.head.lower_, Phrase(phrase.head, phrase.tokens[1:])
    attribute = _attribute(clause)
    if word in {"in", "on"} and _is_date(rest.tokens):
        if attribute is None or not _is_indefinite(attribute):
            yield "when", "When", rest.text, ""
    elif rest.label in _PLACES and word in _STRANDED:
        yield "where", "Where", rest.text, word
    elif rest.label in _PLACES and word in _AT_PLACES and attribute is None:
        yield "where", "Where", rest.text, ""


def _asked_of_agent(phrase: Phrase) -> Iterator[tuple[FactKind, str, str, str]]:
    rest = Phrase(phrase.head, phrase.tokens[1:])
    if rest.label == "PERSON":
        yield "who", "Who", rest.text, "by"
    elif rest.label in _THINGS:
        yield "what", "What", rest.text, "by"


def _asked_of_object(clause: Clause, phrase: Phrase) -> Iterator[tuple[FactKind, str, str, str]]:
    number = _number_first(phrase)
    if number:
        yield "how-many", f"How many {joined(phrase.tokens[len(number) :])}", joined(number), ""
    elif phrase.label == "PERSON":
        yield "who", "Who", phrase.text, ""
    elif phrase.label in _THINGS and clause.verb.lemma_ != "have":
        yield "what", "What", phrase.text, ""


def _of_participle(read: _Read) -> Iterator[Fact]:
    """Yield "Who was X directed by?" of "X is a film directed by Y", and when and where likewise."""
    attribute = _attribute(read.clause)
    if attribute is None or not read.label:
        return
    for verb in attribute.head.children:
        if verb.dep_ != "acl" or verb.tag_ != "VBN" or any(child.dep_ == "conj" for child in verb.children):
            continue
        for child in verb.children:
            yield from _participle_facts(read, verb, phrase_of(child))


def _participle_facts(read: _Read, verb: "Token", phrase: Phrase) -> Iterator[Fact]:
    rest = Phrase(phrase.head, phrase.tokens[1:])
    copula = read.clause.verb.lower_
    be = copula if verb.lower_ in LASTING else {"is": "was", "are": "were"}.get(copula, copula)
    asked = f"{be} {read.subject} {verb.text}"
    if phrase.head.dep_ == "agent" and rest.label == "PERSON":
        past = past_tense(verb.lower_)
        yield read.fact("who", f"Who {asked} by?", rest.text, f"the person who {past} {read.subject}" if past else "")
    elif phrase.head.lower_ in {"in", "on"} and _is_date(rest.tokens):
        yield read.fact("when", f"When {asked}?", rest.text)
    elif phrase.head.lower_ in _AT_PLACES and rest.label in _PLACES:
        yield read.fact("where", f"Where {asked}?", rest.text)


def _born(read: _Read) -> Iterator[Fact]:
    """Yield "When was X born?" of "X (born 14 May 1952) is ..."."""
    found = _BORN.match(read.sentence)
    if found is not None and read.label == "PERSON" and found["name"].strip() == read.clause.subject.text:
        yield read.fact("when", f"When was {read.subject} born?", found["date"].strip())


# -- forms of words ---------------------------------------------------------------------------------------------------


def _verb_text(clause: Clause, verb: str) -> str:
    return _words(clause.adverbs, verb, clause.particle)


def _subject_text(clause: Clause) -> str:
    """Return the subject as it stands within a sentence."""
    text, first = clause.subject.text, clause.subject.tokens[0]
    proper = first.tag_ in {"NNP", "NNPS"} or (first.ent_type_ and first.lower_ != "the") or first.text[1:].isupper()
    alone = first == clause.subject.head and first.tag_ == "NN"  # a noun without an article is a name
    return text if proper or alone or not first.is_sent_start else text[0].lower() + text[1:]


def _words(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _attribute(clause: Clause) -> Phrase | None:
    return next((phrase for phrase in clause.phrases if phrase.head.dep_ == "attr"), None) if clause.is_copula else None


def _is_indefinite(attribute: Phrase) -> bool:
    return attribute.tokens[0].lower_ in {"a", "an"}


def _number_first(phrase: Phrase) -> tuple["Token", ...]:
    """Return the number that a phrase in the plural begins with ("12" of "12 lenses of glass")."""
    if phrase.head.tag_ != "NNS":
        return ()
    numbers = [child for child in phrase.head.children if child.dep_ == "nummod" and child.ent_type_ == "CARDINAL"]
    if len(numbers) != 1:
        return ()
    tokens = tuple(numbers[0].subtree)
    several = any(token.text == "," for token in phrase.tokens)
    first = phrase.tokens[: len(tokens)] == tokens
    return tokens if first and not several and tokens[-1].lower_ not in {"one", "%"} else ()


def _is_date(tokens: Sequence["Token"]) -> bool:
    return bool(tokens) and all(token.ent_type_ == "DATE" for token in tokens) and bool(_YEAR.search(joined(tokens)))


def _with_dates_apart(clause: Clause) -> list[Phrase]:
    """Return the phrases with a date at the end of one ("the president of X in 1995") as a phrase of its own."""
    found: list[Phrase] = []
    for phrase in clause.phrases:
        start = _date_start(phrase, clause)
        if start:
            before = phrase.tokens[: start - 1] if phrase.tokens[start - 1].text == "," else phrase.tokens[:start]
            found += [Phrase(phrase.head, before), Phrase(phrase.tokens[start], phrase.tokens[start:])]
        else:
            found.append(phrase)
    return found


def _date_start(phrase: Phrase, clause: Clause) -> int:
    """Return where a date begins that the phrase ends with, 0 where it does not or all of it is one."""
    for place in range(1, len(phrase.tokens) - 1):
        token = phrase.tokens[place]
        governor = token.head
        says_when = governor == clause.verb or governor.tag_[:2] != "VB"
        if token.dep_ == "prep" and token.lower_ in {"in", "on"} and says_when and _is_date(phrase.tokens[place + 1 :]):
            return place
    return 0

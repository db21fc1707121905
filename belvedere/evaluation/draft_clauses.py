"""The parts of a sentence that questions are built from: its subject, its verb, and what goes with the verb.

Labels are those of the CLEAR style that spaCy's English models use. Asides (brackets, appositions, what follows a comma
as a relative clause or participle) are left out, and so is a second clause joined by "and".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from belvedere.evaluation.draft_words import words

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
_LEFT_OUT = frozenset({"punct", "cc", "conj", "preconj", "prt", "dep", "appos"})
_REFUSED = frozenset({"neg", "expl", "mark", "ccomp", "csubj", "csubjpass", "parataxis", "intj", "meta", "pcomp"})
_ASIDES = frozenset({"appos", "relcl", "acl", "advcl", "npadvmod", "parataxis", "advmod"})
_CONNECTIVES = words(
    "also however then thus therefore furthermore moreover subsequently consequently instead still too similarly "
    "recently currently now later hence nonetheless nevertheless meanwhile already"
)
_OPENERS = frozenset({"prep", "advmod", "agent", "mark", "npadvmod"})
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_BRACKETS = re.compile(r"\s*\([^()]*\)|\s*\[[^\[\]]*\]")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A dependent of the verb: its word and all words that belong to it, in order, without asides."""

    head: "Token"
    tokens: tuple["Token", ...]

    @property
    def text(self) -> str:
        """Return the words as they stand in the sentence."""
        return joined(self.tokens)

    @property
    def label(self) -> str:
        """Return the kind of name that the whole phrase is ("" where it is not one name)."""
        labels = {token.ent_type_ for token in self.tokens if token.lower_ != "the"}
        starts = sum(token.ent_iob_ == "B" for token in self.tokens)
        return labels.pop() if len(labels) == 1 and starts == 1 else ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A main clause in the indicative; ``adverbs`` stand before the verb, ``phrases`` behind it (one that stood before
    the subject is the last).
    """

    subject: Phrase
    auxiliaries: tuple["Token", ...]
    verb: "Token"
    particle: str
    adverbs: str
    phrases: tuple[Phrase, ...]

    @property
    def finite(self) -> "Token":
        """Return the verb that agrees with the subject."""
        return self.auxiliaries[0] if self.auxiliaries else self.verb

    @property
    def is_copula(self) -> bool:
        """Tell whether it says what something is."""
        return self.verb.lemma_ == "be"


def without_brackets(sentence: str) -> str:
    """Return a sentence on one line without what stands in brackets."""
    return _SPACE.sub(" ", _BRACKETS.sub("", sentence)).strip()


def read_clause(sentence: "Span") -> Clause | None:
    """Return the main clause; None where it is of another form, such as a question, a command or reported speech."""
    verb = sentence.root
    children = list(verb.children)
    subjects = [child for child in children if child.dep_ in _SUBJECTS and child.i < verb.i]
    auxiliaries = tuple(child for child in children if child.dep_ in _AUXILIARIES and child.i < verb.i)
    finite = auxiliaries[0] if auxiliaries else verb
    if len(subjects) != 1 or finite.tag_ not in _FINITE or finite.i < subjects[0].i:
        return None
    if any(child.dep_ in _REFUSED for child in children) or _shares_its_object(verb):
        return None
    return Clause(
        subject=phrase_of(subjects[0]),
        auxiliaries=auxiliaries,
        verb=verb,
        particle=" ".join(child.text for child in children if child.dep_ == "prt"),
        adverbs=joined(child for child in children if _is_adverb(child, verb, subjects[0])),
        phrases=tuple(_phrases([child for child in children if not _is_adverb(child, verb, subjects[0])], subjects[0])),
    )


def _shares_its_object(verb: "Token") -> bool:
    """Tell whether a second verb follows at once ("wrote and directed the film")."""
    following = verb.nbor(1) if verb.i + 1 < len(verb.doc) else None
    return following is not None and following.dep_ == "cc"


def _phrases(children: Iterable["Token"], subject: "Token") -> Iterator[Phrase]:
    kept = [child for child in children if not _is_left_out(child, subject)]
    behind = [child for child in kept if child.i > subject.i]
    yield from map(phrase_of, [*behind, *(child for child in kept if child.i < subject.i)])


def _is_adverb(child: "Token", verb: "Token", subject: "Token") -> bool:
    between = subject.i < child.i < verb.i
    return between and child.dep_ == "advmod" and child.lower_ not in _CONNECTIVES and child.n_lefts == 0


def _is_left_out(child: "Token", subject: "Token") -> bool:
    if child == subject or child.dep_ in _LEFT_OUT or child.dep_ in _AUXILIARIES:
        return True
    if child.dep_ == "advmod" and child.lower_ in _CONNECTIVES:
        return True
    return child.dep_ == "advcl" and (child.i < subject.i or _follows_comma(child))


def phrase_of(head: "Token") -> Phrase:
    """Return a word with what belongs to it, without asides, and without commas and stops at its ends."""
    dropped = {token.i for token in _asides(head)}
    tokens = [token for token in head.subtree if token.i not in dropped]
    kept = [token for token in tokens if not _is_stray_comma(token, dropped)]
    while kept and kept[-1].text in {",", ".", ";", ":", "and"}:
        kept.pop()
    while kept and kept[0].text in {",", ";", ":"}:
        kept.pop(0)
    return Phrase(head, tuple(kept))


def _asides(head: "Token") -> Iterator["Token"]:
    for child in head.children:
        if child.dep_ == "appos" or (child.dep_ in _ASIDES and child.i > head.i and _follows_comma(child)):
            yield from child.subtree
        else:
            yield from _asides(child)


def _follows_comma(token: "Token") -> bool:
    first = token.left_edge
    return first.i > 0 and token.doc[first.i - 1].text in {",", "\u2013", "\u2014", "-", ";"}


def _is_stray_comma(token: "Token", dropped: set[int]) -> bool:
    return token.text in {",", "\u2013", "\u2014"} and (token.i - 1 in dropped or token.i + 1 in dropped)


def joined(tokens: Iterable["Token"]) -> str:
    """Return words with the spaces that stand between them in the text, and one where words were left out."""
    parts: list[str] = []
    last: Token | None = None
    for token in tokens:
        if last is not None and (last.whitespace_ or token.i != last.i + 1):
            parts.append(" ")
        parts.append(_within_sentence(token) if token.is_sent_start and token.dep_ in _OPENERS else token.text)
        last = token
    return "".join(parts)


def leans_on_others(clause: Clause) -> bool:
    """Tell whether a clause speaks of "the company" without saying which, so that it cannot be asked alone."""
    named = bool(clause.subject.label)
    return any(
        _is_bare(token, phrase) or token.tag_ == "PRP" or _points_back(token) or (token.tag_ == "PRP$" and not named)
        for phrase in (clause.subject, *clause.phrases)
        for token in phrase.tokens
    )


def _points_back(token: "Token") -> bool:
    return token.tag_ == "DT" and token.lower_ in {"that", "this", "these", "those"}


def _is_bare(token: "Token", phrase: Phrase) -> bool:
    if token.tag_ not in {"NN", "NNS"} or token.ent_type_:
        return False
    own = [child for child in token.children if child in phrase.tokens and child.dep_ not in {"cc", "conj", "punct"}]
    return len(own) == 1 and own[0].lower_ == "the"


def _within_sentence(token: "Token") -> str:
    return token.text if token.tag_ in {"NNP", "NNPS"} else token.lower_

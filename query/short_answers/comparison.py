"""Comparisons and yes/no questions about two named things, decided by a rule where both sides' values are told."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from query.passages import CandidateSentence
from query.question import Question
from query.short_answers.dimensions import AskedOrder, Dimension, asked_order, quantities_of
from query.short_answers.sides import Side, named_pair, sides_of
from query.short_answers.values import DateKind, Value, date_of, kind_of
from query.short_answers.words import word_set, words_of
from raptor.text_words import content_stems

VerdictKind: TypeAlias = Literal["choice", "yes_no"]

_EARLIER = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|elder|eldest)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|latest|last|recently|newer|newest|younger|youngest|after)\b", re.IGNORECASE)
_BIRTH = re.compile(r"\b(?:born|birth|older|oldest|younger|youngest|elder|eldest)\b", re.IGNORECASE)
_DEATH = re.compile(r"\b(?:die|died|death|dies)\b", re.IGNORECASE)
_THINGS = re.compile(
    r"\b(?:film|movie|album|song|book|band|company|magazine|newspaper|building|school|university)\b", re.I
)
_SAME = re.compile(r"\bsame (\w+)(?: (?:as|or|of|from|and)\b|\s*\?|\s*$)", re.IGNORECASE)
NEGATION = re.compile(r"\bnot\b|n['\u2019]t\b|\bnever\b", re.IGNORECASE)
"""What turns a question round: it is not decided then."""
_ASKED_THING = re.compile(r"\b(?:which|what) (?:of (?:the |these )?)?([a-z]+)", re.IGNORECASE)
_THAN = re.compile(r"\b(?:than|before|after)\b", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\s+(?:an? |the )?([^,?]+)", re.IGNORECASE)
_EITHER_KIND = re.compile(r"\b(?:Which|What) (\w+) (?:is|was) (?:an? )?([^\W\d_a-z]\w+)\b,? ")
_GENERIC = word_set("locat situat base type kind call name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the evidence decides: the answer's words, the rule with both values, and the values with their sentences."""

    kind: VerdictKind
    text: str
    rule: str
    values: tuple[Value, Value]


def decide(question: Question, sentences: Sequence[CandidateSentence]) -> Verdict | None:
    """Decide a question about two named things by what ``sentences`` say of both; None where they do not decide it."""
    names = named_pair(question.searched)
    sides = sides_of(names, sentences) if names is not None else None
    if sides is None or NEGATION.search(_outside_names(question, sides)):
        return None
    if question.kind == "yes_no" and " or " not in question.searched:
        if _SAME.search(question.searched):
            return _same(question, sides)
        return (_yes_to_order if _THAN.search(question.searched) else _both)(question, sides)
    return _by_order(question, sides) or _by_kind(question, sides)


def is_comparison(question: Question) -> bool:
    """Tell whether a question sets two named things against each other."""
    return named_pair(question.searched) is not None


@dataclass(frozen=True, slots=True)
class _Order:
    """Two values in order: the one that the question asks for comes first."""

    wanted: Side
    values: tuple[Value, Value]
    word: str


def _by_order(question: Question, sides: tuple[Side, Side]) -> Verdict | None:
    """Decide "Which came first, A or B?", "Which is taller, A or B?"."""
    order = _date_order(question, sides) or _amount_order(question, sides)
    return _choice(order, sides) if order is not None else None


def _date_order(question: Question, sides: tuple[Side, Side]) -> _Order | None:
    text = _outside_names(question, sides)
    earlier, later = _EARLIER.search(text), _LATER.search(text)
    if earlier is None and later is None:
        return None
    kind = _date_kind(text)
    if kind == "event" and not _asks_for_time(question):
        return None
    asked = _ASKED_THING.search(text)
    things = content_stems(asked.group(1)) if asked is not None else []
    events = frozenset(content_stems(_THINGS.sub(" ", text))).difference(things, content_stems(_order_words(text)))
    values = [date_of(side, kind, events) for side in sides]
    one, other = values
    if one is None or other is None:
        return None
    length = min(len(one.key), len(other.key))
    if one.key[:length] == other.key[:length]:
        return None
    one_first = (one.key[:length] < other.key[:length]) == (earlier is not None)
    return _Order(
        wanted=sides[0] if one_first else sides[1],
        values=(one, other) if one_first else (other, one),
        word="earlier" if earlier is not None else "later",
    )


def _date_kind(text: str) -> DateKind:
    if _DEATH.search(text):
        return "death"
    return "birth" if _BIRTH.search(text) and not _THINGS.search(text) else "event"


def _asks_for_time(question: Question) -> bool:
    return question.kind in {"what", "who", "yes_no", "other", "where", "when"}


def _choice(order: _Order, sides: tuple[Side, Side]) -> Verdict:
    rest = sides[1] if order.wanted is sides[0] else sides[0]
    one, other = order.values
    rule = f"{order.wanted.name} ({one.text}) is {order.word} than {rest.name} ({other.text})."
    return Verdict(kind="choice", text=order.wanted.name, rule=rule, values=order.values)


def _amount_order(question: Question, sides: tuple[Side, Side]) -> _Order | None:
    """Put both in order by the quantity that the word of comparison fixes, where all that is told of it agrees."""
    asked = asked_order(_outside_names(question, sides))
    if asked is None:
        return None
    orders = [own for dimension in asked.dimensions if (own := _by_quantity(asked, dimension, sides)) is not None]
    return orders[0] if orders and all(order.wanted is orders[0].wanted for order in orders) else None


def _by_quantity(asked: AskedOrder, dimension: Dimension, sides: tuple[Side, Side]) -> _Order | None:
    one, other = (quantities_of(side, rival, dimension) for side, rival in zip(sides, reversed(sides), strict=True))
    shared = [unit for unit in one if unit in other]
    if len(shared) != 1:
        return None
    values, others = one[shared[0]], other[shared[0]]
    if all(value.key > rest.key for value in values for rest in others):
        first = asked.is_most
    elif all(value.key < rest.key for value in values for rest in others):
        first = not asked.is_most
    else:
        return None
    return _Order(
        wanted=sides[0] if first else sides[1],
        values=(values[0], others[0]) if first else (others[0], values[0]),
        word=asked.word,
    )


def _outside_names(question: Question, sides: tuple[Side, Side]) -> str:
    """Return the question without the two names: "First Bank" does not ask what was first."""
    text = " ".join(question.searched.split())
    for side in sorted(sides, key=lambda side: -len(side.name)):
        text = text.replace(side.name, " ")
    return text


def _order_words(text: str) -> str:
    return " ".join([*_EARLIER.findall(text), *_LATER.findall(text)])


def _by_kind(question: Question, sides: tuple[Side, Side]) -> Verdict | None:
    """Decide "Which singer is American, A or B?": one is called so, the other is not."""
    match = _EITHER_KIND.search(question.searched)
    kinds = [kind_of(side) for side in sides]
    one, other = kinds
    if match is None or one is None or other is None:
        return None
    stems = frozenset(content_stems(match.group(2)))
    holds = [bool(stems) and stems <= frozenset(content_stems(kind.text)) for kind in (one, other)]
    if holds[0] == holds[1]:
        return None
    place = holds.index(True)
    values = (one, other) if place == 0 else (other, one)
    rule = f"{sides[place].name} is called {match.group(2)}, {sides[1 - place].name} is not."
    return Verdict(kind="choice", text=sides[place].name, rule=rule, values=values)


def _both(question: Question, sides: tuple[Side, Side]) -> Verdict | None:
    """Decide "Are A and B both X?" by what each is said to be."""
    names = frozenset(content_stems(f"{sides[0].name} {sides[1].name}"))
    wanted = frozenset(_predicate(question.searched, sides)) - names - _GENERIC
    one, other = (kind_of(side) for side in sides)
    if not wanted or one is None or other is None:
        return None
    missing = [wanted - frozenset(content_stems(kind.text)) for kind in (one, other)]
    if all(missing) or any(_may_hold(question, lack, kind) for lack, kind in zip(missing, (one, other), strict=True)):
        return None
    rule = f"{sides[0].name} is “{_short(one.text)}”, {sides[1].name} “{_short(other.text)}”."
    return Verdict(kind="yes_no", text="no" if any(missing) else "yes", rule=rule, values=(one, other))


def _may_hold(question: Question, lack: frozenset[str], kind: Value) -> bool:
    """Tell whether a thing may be called what the question says although its sentence does not say so.

    Nobody who is called "Hungarian" need be called "not American"; of one who is called neither we do not know.
    """
    words = words_of(question.searched)
    is_name = any(word.is_capital and word.stem in lack for word in words)
    return is_name and not words_of(kind.text)[0].is_capital


def _predicate(text: str, sides: tuple[Side, Side]) -> list[str]:
    match = _BOTH.search(text)
    if match and not any(side.name in match.group(1) for side in sides):
        return content_stems(match.group(1))
    end = max(text.find(side.name) + len(side.name) for side in sides)
    return content_stems(text[end:]) if end < len(text) else []


def _same(question: Question, sides: tuple[Side, Side]) -> Verdict | None:
    """Decide "Are A and B in the same X?" by the value of X that each sentence names."""
    match = _SAME.search(question.searched)
    if match is None:
        return None
    found = [_named_value(side, match.group(1)) for side in sides]
    one, other = found
    if one is None or other is None:
        return None
    is_same = one.text.casefold() == other.text.casefold()
    rule = f"{sides[0].name}: {one.text}; {sides[1].name}: {other.text}."
    return Verdict(kind="yes_no", text="yes" if is_same else "no", rule=rule, values=(one, other))


def _named_value(side: Side, noun: str) -> Value | None:
    """Return "Jiangsu" for the noun "province" of "a city in Jiangsu province", "American" for "nationality"."""
    kind = kind_of(side)
    if content_stems(noun) in (["nation"], ["citizenship"]) or noun.casefold() in {"nationality", "country"}:
        words = words_of(kind.text) if kind is not None else ()
        if kind is not None and words and words[0].is_capital:
            return Value(text=words[0].text, key=(), sentence=kind.sentence)
        return None
    name = r"[^\W\d_a-z]\w+(?: [^\W\d_a-z]\w+)*"
    named = re.compile(rf"({name}) (?i:{re.escape(noun)})\b|\b(?i:{re.escape(noun)}) of ({name})")
    for sentence in side.sentences[:3]:
        if found := named.search(sentence.text):
            return Value(text=found.group(1) or found.group(2), key=(), sentence=sentence)
    return None


def _yes_to_order(question: Question, sides: tuple[Side, Side]) -> Verdict | None:
    """Decide "Did A come before B?", "Is A taller than B?": yes where A is the one that the word of order asks for."""
    order = _date_order(question, sides) or _amount_order(question, sides)
    if order is None:
        return None
    chosen = _choice(order, sides)
    return Verdict(
        kind="yes_no", text="yes" if order.wanted is sides[0] else "no", rule=chosen.rule, values=order.values
    )


def _short(text: str) -> str:
    words = text.split()
    return " ".join(words[:8]) + (" …" if len(words) > 8 else "")

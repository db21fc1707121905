"""Whether a follow-up that a model made a question of its own is still that question: a reply is data, and may be any.

Names are told by their capitals, so that in scripts without any only numbers, sentences and statements are looked at.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import takewhile

from query.conversation.turns import Turn
from query.question import question_kind
from raptor.claims.languages import FREQUENT_WORDS, language_of
from raptor.claims.names import missing_names, name_runs
from raptor.claims.words import Words, is_held, missing_numbers, words_of
from raptor.text_words import tokens

_ASKING = frozenset("?\uff1f\u061f\u037e;")
_TELLING = frozenset(".!\u3002\uff01\u0964\u06d4")
_CLOSING = "\"'\u2019\u201d\u00bb)] "
# A full stop ends a sentence behind a word that is no abbreviation, before one that is written large or has no case.
_BREAK = re.compile(
    r"(?:[?!]|(?<=[^\W\d_A-Z]{4})\.)[\"'\u2019\u201d)]*\s+\w+|[\u3002\uff01\uff1f\u0964\u061f\u06d4]\s*\w+"
)
_SHORTEST_STEM = 3
_LONGEST_ENDING = 3


def fault_of_rewriting(rewritten: str, question: str, turns: Sequence[Turn]) -> str:
    """Return why ``rewritten`` cannot stand for ``question`` after the turns that were told of; "" where it can.

    Its names and numbers stand in the question or the turns, it has no more sentences than the question, and it asks
    where the question does. Nothing of it is repeated in what is returned.
    """
    told = "\n".join(f"{turn.question}\n{turn.asked_as}\n{turn.answer}" for turn in turns)
    known = f"{question}\n{told}"
    ground = words_of(known)
    if missing_numbers(words_of(rewritten), ground):
        return "the model's question has a number that nobody spoke of"
    if _has_strange_name(rewritten, known, ground, told):
        return "the model's question has a name that nobody spoke of"
    if _breaks(rewritten, known) > _breaks(question, ""):
        return "the model gave more than one sentence"
    return "the model gave a statement" if _states(rewritten, question) else ""


def _has_strange_name(rewritten: str, known: str, ground: Words, told: str) -> bool:
    """Tell whether there is a name that is not known.

    Where names change their endings, or nouns are written large, one known word tells a whole name.
    """
    language = language_of(rewritten) or language_of(known)
    if language in {None, "en"}:
        names: list[tuple[str, ...]] = [(name,) for name in missing_names(rewritten, ground, is_sentence=False)]
    else:
        begins = tokens(rewritten)[:1]
        names = [run for run in name_runs(rewritten) if list(run) != begins]
    scripts = _scripts(told)
    known_words = [token for token in ground.tokens if token not in FREQUENT_WORDS]
    return any(
        _scripts("".join(name)) <= scripts and not any(_is_known(word, ground, known_words, language) for word in name)
        for name in names
    )


def _is_known(word: str, ground: Words, known: Sequence[str], language: str | None) -> bool:
    if is_held(word, ground):
        return True
    return language not in {None, "en"} and any(_same_stem(word, other) for other in known)


def _same_stem(one: str, other: str) -> bool:
    """Tell whether two words may be forms of one ("Warszawa", "Warszawie"); short ones change a letter at most."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    short, long = sorted((len(one), len(other)))
    ending = _LONGEST_ENDING if shared > _SHORTEST_STEM else 1
    return short >= _SHORTEST_STEM and short - shared <= min(2, ending) and long - shared <= ending


def _scripts(text: str) -> frozenset[str]:
    return frozenset(unicodedata.name(letter, "").partition(" ")[0] for letter in set(text) if letter.isalpha())


def _breaks(text: str, known: str) -> int:
    """Return how often a sentence ends within a text, but for what is ``known`` to be written so ("Yahoo! Inc")."""
    found = [match for match in _BREAK.finditer(text) if not _goes_on(match.group())]
    return sum(_around(text, match) not in known for match in found) if known else len(found)


def _goes_on(ending: str) -> bool:
    """Tell whether a small letter follows a full stop."""
    return ending.startswith(".") and ending.rsplit(maxsplit=1)[-1][:1].islower()


def _around(text: str, match: re.Match[str]) -> str:
    """Return the end of a sentence with the words on both its sides."""
    return text[: match.start()].rpartition(" ")[2] + match.group()


def _states(rewritten: str, question: str) -> bool:
    """Tell whether a question became a statement: by its last mark, or because nothing in it asks any more."""
    last, asked = rewritten.rstrip(_CLOSING)[-1:], question.rstrip(_CLOSING)[-1:]
    if last in _ASKING:
        return False
    if asked in _ASKING and last in _TELLING:
        return True
    return question_kind(question) != "other" and question_kind(rewritten) == "other"

"""Whether a sentence denies what the sentences that it cites say, or says what they deny."""

import re
from collections.abc import Sequence

from raptor.claims.words import Words, is_held, words_of
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import stem, tokens

_NEGATIONS = frozenset(
    """
    not no never none nobody nothing neither nor without cannot isn aren wasn weren doesn don didn hasn haven hadn won
    wouldn couldn shouldn hardly scarcely barely nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans
    aucun aucune nunca sin ningún ninguna non mai senza não sem nenhum niet geen nooit zonder inte aldrig utan bez не
    нет ни без
    """.split()  # noqa: SIM905  # words are easier to read and to change than a list of them
)
_CLAUSE_END = re.compile(r"[.,;:!?()\n—]|\b(?:but|aber|mais|pero)\b", re.IGNORECASE)
# What looks like a negation and is none: "not only", "non-profit", "No. 5".
_NO_NEGATION = re.compile(r"\bnot (?:only|just|merely)\b|\bnon-|\bno\. ?(?=\d)", re.IGNORECASE)
_CANNOT = re.compile(r"\bcan(?:['\u2019]t| not)\b", re.IGNORECASE)
# A negation is about the next words with a meaning of their own, or the last ones before it where none follows.
_REACH = 2


def denies(words: Words) -> bool:
    """Tell whether there is a negation among words."""
    return not words.tokens.isdisjoint(_NEGATIONS)


def affirms_denied(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a text without a negation has words that one of the quotes denies, and none says without it."""
    said = words_of(_plain(text))
    if denies(said):
        return False
    denied, plain = set[str](), set[str]()
    for quote in quotes:
        for clause in _CLAUSE_END.split(_plain(quote)):
            found = _denied(clause)
            denied |= found
            plain |= {stem(word) for word in _content(tokens(clause))} - found
    return any(is_held(word, said) for word in denied - plain)


def _plain(text: str) -> str:
    return _CANNOT.sub("cannot", _NO_NEGATION.sub("", text))


def _denied(clause: str) -> set[str]:
    """Return the stems of the words that the negations of a clause are about."""
    words = tokens(clause)
    found = set[str]()
    for place, word in enumerate(words):
        if word in _NEGATIONS:
            after = _reached(_content(words[place + 1 :]))
            found.update(after or _reached(_content(words[place - 1 :: -1] if place else [])))
    return found


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in FUNCTION_WORDS and word not in _NEGATIONS and len(word) > 1]


def _reached(words: Sequence[str]) -> set[str]:
    """Return the stems of the first words; adverbs ("usually") do not count, so the verb behind them is reached."""
    return {stem(word) for word in [word for word in words if not word.endswith("ly")][:_REACH]}

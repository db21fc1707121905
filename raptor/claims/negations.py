"""Whether a sentence denies what the sentences that it cites say, or says what they deny."""

import re
from collections.abc import Iterator, Sequence

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
_KNOWN_LANGUAGES = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "cyrillic"})
_CLAUSE_END = re.compile(r"[.,;:!?()\n—]|\b(?:but|aber|mais|pero)\b", re.IGNORECASE)
# What looks like a negation and is none: "not only", "non-profit", "No. 5".
_NO_NEGATION = re.compile(r"\bnot (?:only|just|merely)\b|\bnon-|\bno\. ?(?=\d)", re.IGNORECASE)
_CANNOT = re.compile(r"\bcan(?:['\u2019]t| not)\b", re.IGNORECASE)
# A negation is about the next words with a meaning of their own, or the last ones before it where none follows.
_REACH = 2


def denies(words: Words) -> bool:
    """Tell whether there is a negation among words."""
    return not words.tokens.isdisjoint(_NEGATIONS)


def denies_affirmed(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a negation of a text is about words that no clause of the quotes with a negation has.

    "Anna never founded the works" is not said by "Anna founded the works" beside "Otto never worked there".
    """
    clauses = [clause for quote in quotes for clause in _CLAUSE_END.split(_plain(quote)) if denies(words_of(clause))]
    denied = words_of("\n".join(clauses))
    return any(
        about and not any(is_held(word, denied) for word in about)
        for clause in _CLAUSE_END.split(_plain(text))
        for about in _each_denied(tokens(clause))
    )


def differ_in_denial(text: str, *, quoted: Sequence[str], sentences: Sequence[str], language: str | None) -> bool:
    """Tell whether of a text and what it quotes in another language only one has a negation.

    A text that denies needs a negation in the ``sentences`` that it quotes from, one that does not must have quoted
    none; the latter counts only in a ``language`` whose negations are known.
    """
    if _denies_any([text]):
        return not _denies_any(sentences)
    return language in _KNOWN_LANGUAGES and _denies_any(quoted)


def _denies_any(texts: Sequence[str]) -> bool:
    return any(denies(words_of(_plain(text))) for text in texts)


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
    return set[str]().union(*_each_denied(tokens(clause)))


def _each_denied(words: Sequence[str]) -> Iterator[set[str]]:
    """Yield for each negation of a clause the stems of the words that it is about."""
    for place, word in enumerate(words):
        if word in _NEGATIONS:
            after = _reached(_content(words[place + 1 :]))
            yield after or _reached(_content(words[place - 1 :: -1] if place else []))


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in FUNCTION_WORDS and word not in _NEGATIONS and len(word) > 1]


def _reached(words: Sequence[str]) -> set[str]:
    """Return the stems of the first words; adverbs ("usually") do not count, so the verb behind them is reached."""
    return {stem(word) for word in [word for word in words if not word.endswith("ly")][:_REACH]}

"""Whether a drafted question can stand alone: it is short, names something, and leans on no sentence before it."""

import re

from belvedere.evaluation.answers import answer_tokens
from belvedere.evaluation.draft_words import words

_LEAST_WORDS, _MOST_WORDS = 4, 28
_LEANING = words(
    "he she they it him them we us our ours you your i me my this these those here there then such former latter same "
    "other others another said above below following respectively likewise one its"
)
_OWNERS = frozenset({"his", "her", "their"})
_ODD = re.compile(
    r"[\[\]|{}<>*_#;:\\\n\u2022]|https?|www\.|\.\.\.|\s[,.)]|,\?|\b(?:in|on|at|of|as|and|or|with|for|the|a)\?$|\(\s|\($|--"
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
_SHARED_LENGTH = 4
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_CAPITAL = re.compile(r"[A-Z\u00c0-\u00de][\w.&'\u2019-]+")


def is_sound(question: str, answer: str) -> bool:
    """Tell whether a question can be asked of the whole collection, and its answer does not stand in it."""
    asked = [word.casefold() for word in _WORD.findall(question)]
    if not _LEAST_WORDS <= len(asked) <= _MOST_WORDS or _ODD.search(question) or not _balanced(question):
        return False
    if _LEANING & set(asked) or _leans_on_owner(asked):
        return False
    if not any(True for _ in _CAPITAL.finditer(question[1:])):
        return False
    return not gives_away(question, answer)


def gives_away(question: str, answer: str) -> bool:
    """Tell whether the answer, or a telling word or a year of it, stands in the question ("1976-78", "the 1976s")."""
    if not set(_YEAR.findall(question)).isdisjoint(_YEAR.findall(answer)):
        return True
    asked = set(answer_tokens(question))
    told = answer_tokens(answer)
    long = {word for word in told if len(word) >= _SHARED_LENGTH}
    return bool(long & asked) or (bool(told) and set(told) <= asked)


def _leans_on_owner(asked: list[str]) -> bool:
    """Tell whether "his" comes before anybody whom it could mean."""
    return bool(_OWNERS & set(asked[:4]))


def _balanced(text: str) -> bool:
    opened = re.findall(r'(?<![\w.,!?])"(?=\S)', text)
    if text.count('"') != 2 * len(opened) or text.count("\u201c") != text.count("\u201d"):
        return False
    return text.count("(") == text.count(")")

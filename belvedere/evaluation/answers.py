"""How near an answer comes to a reference: exact match and token F1 as SQuAD has them, and what suits quotations.

Exact match and F1 are taken of the short answer, where one is claimed, else of the whole text. Texts made of source
sentences are longer than references, so they hardly ever match exactly and lose precision: ``recall`` (share of the
reference's tokens in the text) and ``contains`` (the reference stands in it, word by word) tell whether the answer is
in there.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

ANSWER_MEASURES: tuple[str, ...] = ("exact", "F1", "recall", "contains", "right", "claimed", "claimed_right")
"""``right``: the F1 of the short answer is ``RIGHT_F1`` at least; without one, that of the text, or the text contains
the reference. ``claimed``: there is a short answer; ``claimed_right``: and its F1 is ``RIGHT_F1`` at least, so that
their quotient tells how often a claim holds. Of a text, however long, ``contains`` and ``right`` say that a reference
stands in it, not that it is given as the answer.
"""

RIGHT_F1 = 0.5

_MARK = re.compile(r"\[\d+\]")
_ARTICLES = frozenset({"a", "an", "the"})
_POLAR = frozenset({"yes", "no"})


def answer_tokens(text: str) -> tuple[str, ...]:
    """Return the words of an answer, lower case, without punctuation, articles (Rajpurkar et al., 2016) and ``[n]``."""
    shown = _MARK.sub(" ", unicodedata.normalize("NFKC", text)).casefold()
    # As in SQuAD punctuation is dropped, not turned into space: "U.S." is "us".
    kept = "".join(character for character in shown if not unicodedata.category(character).startswith(("P", "S")))
    return tuple(word for word in kept.split() if word not in _ARTICLES)


def score_answer(answer: str, references: Sequence[str], short: str | None = None) -> dict[str, float]:
    """Return each of ``ANSWER_MEASURES`` in [0, 1], of the reference that suits the answer best.

    There must be one reference at least. One without any word counts as met by an answer without any.
    """
    values = _best(answer, references)
    if short is None:
        return {**values, "claimed": 0.0, "claimed_right": 0.0}
    claimed = _best(short, references)
    holds = float(claimed["F1"] >= RIGHT_F1)
    return {
        **values,
        "exact": claimed["exact"],
        "F1": claimed["F1"],
        "right": holds,
        "claimed": 1.0,
        "claimed_right": holds,
    }


def _best(text: str, references: Sequence[str]) -> dict[str, float]:
    tokens = answer_tokens(text)
    scored = [_score(tokens, answer_tokens(reference)) for reference in references]
    return {name: max(values[name] for values in scored) for name in scored[0]}


def _score(tokens: Sequence[str], reference: Sequence[str]) -> Mapping[str, float]:
    shared = sum((Counter(tokens) & Counter(reference)).values())
    exact = float(tuple(tokens) == tuple(reference))
    f1 = 2.0 * shared / (len(tokens) + len(reference)) if tokens or reference else exact
    contains = float(_contains(tokens, reference))
    return {
        "exact": exact,
        "F1": f1,
        "recall": shared / len(reference) if reference else exact,
        "contains": contains,
        "right": float(contains > 0.0 or f1 >= RIGHT_F1),
    }


def _contains(tokens: Sequence[str], reference: Sequence[str]) -> bool:
    """Tell whether the reference stands in the answer as a run of words; "yes" and "no" only as its first word."""
    if not reference:
        return not tokens
    places = 1 if len(reference) == 1 and reference[0] in _POLAR else len(tokens) - len(reference) + 1
    return any(tuple(tokens[place : place + len(reference)]) == tuple(reference) for place in range(places))

"""From text to index terms: lower case, no accents, no English stop words, English stems; CJK as characters and pairs.

tantivy's ``simple`` tokenizer splits at everything that is neither letter nor digit, so a run of Chinese, Japanese,
Korean, Thai, Lao, Khmer or Burmese would be one term. Such runs are written out first as single characters and
overlapping pairs, the usual way to search them without a dictionary.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

ANALYSIS_VERSION = "1"
"""Raised whenever the terms of a text change: indexes of another version are built again."""

_LONGEST_TERM = 100

_UNSPACED = re.compile(
    "["
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese syllables
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "]+"
)
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b", re.IGNORECASE)


def spread_unspaced(text: str) -> str:
    """Return ``text`` with possessive endings dropped and unspaced runs written as characters and pairs."""
    return _UNSPACED.sub(lambda run: f" {_characters_and_pairs(run[0])} ", _POSSESSIVE.sub("", text))


def _characters_and_pairs(run: str) -> str:
    return " ".join((*run, *(run[index : index + 2] for index in range(len(run) - 1))))


@cache
def analyzer() -> "TextAnalyzer":
    """Return the analyser of both texts and questions (give it what ``spread_unspaced`` returned)."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer  # noqa: PLC0415  # heavy import, only when used

    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(_LONGEST_TERM))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stopword("english"))
        .filter(Filter.stemmer("english"))
        .build()
    )


def question_terms(text: str) -> list[str]:
    """Return the distinct terms of a question, in order; half characters (lone surrogates) are no part of it."""
    clean = text.encode("utf-8", errors="ignore").decode("utf-8")
    return list(dict.fromkeys(analyzer().analyze(spread_unspaced(clean))))

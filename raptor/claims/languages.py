"""Which language a short text is in, by its script or its most frequent words; None where that does not tell."""

import re
import unicodedata
from collections import Counter

from raptor.text_words import tokens

_WORDS = {
    "en": "the of and to in is was that for on with as by at it from are were this be an not or has had his "
    "who what when where which how did does",
    "de": "der die das und ist von den im mit auf für ein eine nicht zu des dem sich auch wurde war als bei "
    "wer wann wo wie welche hat",
    "fr": "le la les des est et du une un dans pour que qui par sur au avec il elle pas sont été cette où "
    "quel quelle quand combien",
    "es": "el los las de la y es en que del por con una un para se su al lo fue como más qué quién cuándo está",
    "it": "il di che è la e un una per non sono con del della gli dei nel alla si da più chi dove quando stato",
    "pt": "o os de e é que do da em um uma para com não por mais dos das na no foi ao quem onde está são",
    "nl": "de het een van en is in op dat niet zijn met voor te door ook bij aan werd naar wie wat uit der",
    "sv": "och att det som en är av för på med den ett till var inte om har de vem när blev från",
    "pl": "w i na z się nie jest do to że jak przez kto gdzie był była oraz od dla po",
    "tr": "ve bir bu için ile da de olan kim nerede ne zaman olarak çok daha",
}
_FUNCTION_WORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
FREQUENT_WORDS = frozenset().union(*_FUNCTION_WORDS.values())
"""The most frequent words of all languages that are told apart by them, folded."""

_SCRIPTS = {
    "CYRILLIC": "cyrillic", "GREEK": "greek", "ARABIC": "arabic", "HEBREW": "hebrew", "CJK": "han", "HIRAGANA": "ja",
    "KATAKANA": "ja", "HANGUL": "ko", "THAI": "th", "DEVANAGARI": "devanagari", "BENGALI": "bengali", "TAMIL": "tamil",
    "GEORGIAN": "georgian", "ARMENIAN": "armenian",
}  # fmt: skip
_LETTER = re.compile(r"[^\W\d_]")
_LEAST_WORDS = 2


def language_of(text: str) -> str | None:
    """Return a code for the language of ``text``, that of its script where only one is written in it or it is not
    told apart further; None where too few frequent words stand in it, or those of two languages alike.
    """
    scripts = Counter(_script(letter) for letter in _LETTER.findall(text))
    if not scripts:
        return None
    if scripts["ja"] and scripts["ja"] + scripts["han"] > scripts.total() / 2:
        return "ja"
    script, count = scripts.most_common(1)[0]
    if script != "latin":
        return script if count > scripts.total() / 2 else None
    return _by_words(tokens(text))


def _script(letter: str) -> str:
    return _SCRIPTS.get(unicodedata.name(letter, "").partition(" ")[0], "latin")


def _by_words(words: list[str]) -> str | None:
    counts = {language: sum(word in known for word in words) for language, known in _FUNCTION_WORDS.items()}
    (best, most), (_, second) = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:2]
    return best if most >= _LEAST_WORDS and most > second else None


def differ(one: str | None, other: str | None) -> bool:
    """Tell whether two languages are known and not the same."""
    return one is not None and other is not None and one != other

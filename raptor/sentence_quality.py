"""How well a sentence can stand alone in a summary, judged from its surface (no parser is loaded for this)."""

import re

_CLOSING = r"[\"'\u201d\u2019\u00bb)\]*_]"
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*")
_LIST_OR_HEADING = re.compile(r"^\s*(?:#{1,6}\s|[>|]|[*+\u2022\u2013\u2014-]\s|\d{1,3}[.)]\s|\(?[a-z][.)]\s|!\[|```)")
_SENTENCE_END = re.compile(rf"[.!\u3002\uff01\u2026\u0964]{_CLOSING}*$")
_QUESTION_OR_OPENING = re.compile(rf"[?\uff1f\u061f:\uff1a;,]{_CLOSING}*$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A sentence that begins with one of these leans on the one before it.
_LEANING = _words(
    "it he she they his her its their this that these those such however but and or so then also thus therefore "
    "moreover furthermore meanwhile nevertheless instead otherwise there here both another i we you my our your"
)
_PRONOUNS = _words("it he she they")
_MONTHS = _words("january february march april may june july august september october november december")
# Words in which "On 10 July 1992" and the like come before the subject.
_ADVERBIAL_WORDS = 8
_VERB_LIKE = _words(
    "is are was were be been being has have had does did do will would can could may might must shall should "
    "became become becomes began made makes said says took takes won led went came gave got"
)

# Runs of letters longer than this on average are a script without spaces (Chinese, Japanese, Thai).
_UNSPACED_RUN = 12


def sentence_quality(text: str) -> float:
    """Return 0.0 for a fragment (heading, table row, list debris, question, too short or too long), else a value in
    (0, 1]: lower for sentences that lean on their neighbours, run long, or lack an end.
    """
    words = _WORD.findall(text)
    if not words or _is_debris(text, words):
        return 0.0
    if _unspaced(words):
        return 1.0 if sum(map(len, words)) >= 8 else 0.0
    if _is_fragment(text, words):
        return 0.0
    return _leaning_factor(words) * _length_factor(words) * _form_factor(text)


def _is_debris(text: str, words: list[str]) -> bool:
    """Markup, tables, questions, and text that is mostly digits and signs."""
    if _LIST_OR_HEADING.match(text) or text.count("|") >= 2 or _QUESTION_OR_OPENING.search(text):
        return True
    letters = sum(map(len, words))
    return letters < 0.6 * len("".join(text.split()))


def _unspaced(words: list[str]) -> bool:
    return sum(map(len, words)) / len(words) > _UNSPACED_RUN or not any(
        word[0].isupper() or word[0].islower() for word in words
    )


def _is_fragment(text: str, words: list[str]) -> bool:
    """Too short, too long, set like a title, or without an end and without anything like a verb."""
    if not 5 <= len(words) <= 100:
        return True
    lower = [word for word in words if word[0].islower()]
    if len(lower) < max(2, 0.25 * len(words)):
        return True
    return not _SENTENCE_END.search(text) and not any(_like_a_verb(word) for word in lower)


def _like_a_verb(word: str) -> bool:
    return word in _VERB_LIKE or (len(word) > 4 and word.endswith(("ed", "ing", "ises", "izes")))


def _leaning_factor(words: list[str]) -> float:
    """Lower the quality of a sentence whose first word, or whose subject after an adverbial, is somewhere before it."""
    if words[0].casefold() in _LEANING:
        return 0.6
    for word in words[1:_ADVERBIAL_WORDS]:
        if word in _PRONOUNS:
            return 0.7
        if word[0].isupper() and word.casefold() not in _MONTHS:
            return 1.0  # a name comes first: the pronoun may mean that
    return 1.0


def _form_factor(text: str) -> float:
    """Whole sentences end in a stop, keep to one paragraph, and close the quotation that they open; what was said aloud
    is often an aside.
    """
    factor = 1.0 if _SENTENCE_END.search(text) else 0.7
    if "\n" in text.strip():
        factor *= 0.5
    opened = text.count('"') % 2 == 1 or text.count("\u201c") != text.count("\u201d")
    quoted = '"' in text or "\u201c" in text
    return factor * (0.6 if opened else 0.85 if quoted else 1.0)


def _length_factor(words: list[str]) -> float:
    """Sentences of 8 to 40 words read best in a summary."""
    if len(words) < 8:
        return 0.8
    return 1.0 if len(words) <= 40 else 40 / len(words)

"""Whether a sentence denies what the sentences that it cites say, or says what they deny."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raptor.claims.names import names_in, without_names
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
_NO_LONGER = re.compile(r"\b(?:no|not any) (?:longer|more)\b", re.IGNORECASE)
# Verbs and the like that say of what follows that it did not come about, with the word that joins it to them.
_DENYING = re.compile(
    r"\b(?:(?:fail(?:s|ed|ing|ures?)?|refus(?:es?|ed|ing|als?)|declin(?:es?|ed|ing)|neglect(?:s|ed|ing)?|unable"
    r"|inability|unwilling|ceas(?:es?|ed|ing)) to\b"
    r"|(?:refrain(?:s|ed|ing)?|abstain(?:s|ed|ing)?|far|instead) (?:from|of)\b(?= \w+ing\b)"
    r"|(?:prevent|ban|bar|hinder|keep|kept|stop)(?:s|n?ed|p?ed|r?ed)? (?:\w+ ){1,4}?from\b(?= \w+ing\b)"
    r"|(?:stop(?:s|ped)?|quit|den(?:y|ies|ied)|avoid(?:s|ed)?)\b(?= \w+ing\b)"
    r"|(?:weiger(?:e|t|te|ten|n)\w* sich|versäum(?:t|te|ten) es|hört(?:e|en)? auf),?"
    r"|refus(?:e|a|é|ait|èrent|aient|ent) (?:de|d['\u2019])|cess(?:e|a|é|ait|èrent) (?:de|d['\u2019])"
    r"|(?:se )?neg(?:ó|aron|aba) a|rehus(?:ó|aron)|dej(?:ó|aron) de|(?:si )?rifiut(?:a|ò|arono|ato) di"
    r"|smis(?:e|ero) di|recus(?:ou|aram)(?:-se)? a|deix(?:ou|aram) de|weiger(?:t|de|den)\b|vägra(?:r|de|t)"
    r"|odmówi(?:ł|ła|li)|отказал(?:ся|ась|ись))",
    re.IGNORECASE,
)
# A negation is about the next words with a meaning of their own, or the last ones before it where none follows.
_REACH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Denial:
    """A negation: the words that it is ``about``, the words of names before it in its sentence (``subject``) and in all
    of it; the ``clause`` and ``sentence`` that it stands in.
    """

    about: frozenset[str]
    subject: frozenset[str]
    names: frozenset[str]
    clause: Words
    sentence: Words

    def is_told_by(self, other: "_Denial") -> bool:
        """Tell whether another denial is about the same, and of nobody else."""
        if not any(is_held(word, other.clause) for word in self.about):
            return False
        is_of_another = self.subject and other.subject and self.subject.isdisjoint(other.subject)
        return not is_of_another or all(is_held(name, other.sentence) for name in self.names)


def denies(words: Words) -> bool:
    """Tell whether there is a negation among words."""
    return not words.tokens.isdisjoint(_NEGATIONS)


def denies_affirmed(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a negation of a text is about words that no clause of the quotes with a negation has.

    "Anna never founded the works" is not said by "Anna founded the works" beside "Otto never worked there", nor is
    "Anna never worked there".
    """
    told = [denial for quote in quotes for denial in _denials(quote)]
    return any(denial.about and not any(map(denial.is_told_by, told)) for denial in _denials(text))


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
    """Tell whether a text without a negation has words that one of the quotes denies, and none says without it.

    A name says nothing of that kind: "Keld Works" does not say that anybody works. Where the text has all that is
    denied, a quote that says so without a negation must have as much of the text as the one that denies it.
    """
    said = words_of(_plain(text))
    if denies(said):
        return False
    verbs = words_of(without_names(text))
    affirmed = {quote: _affirmed(quote) for quote in quotes}
    for quote in quotes:
        for denial in _denials(quote):
            held = {word for word in denial.about if is_held(word, said if word in denial.names else verbs)}
            saying = {word: [other for other in quotes if _says(affirmed[other], word, denial)] for word in held}
            if not all(saying.values()):
                return True
            others = [other for word in held - denial.names for other in saying[word]]
            if others and held == denial.about and _shared(said, others) < _shared(said, [quote]):
                return True
    return False


def _says(affirmed: frozenset[tuple[str, bool]], word: str, denial: _Denial) -> bool:
    return (stem(word), False) in affirmed or (word in denial.names and (stem(word), True) in affirmed)


def _shared(said: Words, quotes: Sequence[str]) -> int:
    """Return how many words of a text stand in that quote that has the most of them."""
    return max(sum(is_held(word, held) for word in said.stems) for held in map(words_of, quotes))


def _affirmed(quote: str) -> frozenset[tuple[str, bool]]:
    """Return the stems of what a quote says without a negation, with whether it is a part of a name."""
    names = names_in(quote, is_sentence=False)
    stems = set[tuple[str, bool]]()
    for clause in _CLAUSE_END.split(_plain(quote)):
        words = tokens(clause)
        denied = set[str]().union(*(about for _, about in _each_denied(words)))
        stems |= {(stem(word), word in names) for word in _content(words) if word not in denied}
    return frozenset(stems)


def _denials(quote: str) -> Iterator[_Denial]:
    """Yield the negations of a sentence."""
    text = _plain(quote)
    names = frozenset(names_in(text))
    before = list[str]()
    for clause in _CLAUSE_END.split(text):
        words = tokens(clause)
        for place, about in _each_denied(words):
            subject = names.intersection([*before, *words[:place]])
            yield _Denial(
                about=frozenset(about),
                subject=subject,
                names=names,
                clause=words_of(clause),
                sentence=words_of(text),
            )
        before += words


def _plain(text: str) -> str:
    text = _NO_LONGER.sub("not", _CANNOT.sub("cannot", _NO_NEGATION.sub("", text)))
    return _DENYING.sub("not ", text)


def _each_denied(words: Sequence[str]) -> Iterator[tuple[int, set[str]]]:
    """Yield the place of each negation of a clause, and the words that it is about."""
    for place, word in enumerate(words):
        if word in _NEGATIONS:
            after = _reached(_content(words[place + 1 :]))
            yield place, after or _reached(_content(words[place - 1 :: -1] if place else []))


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in FUNCTION_WORDS and word not in _NEGATIONS and len(word) > 1]


def _reached(words: Sequence[str]) -> set[str]:
    """Return the first words; adverbs ("usually") do not count, so the verb behind them is reached."""
    return set([word for word in words if not word.endswith("ly")][:_REACH])

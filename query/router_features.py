"""What the router sees of a question: its words with names masked, and facts about its form."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from query.question import Question
from query.theme_words import (
    BREADTH,
    MANY_DOCUMENTS,
    asks_for_change,
    asks_for_whole,
    is_contentless,
    names_one_document,
    topic_stems,
)
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import content_stems

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*", re.UNICODE)
_LONGEST_GRAM = 2
_SUMMARY_WORDS = (
    "summarise summarize summary sum recap outline overview gist digest synopsis abstract condense tldr tl nutshell"
)
# Word families, by stem: what a single word does in the training questions holds for its whole family.
_FAMILIES: Mapping[str, frozenset[str]] = {
    family: frozenset(content_stems(words))
    for family, words in {
        "summary": f"{_SUMMARY_WORDS} brief briefly highlight essentials paragraph picture",
        "theme": "theme topic subject issue motif thread trend pattern debate idea concern argument lesson challenge "
        "attitude opinion view perspective position approach takeaway insight conclusion focus question",
        "many": "various different several recurring recur repeatedly common commonly typical typically general "
        "generally often usually mostly most overall whole broad broadly dominant prevailing widely frequent main "
        "major key central",
        "whole": "collection corpus archive library everything entire folder knowledge dataset",
        "vary": "differ vary compare contrast evolve change agree disagree contradict similarity difference",
    }.items()
}
_MOST_OF = re.compile(
    r"\b(?:most|many|several|all|each|none|majority|number) of (?:the|these|those|them)\b|"
    r"\b(?:every|(?:nearly|almost) all)\b",
    re.IGNORECASE,
)
_TOLD_HERE = re.compile(
    r"\b(?:described|told|mentioned|portrayed|presented|covered|collected|recorded|reported|gathered)\s+"
    r"(?:of\s+)?(?:here|in (?:the|these|this)|by (?:the|these))\b",
    re.IGNORECASE,
)
_ASKS_WHAT_ABOUT = re.compile(r"\bwhat\b.*\babout\W*$", re.IGNORECASE)
_OPENS_WITH_SUMMARY = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you|i need|give me|give|write|provide|make|produce|tell me)\s+)*"
    r"(?:(?:a|an|the|short|brief|quick|high-level|one-paragraph|executive|briefly)\s+)*"
    r"(?:summar|sum up|recap|outline|overview|gist|digest|synopsis|abstract|condense|tl;?dr|boil)",
    re.IGNORECASE,
)


def masked_words(question: Question) -> list[str]:
    """Return the question's words in lower case, NAME, QUOTE, CODE and NUM standing for what they name."""
    text = question.searched
    for quoted in question.quoted:
        text = text.replace(quoted, " QUOTE ")
    for identifier in question.identifiers:
        text = text.replace(identifier, " CODE ")
    for name in sorted(question.names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " NAME ", text)
    return [_masked(word) for word in _WORD.findall(unicodedata.normalize("NFKC", text))]


def router_features(question: Question) -> dict[str, float]:
    """Return the router's features by name: word n-grams, word beginnings, word families and facts about the form."""
    words = masked_words(question)
    features = dict.fromkeys(_grams(["^", *words, "$"]), 1.0)
    features.update({f"{word[:5]}*": 1.0 for word in words if len(word) > 5 and word not in FUNCTION_WORDS})
    features.update(_form(question, words))
    return features


def _masked(word: str) -> str:
    if word in {"NAME", "QUOTE", "CODE"}:
        return word
    return "NUM" if any(character.isdigit() for character in word) else word.casefold()


def _grams(words: list[str]) -> Iterator[str]:
    for length in range(1, _LONGEST_GRAM + 1):
        for start in range(len(words) - length + 1):
            gram = words[start : start + length]
            if gram not in (["^"], ["$"]):
                yield " ".join(gram)


def _form(question: Question, words: list[str]) -> dict[str, float]:
    families = {f"family:{name}": float(not stems.isdisjoint(question.stems)) for name, stems in _FAMILIES.items()}
    text = question.searched
    one, many = names_one_document(question), MANY_DOCUMENTS.search(text) is not None
    form = {
        f"form:kind={question.kind}": 1.0,
        "form:names": min(3, len(question.names)) / 3,
        "form:code": float(bool(question.identifiers)),
        "form:quoted": float(bool(question.quoted)),
        "form:length": min(30, len(words)) / 30,
        "form:topics": min(6, len(topic_stems(question))) / 6,
        "form:contentless": float(is_contentless(question)),
        "form:whole": float(asks_for_whole(question)),
        "form:one_document": float(one),
        "form:many_documents": float(many),
        "form:breadth": float(BREADTH.search(text) is not None),
        "form:most_of": float(_MOST_OF.search(text) is not None),
        "form:told_here": float(_TOLD_HERE.search(text) is not None),
        "form:change": float(asks_for_change(question)),
        "form:what_about": float(_ASKS_WHAT_ABOUT.search(text) is not None),
        "form:opens_with_summary": float(_OPENS_WITH_SUMMARY.search(text) is not None),
        "form:theme_of_many": float(many and families["family:theme"] > 0),
        "form:summary_of_one": float(one and families["family:summary"] > 0),
        "form:many_of_theme": float(families["family:many"] > 0 and families["family:theme"] > 0),
    }
    return {name: value for name, value in {**families, **form}.items() if value}

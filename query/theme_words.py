"""Questions about the collection as a whole: words that ask for themes, summaries, and nothing in particular."""

import re

from query.question import Question
from raptor.text_words import content_stems

_THEME_TEXT = """
theme themes topic topics subject subjects issue issues idea ideas matter matters main major key central core principal
important common recurring recur general overall broad chief dominant prominent frequent frequently often most
cover covered covers coverage discuss discussed discusses discussion deal deals dealt treat treated mention mentioned
mentions address addressed talk talks talked touch contain contains contained find found feature features featured
document documents collection corpus archive library article articles text texts report reports file files folder note
notes paper papers page pages material materials record records content contents data set dataset here everything
whole entire across together give list name describe outline overview summary summarise summarize summaries summarised
summarized sum recap gist digest picture big brief briefly short long sentence sentences paragraph bullet point points
high level kind kinds type types sort sorts area areas field fields category categories thing things read reader write
written show shows say says know learn present presented run runs emerge emerges arise arises appear appears thread
threads pattern patterns takeaway takeaways conclusion conclusions message messages use used include included come
comes coming way ways
"""
_THEME_STEMS = frozenset(content_stems(_THEME_TEXT))
_WHOLE_TEXT = (
    "collection corpus archive library documents articles texts reports files folder everything whole entire all"
)
_WHOLE_STEMS = frozenset(content_stems(_WHOLE_TEXT))

MANY_DOCUMENTS = re.compile(
    r"\b(?:articles|documents|reports|papers|essays|stories|books|guides|guidelines|manuals|contracts|policies|studies|"
    r"meetings|transcripts|interviews|chats|letters|files|texts|reviews|notes|speeches|proposals|submissions|diaries|"
    r"messages|comments|records|sources|audits|surveys|accounts|judgments|tickets|writings|posts|entries)\b",
    re.IGNORECASE,
)
BREADTH = re.compile(r"\b(?:across|throughout|among|taken together|as a whole|on the whole|in common|overall)\b", re.I)
_COLLECTION = re.compile(r"\b(?:collection|corpus|archive|library|knowledge base|here)\b", re.IGNORECASE)

DOCUMENT_WORDS = (
    r"article|document|report|paper|memo|minutes|chapter|section|essay|story|novel|book|guide|guideline|manual|handbook|"
    r"contract|lease|policy|study|meeting|transcript|interview|chat|letter|page|file|text|review|note|speech|proposal|"
    r"agreement|judgment|patent|ticket|readme|leaflet|entry|profile|biography|plot|discussion|log|brief|treaty|piece|"
    r"item|column|write-up|post"
)
_ONE_DOCUMENT = re.compile(
    rf"\b(?:the|this|that|a|an|our|your)\s+(?:[\w'-]+\s+){{0,3}}?(?:{DOCUMENT_WORDS})\b", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\b(?:chang(?:e|es|ed|ing)|evol(?:ve|ves|ved|ution)|develop(?:s|ed|ment)?|gr[eo]w(?:n|th|s)?|progress(?:ed)?|"
    r"(?:over|through|down) (?:time|the (?:years|decades|centuries|months))|oldest|newest|history of|shift(?:s|ed)?)\b",
    re.IGNORECASE,
)


def is_contentless(question: Question) -> bool:
    """Tell whether the question asks about the collection in general: no name, no code, only words such as "themes"."""
    return bool(question.stems) and not question.names and not question.identifiers and not topic_stems(question)


def topic_stems(question: Question) -> tuple[str, ...]:
    """Return the content stems that tell what the question is about; "themes", "documents" and the like left out."""
    return tuple(word_stem for word_stem in question.stems if word_stem not in _THEME_STEMS)


def asks_for_whole(question: Question) -> bool:
    """Tell whether the question speaks of the whole collection and of nothing in particular."""
    return is_contentless(question) and any(word_stem in _WHOLE_STEMS for word_stem in question.stems)


def speaks_of_collection(question: Question) -> bool:
    """Tell whether the question refers to the documents together ("these articles", "across", "the corpus")."""
    return any(pattern.search(question.searched) for pattern in (MANY_DOCUMENTS, BREADTH, _COLLECTION))


def asks_for_change(question: Question) -> bool:
    """Tell whether the question asks how something changed, so that what is told first happened first."""
    return _CHANGE.search(question.searched) is not None


def names_one_document(question: Question) -> bool:
    """Tell whether the question speaks of a single document ("the article on", "this report")."""
    return _ONE_DOCUMENT.search(question.searched) is not None

"""Questions about two named things: which two, and what each one's passage says of dates, amounts and kind."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph_store.ids import name_key
from query.passages import CandidateSentence
from raptor.text_words import content_stems

_NAME = r"(?:[Tt]he |[Aa]n? )?[\"“]?[^\W\d_a-z][^,?]*?|[Tt]he [^,?]+?|[\"“][^\"”]+[\"”]|\d[^,?]*?"
_TAIL = r"[\"”]?\s*\?*\s*$"
_EITHER = re.compile(
    rf"(?:[,:]\s*|\b(?:between|first|of|is|was|are|were|did|film|movie) )(?:between )?({_NAME}),? or ({_NAME}){_TAIL}"
)
_BETWEEN = re.compile(rf"\b[Bb]etween ({_NAME}) and ({_NAME}),")
_OR_INSIDE = re.compile(rf"^(?:Is|Was|Did|Does|Has|Were|Are) ({_NAME}) or ({_NAME}) (?=[a-z])")
_THAN = re.compile(
    rf"^(?:Is|Was|Did|Does|Do|Were|Are|Has|Have) ({_NAME}) (?:[a-z]+ ){{0,4}}?(?:before|after|than) ({_NAME}){_TAIL}"
)
_BOTH = re.compile(
    r"^(?:Are|Were|Is|Was|Do|Does|Did|Have|Has)(?: both)?(?: (?:of )?the)?(?: [a-z]+(?: [a-z]+)?,?)?"
    rf" ({_NAME}) and ({_NAME})"
    r"(?=,? (?:both |each |the same |of the same |located |from |in |a |an |[a-z]+ed |have |share |members |animated |"
    r"considered |also |[a-z]+s\b))"
)
_IN_PARENTHESES = re.compile(r"\s*\([^)]*\)")
_LEAST_SHARED = 0.6
# Patterns try many places of a text; nobody compares two things in more words than this.
_MOST_WORDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two things, by the name that the question has, with the sentences of its passage in order; without a
    passage of its own (not ``is_titled``) those that name it and not the other.
    """

    name: str
    title: str
    sentences: tuple[CandidateSentence, ...]
    is_titled: bool = True


def named_pair(text: str) -> tuple[str, str] | None:
    """Return the two names that a question sets against each other; None where there are none, or it is very long."""
    words = text.split()
    if len(words) > _MOST_WORDS:
        return None
    plain = " ".join(words)
    for pattern in (_BETWEEN, _THAN, _EITHER, _OR_INSIDE, _BOTH):
        if match := pattern.search(plain):
            return _clean(match.group(1)), _clean(match.group(2))
    return None


def _clean(name: str) -> str:
    return name.strip(' "“”,:?')


def sides_of(names: tuple[str, str], sentences: Sequence[CandidateSentence]) -> tuple[Side, Side] | None:
    """Return both things with what is said of them, from the best passage whose title names each; None where one is
    not told of, or both are one.
    """
    one, other = (
        find_side(name, sentences) or _named_side(name, rival, sentences) for name, rival in (names, names[::-1])
    )
    if one is not None and other is not None and one.title == other.title:
        one, other = (_named_side(name, rival, sentences) for name, rival in (names, names[::-1]))
    if one is None or other is None or one.title == other.title or any(map(_runs_on, (one, other))):
        return None
    return one, other


def _named_side(name: str, rival: str, sentences: Sequence[CandidateSentence]) -> Side | None:
    """Return the sentences that name one of the two and not the other, best first."""
    telling = tuple(own for own in sentences if names_thing(own, name, rival) and not names_thing(own, rival, name))
    return Side(name=name, title=name, sentences=telling, is_titled=False) if telling else None


def names_thing(sentence: CandidateSentence, name: str, rival: str) -> bool:
    """Tell whether a sentence has all words of a name; the very name where its words are no others than the rival's, as
    with "Model S" and "Model X", or one is a number, which may be part of an amount.
    """
    own, others = frozenset(content_stems(name)), frozenset(content_stems(rival))
    if own and not own <= others and not others <= own and not any(stem.isdigit() for stem in own):
        return own <= sentence.stems
    key, other = (f" {name_key(bare_name(text))} " for text in (name, rival))
    told = f" {name_key(sentence.text)} "
    return bool(key.strip()) and key in (told.replace(other, " ") if key in other else told)


def bare_name(name: str) -> str:
    """Return a name without its article."""
    return re.sub(r"^(?:the|an?) ", "", name, flags=re.IGNORECASE)


def _runs_on(side: Side) -> bool:
    """Tell whether a name took a verb along ("Zeta Tools closed"), so that each thing is asked for another event."""
    last = side.name.rpartition(" ")[2]
    return last.isalpha() and last.islower() and side.name[:1].isupper() and title_fit(side.name, side.title) < 1.0


def find_side(name: str, sentences: Sequence[CandidateSentence]) -> Side | None:
    """Return the best passage that is about ``name`` by its title."""
    titled = {sentence.passage.chunk.id: sentence.passage for sentence in sentences}
    fits = [(title_fit(name, passage.document.title), -passage.rank, passage) for passage in titled.values()]
    share, _, best = max(fits, key=lambda entry: entry[:2], default=(0.0, 0, None))
    if best is None or share < _LEAST_SHARED:
        return None
    own = [sentence for sentence in sentences if sentence.passage.document.id == best.document.id]
    own.sort(key=lambda sentence: sentence.passage.chunk.char_start + sentence.sentence.char_start)
    return Side(name=name, title=best.document.title, sentences=tuple(own))


def title_fit(name: str, title: str) -> float:
    """Return how far a title is the name, 0 to 1: all its words, and few others; parentheses do not count."""
    bare = _IN_PARENTHESES.sub("", title)
    if name_key(name) in {name_key(title), name_key(bare)}:
        return 1.0
    asked, own = frozenset(content_stems(_IN_PARENTHESES.sub("", name))), frozenset(content_stems(bare))
    if not asked or not own:
        return 0.0
    return len(asked & own) / len(asked | own)

"""The spans that may answer a question, and what speaks for each, by name of the feature."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from graph_store.ids import name_key
from query.abstention import SupportEvidence
from query.short_answers.asked import Wanted, WantedKind, wanted
from query.short_answers.claim_checks import may_ask_for_span, may_be_claimed
from query.short_answers.evidence import AskedWords, SourceSentence, asked_words, bridge_keys, source_sentences
from query.short_answers.spans import Span, SpanKind, spans_of
from query.short_answers.words import Word, stems_of, word_set
from raptor.text_words import content_stems, tokens

_FITTING: Mapping[WantedKind, frozenset[SpanKind]] = {
    "person": frozenset({"name", "quoted"}),
    "place": frozenset({"name", "phrase"}),
    "date": frozenset({"date"}),
    "number": frozenset({"number", "date"}),
    "thing": frozenset({"name", "quoted", "phrase", "number", "date"}),
}
# Words that stand before an answer, by what they say of it.
_CUES: Mapping[str, str] = {
    word: cue
    for cue, words in {
        "in": "in at near", "from": "from", "by": "by with", "on": "on since", "to": "to", "of": "of",
        "as": "as called named titled", "is": "is was are were", "article": "a an the", "and": "and or",
    }.items()
    for word in words.split()
}  # fmt: skip
_ARTICLES = frozenset({"a", "an", "the"})
_NAMING: frozenset[SpanKind] = frozenset({"name", "quoted"})
_COPULAS = frozenset({"is", "was", "are", "were"})
# Heads of names that are no person's and no place's.
_INSTITUTIONS = word_set(
    "university college school institute academy records company corporation inc ltd press party church museum"
    " orchestra band club league society committee council ministry department agency award awards prize festival"
    " championship championships cup film album song act treaty war battle airport station bank group studios network"
    " television newspaper magazine journal army navy force regiment team united"
)
_MONTHS = word_set("january february march april may june july august september october november december")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A span of a sentence of the evidence; ``features`` are its own, those of the sentence are ``source``'s.

    Two spans with the same ``key`` say the same; what fails the hard checks of
    :mod:`query.short_answers.claim_checks` is not ``claimable``.
    """

    source: SourceSentence
    span: Span
    key: tuple[str, ...]
    features: Mapping[str, float]
    claimable: bool = True

    @property
    def text(self) -> str:
        """The words of the span as they stand in the sentence."""
        return self.source.candidate.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    wanted: Wanted
    words: AskedWords
    stems: frozenset[str]
    bridges: frozenset[str]
    initials: frozenset[str]


def answer_key(text: str) -> tuple[str, ...]:
    """Return the words of an answer without articles: two answers with the same ones say the same."""
    return tuple(word for word in tokens(text) if word not in _ARTICLES)


def find_candidates(evidence: SupportEvidence) -> tuple[Candidate, ...]:
    """Return every span of the evidence of the kind that is asked for that has a word the question lacks."""
    question = evidence.question
    asked_for = wanted(question)
    asks_for_span = may_ask_for_span(question)
    words = asked_words(question, evidence.rarity.shares(question.stems), asked_for.place)
    asked = _Asked(
        wanted=asked_for,
        words=words,
        stems=frozenset(question.stems),
        bridges=bridge_keys(evidence),
        initials=frozenset(_initials(name) for name in question.names),
    )
    found = [(source, span) for source in source_sentences(evidence, words) for span in _fitting_spans(source, asked)]
    keys = [answer_key(source.candidate.text[span.start : span.end]) for source, span in found]
    spread = Counter(key for key, _ in {(key, id(source)) for key, (source, _) in zip(keys, found, strict=True)})
    return tuple(
        Candidate(
            source=source,
            span=span,
            key=key,
            features={**_features(source, span, asked), "spread": log(spread[key])},
            claimable=asks_for_span and may_be_claimed(question, asked_for, source, span),
        )
        for key, (source, span) in zip(keys, found, strict=True)
    )


def _fitting_spans(source: SourceSentence, asked: _Asked) -> Iterator[Span]:
    fitting = _FITTING[asked.wanted.kind]
    for span in spans_of(source.candidate.text):
        words = _within(source, span)
        stems = stems_of(words)
        is_new = not stems <= asked.stems or (not stems and span.kind == "number")
        if span.kind in fitting and is_new and _has_asked_form(words, span, asked):
            yield span


def _has_asked_form(words: Sequence[Word], span: Span, asked: _Asked) -> bool:
    """Tell whether a date is as fine as asked, "which year" wants a year alone, and a name is no short form of one that
    the question has.
    """
    if span.kind == "date":
        return len(words) == 1 or not asked.wanted.is_year
    return not (len(words) == 1 and words[0].text.isupper() and words[0].text in asked.initials)


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper())


def _within(source: SourceSentence, span: Span) -> Sequence[Word]:
    return source.words[span.first : span.last + 1]


def _features(source: SourceSentence, span: Span, asked: _Asked) -> dict[str, float]:
    """Return the features that are not 0."""
    found = {
        f"{asked.wanted.kind}: {span.kind}": 1.0,
        **_form_features(source, span, asked),
        **_cut_features(source, span),
        **_cue_features(source, span, asked),
        **_nearness_features(source, span, asked.words),
        **_noun_features(source, span, asked.wanted),
        **_pattern_features(source, span, asked),
    }
    return {name: value for name, value in found.items() if value}


def _form_features(source: SourceSentence, span: Span, asked: _Asked) -> dict[str, float]:
    words = _within(source, span)
    stems = stems_of(words)
    title = _title_stems(source.candidate.passage.document.title)
    count = max(1, len(stems))
    return {
        "length": min(6, len(words)) / 6.0,
        "one_word": float(len(words) == 1),
        "two_or_three_words_of_a_person": float(asked.wanted.kind == "person" and 2 <= len(words) <= 3),
        "year_alone": float(span.kind == "date" and len(words) == 1),
        "asked_share": len(stems & asked.stems) / count,
        "title_share": len(stems & title) / count,
        "is_title": float(bool(stems) and title == stems),
        "is_bridge": float(_is_bridge(source, span, asked)),
        "capital": float(words[0].is_capital),
        "opens_sentence": float(span.first == 0),
        "has_comma": float(any("," in word.gap for word in words[1:])),
    }


def _is_bridge(source: SourceSentence, span: Span, asked: _Asked) -> bool:
    """Tell whether the span names what another told passage is about: then it leads on, it does not answer."""
    if not asked.bridges or span.kind not in _NAMING:
        return False
    key = name_key(source.candidate.text[span.start : span.end])
    return key in asked.bridges and key != name_key(source.candidate.passage.document.title)


@lru_cache(maxsize=1_024)
def _title_stems(title: str) -> frozenset[str]:
    return frozenset(content_stems(title))


def _cut_features(source: SourceSentence, span: Span) -> dict[str, float]:
    """Tell whether the words before and after go on with the same phrase or name."""
    before, after = _neighbours(source, span)
    first, last = source.words[span.first], source.words[span.last]
    goes_on_before = before is not None and not before.is_function_word and first.gap in {" ", "-"}
    goes_on_after = after is not None and not after.is_function_word and after.gap in {" ", "-"}
    capital_after = goes_on_after and after is not None and after.is_capital
    return {
        "cut_before": float(goes_on_before),
        "name_cut_before": float(goes_on_before and before is not None and before.is_capital and first.is_capital),
        "cut_after": float(goes_on_after),
        "name_cut_after": float(capital_after and last.is_capital),
        "name_modifies": float(span.kind == "name" and goes_on_after and not capital_after),
    }


def _neighbours(source: SourceSentence, span: Span) -> tuple[Word | None, Word | None]:
    before = source.words[span.first - 1] if span.first > 0 else None
    after = source.words[span.last + 1] if span.last + 1 < len(source.words) else None
    return before, after


def _cue_features(source: SourceSentence, span: Span, asked: _Asked) -> dict[str, float]:
    """Name the kind of word before the span (before its article, if it has one), alone and with what is asked for."""
    place = span.first - 1
    if place > 0 and source.words[place].text.casefold() in _ARTICLES:
        place -= 1
    cue = _CUES.get(source.words[place].text.casefold()) if place >= 0 else None
    return {f"after {cue}": 1.0, f"{asked.wanted.kind} after {cue}": 1.0} if cue else {}


def _nearness_features(source: SourceSentence, span: Span, asked: AskedWords) -> dict[str, float]:
    """Tell how near the question's words stand to the span, before and after it."""
    near = {"near_before": 0.0, "near_after": 0.0, "near_outer": 0.0}
    nearest = 10
    for at, stem in source.asked:
        distance = span.first - at if at < span.first else at - span.last
        if distance > 0:
            near["near_before" if at < span.first else "near_after"] += asked.shares[stem] / distance
            near["near_outer"] += asked.outer.get(stem, 0.0) / distance
            nearest = min(nearest, distance)
    return {**near, "nearest": nearest / 10.0, "position": span.first / len(source.words)}


def _noun_features(source: SourceSentence, span: Span, asked_for: Wanted) -> dict[str, float]:
    """Tell where the noun that is asked with stands: in the span, just before it, just after it, in the sentence."""
    words, noun = source.words, asked_for.noun
    if not noun & source.candidate.stems:
        return {}
    found = {
        "noun_within": float(bool(stems_of(_within(source, span)) & noun)),
        "noun_before": float(bool(stems_of(words[max(0, span.first - 3) : span.first]) & noun)),
        "noun_after": float(bool(stems_of(words[span.last + 1 : span.last + 4]) & noun)),
        "noun_in_sentence": 1.0,
    }
    if asked_for.kind == "number":
        found |= {f"number {name}": value for name, value in found.items()}
    return found


def _pattern_features(source: SourceSentence, span: Span, asked: _Asked) -> dict[str, float]:
    """Tell of the ways in which sentences say who or what something is: "X, the director of", "Y is X", "(X)"."""
    words, kind = source.words, asked.wanted.kind
    before, after = _neighbours(source, span)
    is_apposed = after is not None and after.gap.startswith(",")
    institution = words[span.last].text.casefold() in _INSTITUTIONS
    is_cut = before is not None and (
        before.text.casefold() in _MONTHS or (before.is_number and words[span.first].gap == ", ")
    )
    return {
        "apposed_noun": float(is_apposed and bool(stems_of(words[span.last + 1 : span.last + 7]) & asked.wanted.noun)),
        "said_of_asked": _said_of_asked(source, span, asked),
        "in_parentheses": float(words[span.first].gap.endswith("(")),
        "part_of_date": float(span.kind == "date" and is_cut),
        f"{kind}: institution": float(span.kind == "name" and institution),
        "comma_before": float(words[span.first].gap.startswith(",")),
        "comma_after": float(is_apposed),
    }


def _said_of_asked(source: SourceSentence, span: Span, asked: _Asked) -> float:
    """Return how much of the question stands before the copula that leads up to the span, 0 without one."""
    start = span.first - 1
    if start >= 0 and source.words[start].text.casefold() in _ARTICLES:
        start -= 1
    if start < 0 or source.words[start].text.casefold() not in _COPULAS:
        return 0.0
    return sum(asked.words.shares[stem] for stem in {stem for at, stem in source.asked if at < start})

"""Which sentences answer a question: greedy choice by nearness, coverage of the question's words, and bridges."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.ids import name_key
from graph_store.records import Document
from query.answer_types import asked_kind, has_expected_type
from query.passages import CandidateSentence
from query.question import Question
from query.rarity import WordRarity
from query.settings import AnswerSettings
from query.years_asked import years_of
from raptor.text_words import content_stems

# Weights of the parts of a sentence's score, chosen on training questions: all parts lie in 0 to 1.
_COSINE = 1.0
_COVERAGE = 0.6
_RANK = 0.3
_TYPE = 0.2
_GAIN = 1.0
_BRIDGE = 0.3
_ECHO = 1.0
# Rarity from which a shared name joins two sentences; commoner ones ("American") join everything.
_RARE = 0.4
# A sentence of another document that no name joins to the chosen ones must cover this many times more.
_UNJOINED = 2.5
# A document is the next hop where chosen sentences have this share of its title's words, by rarity.
_HOP_TITLE = 0.5
# In the next hop, question words that were covered before count again, at this rate: the hop has to do with them too.
_HOP_COVERAGE = 0.5
# And so does something of the kind that is asked for.
_HOP_TYPE = 0.06

_CAPITALISED_WORD = re.compile(r"\b[^\W\d_a-z][\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSentence:
    """A sentence with its score and the share of the question's words (by rarity) that it and its title hold."""

    candidate: CandidateSentence
    score: float
    coverage: float


def score_sentences(
    candidates: Sequence[CandidateSentence], question: Question, shares: Mapping[str, float]
) -> tuple[ScoredSentence, ...]:
    """Score every candidate as an answer on its own, best first; ties by rank of the passage and position.

    ``shares`` maps each content stem of the question to its share of the rarity (:meth:`WordRarity.shares`).
    """
    scored = [_scored(candidate, question, shares) for candidate in candidates]
    return tuple(sorted(scored, key=_best_first))


def choose_sentences(
    scored: Sequence[ScoredSentence], question: Question, rarity: WordRarity, settings: AnswerSettings
) -> tuple[CandidateSentence, ...]:
    """Choose the best sentence and those that cover what it leaves open, in the order of the join.

    A further sentence must cover ``least_gain`` more of the question by its own words or its title's, and more
    where no name bridges it to a chosen sentence. A bridge is a name that the question does not have: "Windhoek", where
    the question asks for hotels in the birthplace of someone whom a chosen sentence lets be born in Windhoek. Where the
    bridge is the title of the sentence's document, words that were covered before count too, and so does something of
    the kind that is asked for.
    """
    if not scored:
        return ()
    choice = _Choice(question, rarity)
    choice.add(scored[0].candidate)
    while len(choice.sentences) < settings.most_sentences:
        best = _next_sentence(scored, choice, settings.least_gain)
        if best is None:
            break
        choice.add(best)
    return _in_hop_order(choice.sentences)


def _only_echoes(candidate: CandidateSentence, question: Question) -> bool:
    """Tell whether a sentence has no word but the question's: it may repeat the question, it cannot answer it.

    It can where the answer is yes or no.
    """
    return question.kind != "yes_no" and candidate.stems.issubset(question.stems)


def coverage(stems: frozenset[str], shares: Mapping[str, float]) -> float:
    """Return the share of the question's rarity that ``stems`` hold, 0 to 1."""
    return sum(share for word_stem, share in shares.items() if word_stem in stems)


def _best_first(scored: ScoredSentence) -> tuple[float, int, int]:
    candidate = scored.candidate
    return (-scored.score, candidate.passage.rank, candidate.sentence.position)


def _scored(candidate: CandidateSentence, question: Question, shares: Mapping[str, float]) -> ScoredSentence:
    held = coverage(_known_stems(candidate, question), shares)
    score = (
        _COSINE * candidate.cosine
        + _COVERAGE * held
        + _RANK / candidate.passage.rank
        + _TYPE * has_expected_type(candidate.text, question)
        - _ECHO * _only_echoes(candidate, question)
    )
    return ScoredSentence(candidate=candidate, score=score, coverage=held)


def _known_stems(candidate: CandidateSentence, question: Question) -> frozenset[str]:
    """Return what a sentence is known to speak of; not the year of its title where its own words name others alone."""
    asked = years_of(question.searched)
    own = years_of(candidate.text) if asked else frozenset()
    return candidate.known_stems - asked if own and own.isdisjoint(asked) else candidate.known_stems


class _Choice:
    """The sentences chosen so far, the stems of the question that they cover, and the names that they bring in."""

    def __init__(self, question: Question, rarity: WordRarity) -> None:
        self.sentences: list[CandidateSentence] = []
        self.documents: set[str] = set()
        self._texts: set[str] = set()
        self._titles: set[str] = set()
        self._question = question
        self._asked = frozenset(question.stems)
        self._shares = rarity.shares(question.stems)
        self._open = dict(self._shares)
        self._rarity = rarity
        self._bridges: dict[str, float] = {}

    def add(self, candidate: CandidateSentence) -> None:
        self.sentences.append(candidate)
        self.documents.add(candidate.passage.document.id)
        self._titles.add(candidate.passage.document.title)
        self._texts.add(candidate.text)
        for word_stem in _known_stems(candidate, self._question):
            self._open.pop(word_stem, None)
        for name_stem in _name_stems(candidate) - self._asked:
            self._bridges[name_stem] = self._rarity.weight(name_stem)

    def gain(self, candidate: CandidateSentence) -> float:
        """Return the share of the question that the candidate adds; none where its very words were chosen before."""
        if candidate.text in self._texts:
            return 0.0
        gain = coverage(_known_stems(candidate, self._question), self._open)
        return gain + self._hop_gain(candidate) if self.leads_to(candidate.passage.document) else gain

    def bridge(self, candidate: CandidateSentence) -> float:
        """Return the rarity of the rarest name that joins the candidate to a chosen sentence of another document."""
        if candidate.passage.document.id in self.documents:
            return 0.0
        shared = candidate.known_stems & self._bridges.keys()
        return max((self._bridges[name_stem] for name_stem in shared), default=0.0)

    def leads_to(self, document: Document) -> bool:
        """Tell whether the chosen sentences name another document by its title, in words that the question lacks."""
        if document.id in self.documents or document.title in self._titles:
            return False
        weights = {word: self._rarity.weight(word) for word in frozenset(content_stems(document.title)) - self._asked}
        named = [weight for word, weight in weights.items() if word in self._bridges]
        return max(named, default=0.0) >= _RARE and sum(named) >= _HOP_TITLE * sum(weights.values())

    def _hop_gain(self, candidate: CandidateSentence) -> float:
        has_type = asked_kind(self._question) is not None and has_expected_type(candidate.text, self._question)
        return _HOP_COVERAGE * coverage(candidate.stems, self._shares) + _HOP_TYPE * has_type


def _next_sentence(scored: Sequence[ScoredSentence], choice: _Choice, least_gain: float) -> CandidateSentence | None:
    best: tuple[float, CandidateSentence] | None = None
    for entry in scored:
        gain = choice.gain(entry.candidate)
        if gain < least_gain:
            continue
        bridge = choice.bridge(entry.candidate)
        joined = bridge >= _RARE or entry.candidate.passage.document.id in choice.documents
        if not joined and gain < _UNJOINED * least_gain:
            continue
        value = _GAIN * gain + entry.score + _BRIDGE * bridge
        if best is None or value > best[0]:
            best = (value, entry.candidate)
    return best[1] if best is not None else None


def documents_ahead(
    chosen: Sequence[CandidateSentence], documents: Sequence[Document], question: Question, rarity: WordRarity
) -> tuple[Document, ...]:
    """Return those of ``documents``, in their order, that the chosen sentences of other documents name by title."""

    def is_ahead(document: Document) -> bool:
        choice = _Choice(question, rarity)
        for candidate in chosen:
            if candidate.passage.document.id != document.id:
                choice.add(candidate)
        return choice.leads_to(document)

    return tuple(document for document in documents if is_ahead(document))


def _name_stems(candidate: CandidateSentence) -> frozenset[str]:
    names = " ".join([candidate.passage.document.title, *_CAPITALISED_WORD.findall(candidate.text)])
    return frozenset(content_stems(names))


def _names_document(one: CandidateSentence, other: CandidateSentence) -> bool:
    title = name_key(other.passage.document.title)
    if len(title) < 4 or one.passage.document.id == other.passage.document.id:
        return False
    return f" {title} " in f" {name_key(one.text)} "


def _in_hop_order(chosen: Sequence[CandidateSentence]) -> tuple[CandidateSentence, ...]:
    """Put a sentence that names another's document before it; sentences of one document in reading order."""
    ordered: list[CandidateSentence] = []
    for candidate in chosen:
        place = len(ordered)
        for index, other in enumerate(ordered):
            if _comes_before(candidate, other):
                place = index
                break
        ordered.insert(place, candidate)
    return tuple(ordered)


def _comes_before(one: CandidateSentence, other: CandidateSentence) -> bool:
    if one.passage.document.id == other.passage.document.id:
        return _place(one) < _place(other)
    return _names_document(one, other) and not _names_document(other, one)


def _place(candidate: CandidateSentence) -> int:
    return candidate.passage.chunk.char_start + candidate.sentence.char_start

"""Points on a theme: what the documents, one after the other, say of it, each point one cited sentence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.records import Community
from graph_store.store import GraphStore
from query.citations import DraftBlock, DraftSentence, Quote, shown
from query.global_finding import DerivedHits
from query.passages import CandidateSentence, read_passages, read_sentences
from query.rarity import WordRarity
from query.request import Request
from query.settings import CommunitySettings
from query.theme_words import asks_for_change, topic_stems
from raptor.sentence_quality import sentence_quality
from raptor.text_words import content_stems

# Added to the cosine of a sentence: its passage's cosine, the share of the subject's words, how well it stands alone.
_PASSAGE_WEIGHT = 0.5
_WORDS_WEIGHT = 0.15
_ALONE_WEIGHT = 0.3
_DATED_BONUS = 0.05
# Two sentences with more of their words in common than this say the same.
_SAME_WORDS = 0.6
_MOST_OF_ONE = 2
_FEWEST_WORDS = 7
_RARE_NAME = 0.55
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
# A theme of much of the collection tells little as a heading.
_WIDEST_HEADING = 0.2
_SMALL_THEME = 20
_LEAST_OF_NEAREST = 0.4
_FURTHER = "Further points"


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """The passages searched for points, and the points: best first, or by year for a question about change."""

    hits: DerivedHits
    passages: tuple[str, ...]
    points: tuple[CandidateSentence, ...]


def find_points(
    store: GraphStore, request: Request, hits: DerivedHits, rarity: WordRarity, settings: CommunitySettings
) -> Points:
    """Choose the sentences nearest to a question from the passages that were found, one of each document, and a second
    where documents are few.
    """
    chunks = {chunk.id: chunk for chunk in store.chunks(request.access, [hit.id for hit in hits.fused])}
    passages = read_passages(store, request.access, [chunks[hit.id] for hit in hits.fused if hit.id in chunks])
    candidates = read_sentences(store, request.access, passages, request.vector)
    telling = [candidate for candidate in candidates if _tells(candidate)]
    dated = asks_for_change(request.question)
    weighed = _Weigher(hits.dense, rarity.shares(topic_stems(request.question)), dated=dated)
    telling = _of_rare_names(telling, request, rarity)
    ranked = sorted(telling, key=lambda candidate: (-weighed.score(candidate), candidate.passage.rank))
    points = _of_many_documents(ranked, settings.points, least=settings.point_share_of_best)
    return Points(
        hits=hits,
        passages=tuple(passage.chunk.text for passage in passages[: request.k]),
        points=tuple(sorted(points, key=_year) if dated else points),
    )


def _of_rare_names(
    candidates: list[CandidateSentence], request: Request, rarity: WordRarity
) -> list[CandidateSentence]:
    """Return the sentences that hold, or whose title or heading holds, a name of the question, all where none does.

    A name that much of the collection bears tells no sentence from another, and is not asked for.
    """
    stems = set(content_stems(" ".join(request.question.names)))
    rare = {word_stem for word_stem in stems if rarity.weight(word_stem) >= _RARE_NAME}
    return [candidate for candidate in candidates if not rare.isdisjoint(candidate.known_stems)] or candidates


def _tells(candidate: CandidateSentence) -> bool:
    # Vectors of a few words lie near to almost anything.
    return sentence_quality(candidate.text) > 0.0 and len(candidate.text.split()) >= _FEWEST_WORDS


@dataclass(frozen=True, slots=True)
class _Weigher:
    dense: Mapping[str, float]
    shares: Mapping[str, float]
    dated: bool

    def score(self, candidate: CandidateSentence) -> float:
        words = sum(share for word_stem, share in self.shares.items() if word_stem in candidate.known_stems)
        score = candidate.cosine + _PASSAGE_WEIGHT * self.dense.get(candidate.passage.chunk.id, 0.0)
        score += _WORDS_WEIGHT * words + _ALONE_WEIGHT * sentence_quality(candidate.text)
        return score + (_DATED_BONUS if self.dated and _YEAR.search(candidate.text) else 0.0)


def _of_many_documents(ranked: Sequence[CandidateSentence], count: int, *, least: float) -> list[CandidateSentence]:
    """Return the first ``count`` sentences that say different things: a document's second only after all first ones."""
    nearest = max((candidate.cosine for candidate in ranked), default=0.0)
    near = [candidate for candidate in ranked if candidate.cosine >= least * nearest]
    chosen: list[CandidateSentence] = []
    for most in range(1, _MOST_OF_ONE + 1):
        for candidate in near:
            if len(chosen) == count:
                return chosen
            own = sum(other.passage.document.id == candidate.passage.document.id for other in chosen)
            if own < most and not any(_say_the_same(candidate, other) for other in chosen):
                chosen.append(candidate)
    return chosen


def _say_the_same(one: CandidateSentence, other: CandidateSentence) -> bool:
    return len(one.stems & other.stems) > _SAME_WORDS * max(1, len(one.stems | other.stems))


def _year(candidate: CandidateSentence) -> int:
    """Return the first year told; a sentence without one stays behind those with one."""
    found = _YEAR.search(candidate.text)
    return int(found.group()) if found else 9_999


def point_blocks(
    points: Sequence[CandidateSentence], communities: Sequence[Community], nearness: Mapping[str, float], *, chunks: int
) -> tuple[DraftBlock, ...]:
    """Group points under the titles of communities that their passages belong to, in order of the first point.

    ``nearness`` is the cosine of a community's report with the question, ``chunks`` the size of the collection. The
    community that is near and has many points without a heading is taken first; those that the question does not touch
    give no headings, and what they hold comes last.
    """
    headings = _headings({point.passage.chunk.id for point in points}, communities, nearness, chunks=chunks)
    blocks: dict[str, list[DraftSentence]] = {}
    for point in points:
        blocks.setdefault(headings.get(point.passage.chunk.id, ""), []).append(_drafted(point))
    further = blocks.pop("", [])
    told = [DraftBlock(title=title, sentences=tuple(own), as_points=True) for title, own in blocks.items()]
    last = DraftBlock(title=_FURTHER if told else "", sentences=tuple(further), as_points=True)
    return (*told, last) if further else tuple(told)


def _headings(
    open_: set[str], communities: Sequence[Community], nearness: Mapping[str, float], *, chunks: int
) -> dict[str, str]:
    """Return chunk id -> title of its theme."""
    widest = max(_SMALL_THEME, _WIDEST_HEADING * chunks)
    least = _LEAST_OF_NEAREST * max(nearness.values(), default=0.0)
    near = [
        item
        for item in communities
        if item.title and len(item.chunk_ids) <= widest and nearness.get(item.id, 0.0) > max(least, 0.0)
    ]
    headings: dict[str, str] = {}
    while near and open_:
        held = {item.id: len(open_.intersection(item.chunk_ids)) for item in near}
        best = min(near, key=lambda item: (-held[item.id] * nearness[item.id], item.id))
        covered = open_.intersection(best.chunk_ids)
        if not covered:
            break
        headings.update(dict.fromkeys(covered, best.title))
        open_ = open_ - covered
    return headings


def _drafted(point: CandidateSentence) -> DraftSentence:
    quote = Quote(
        chunk_id=point.passage.chunk.id,
        char_start=point.sentence.char_start,
        char_end=point.sentence.char_end,
        text=point.text,
    )
    # "It was the first craft to do so": whose text this is tells what is meant.
    return DraftSentence(text=f"{point.passage.document.title}: {shown(point.text)}", quotes=(quote,))

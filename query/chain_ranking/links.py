"""Links from anchors to passages: a shared uncommon name, or one passage naming what the other is about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from query.chain_ranking.arrays import Indices, Vector
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.names import KnownNames, spread, stands_in

_COSINE_COUNTS = 3.0
_RARITY_COUNTS = 0.2
_NO_SENTENCE = -1


class Bridge(NamedTuple):
    """What leads from an anchor to a passage: the name, the sentence of the anchor that has it (-1: none)."""

    key: str
    sentence: int
    rarity: float
    is_subject: bool
    in_title: bool
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Links as columns (L,): indices of both ends in the pool, and the best bridge of each.

    ``anchors`` are all that were looked at, strongest first, ``place`` (L,) tells which of them a link starts from.

    ``bridges`` are name keys; ``sentence`` is a row of the evidence's sentences, -1 where the name stands in the
    anchor's title only. ``anchor_names`` tells that the anchor names what the target is about, ``target_names`` the
    reverse.
    """

    anchors: tuple[int, ...]
    anchor: Indices
    target: Indices
    place: Indices
    bridges: tuple[str, ...]
    sentence: Indices
    rarity: Vector
    is_subject: Vector
    in_title: Vector
    shared: Vector
    anchor_names: Vector
    target_names: Vector


class LinkFinder:
    """Finds the links of anchors within one pool; names found once are kept for the next round."""

    def __init__(self, evidence: Evidence, names: KnownNames, *, most_holders: int, most_homes: int) -> None:
        self._evidence = evidence
        self._names = names
        self._most_holders = most_holders
        self._most_homes = most_homes
        self._sentences: dict[tuple[int, str], int] = {}
        self._texts = [f"{title}\n{chunk.text}" for title, chunk in zip(evidence.titles, evidence.chunks, strict=True)]
        self._subjects = [
            frozenset(key for key in about if names.home_count(key) <= most_homes) for about in evidence.about
        ]
        self._linking = [frozenset(key for key in own if self._may_link(key)) for own in evidence.names]
        self._cache: dict[int, list[tuple[int, list[Bridge], bool, bool]]] = {}

    def links(self, anchors: Sequence[int]) -> Links:
        """Return the links of ``anchors`` (indices in the pool), in their order."""
        rows = [
            (
                anchor,
                target,
                place,
                max(bridges, key=lambda bridge: (bridge.score, bridge.key)),
                len(bridges),
                out,
                back,
            )
            for place, anchor in enumerate(anchors)
            for target, bridges, out, back in self._of(anchor)
        ]
        return Links(
            anchors=tuple(anchors),
            anchor=np.array([row[0] for row in rows], dtype=np.int64),
            target=np.array([row[1] for row in rows], dtype=np.int64),
            place=np.array([row[2] for row in rows], dtype=np.int64),
            bridges=tuple(row[3].key for row in rows),
            sentence=np.array([row[3].sentence for row in rows], dtype=np.int64),
            rarity=np.array([row[3].rarity for row in rows], dtype=np.float64),
            is_subject=np.array([row[3].is_subject for row in rows], dtype=np.float64),
            in_title=np.array([row[3].in_title for row in rows], dtype=np.float64),
            shared=np.array([row[4] for row in rows], dtype=np.float64),
            anchor_names=np.array([row[5] for row in rows], dtype=np.float64),
            target_names=np.array([row[6] for row in rows], dtype=np.float64),
        )

    def _of(self, anchor: int) -> list[tuple[int, list[Bridge], bool, bool]]:
        if anchor not in self._cache:
            self._cache[anchor] = list(self._found(anchor))
        return self._cache[anchor]

    def _found(self, anchor: int) -> Iterator[tuple[int, list[Bridge], bool, bool]]:
        for target in range(self._evidence.size):
            if target == anchor:
                continue
            named = {key for key in self._subjects[target] if stands_in(key, self._texts[anchor])}
            naming = {key for key in self._subjects[anchor] if stands_in(key, self._texts[target])}
            keys = (self._linking[anchor] & self._linking[target]) | named | naming
            if keys:
                yield target, [self._bridge(anchor, target, key) for key in sorted(keys)], bool(named), bool(naming)

    def _may_link(self, key: str) -> bool:
        return 2 <= spread(self._names, key) <= self._most_holders and not stands_in(key, self._evidence.asked)

    def _bridge(self, anchor: int, target: int, key: str) -> Bridge:
        sentence = self._sentence(anchor, key)
        rarity = log((self._names.count + 1) / spread(self._names, key))
        in_title = stands_in(key, self._evidence.titles[target])
        cosine = self._evidence.sentence_cosine[sentence] if sentence != _NO_SENTENCE else 0.0
        return Bridge(
            key=key,
            sentence=sentence,
            rarity=rarity,
            is_subject=key in self._subjects[target],
            in_title=in_title,
            score=_COSINE_COUNTS * cosine + _RARITY_COUNTS * rarity + in_title,
        )

    def _sentence(self, passage: int, key: str) -> int:
        if (passage, key) not in self._sentences:
            self._sentences[passage, key] = self._search(passage, key)
        return self._sentences[passage, key]

    def _search(self, passage: int, key: str) -> int:
        evidence = self._evidence
        text = evidence.chunks[passage].text
        for row in range(evidence.first_sentence[passage], evidence.first_sentence[passage + 1]):
            span = evidence.sentences[row]
            if stands_in(key, text[span.char_start : span.char_end]):
                return row
        return _NO_SENTENCE

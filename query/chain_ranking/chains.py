"""The chain behind a ranked passage: which passage led to it, by which name, and what that explains of the question."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from query.chain_ranking.arrays import Vector
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.links import Links

_LONGEST = 4
_EXPLAINED = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStep:
    """One passage of a chain. ``bridge`` is the name that led to it ("" for the first), ``sentence`` the span of the
    sentence of the passage before that has it; ``explains`` are words of the question, as they stand there, that it
    covers and none before it does.
    """

    chunk_id: str
    document_id: str
    title: str
    bridge: str
    sentence: tuple[int, int] | None
    explains: tuple[str, ...]


def chain_of(evidence: Evidence, links: Links, link_scores: Vector, scores: Vector, index: int) -> tuple[int, ...]:
    """Return rows of ``links`` that lead to the passage ``index``, first link first; empty where none is likely.

    From the passage backwards, each time over the best link from a passage that is itself ranked no lower than the
    pool's middle of the likely ones, without a circle, at most three links.
    """
    followed: list[int] = []
    seen = {index}
    at = index
    while len(followed) < _LONGEST - 1 and not evidence.asked_home[at]:
        rows = np.flatnonzero(links.target == at)
        rows = rows[[int(anchor) not in seen for anchor in links.anchor[rows]]] if len(rows) else rows
        if not len(rows):
            break
        best = int(rows[np.argmax(link_scores[rows])])
        if scores[links.anchor[best]] < min(0.0, scores[at]) and not evidence.asked_home[links.anchor[best]]:
            break
        followed.append(best)
        at = int(links.anchor[best])
        seen.add(at)
    return tuple(reversed(followed))


def chain_steps(evidence: Evidence, links: Links, rows: tuple[int, ...], index: int) -> tuple[ChainStep, ...]:
    """Return the chain as steps, from its first passage to ``index``."""
    places = [int(links.anchor[row]) for row in rows] + [index]
    steps: list[ChainStep] = []
    covered = np.zeros(evidence.coverage.shape[1])
    for number, place in enumerate(places):
        own = np.maximum(evidence.coverage[place], evidence.lexical[place] * 2.0)
        new = (own >= _EXPLAINED) & (covered < _EXPLAINED)
        steps.append(
            ChainStep(
                chunk_id=evidence.chunks[place].id,
                document_id=evidence.chunks[place].document_id,
                title=evidence.titles[place],
                bridge=links.bridges[rows[number - 1]] if number else "",
                sentence=_span(evidence, int(links.sentence[rows[number - 1]])) if number else None,
                explains=_asked_words(evidence, new),
            )
        )
        covered = np.maximum(covered, own)
    return tuple(steps)


def _asked_words(evidence: Evidence, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    spans = [span for span, is_chosen in zip(evidence.words.spans, chosen.tolist(), strict=True) if is_chosen]
    return tuple(dict.fromkeys(evidence.asked[first:end] for first, end in spans))


def _span(evidence: Evidence, row: int) -> tuple[int, int] | None:
    if row < 0:
        return None
    return evidence.sentences[row].char_start, evidence.sentences[row].char_end

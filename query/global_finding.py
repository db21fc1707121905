"""What a global route (communities, trees) hands to the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.records import Hit, SearchKind, SourcedSentence
from graph_store.store import GraphStore
from query.citations import DraftBlock
from query.fusion import ranks, reciprocal_rank_fusion
from query.outcome import RankedResult
from query.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalFinding:
    """Ranked derived texts, and the digest drafted from them; no blocks where nothing near enough was found."""

    results: tuple[RankedResult, ...]
    blocks: tuple[DraftBlock, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedHits:
    """Hits on derived texts of one kind: fused best first, with what each list says of them."""

    fused: tuple[Hit, ...]
    bm25: Mapping[str, float]
    dense: Mapping[str, float]

    @property
    def nearest(self) -> float:
        """The largest cosine with the question; -1 where nothing was found."""
        return max(self.dense.values(), default=-1.0)

    def signals(self, item: str) -> dict[str, float]:
        """Return what spoke for an item."""
        told = {"bm25": self.bm25.get(item), "dense": self.dense.get(item)}
        return {name: score for name, score in told.items() if score is not None}


def search_derived(store: GraphStore, request: Request, *, kind: SearchKind, candidates: int) -> DerivedHits:
    """Search derived texts by keywords and vector; fused by rank."""
    k = max(candidates, request.k)
    bm25 = store.search_keywords(request.access, request.question.searched, kind=kind, k=k, filters=request.filters)
    dense = store.search_vectors(request.access, request.vector, kind=kind, k=k, filters=request.filters)
    return DerivedHits(
        fused=reciprocal_rank_fusion([list(ranks(bm25)), list(ranks(dense))]),
        bm25={hit.id: hit.score for hit in bm25},
        dense={hit.id: hit.score for hit in dense},
    )


def joined_text(sentences: Sequence[SourcedSentence]) -> str:
    """Return the sentences of a derived text as one text."""
    return " ".join(sentence.text for sentence in sentences)

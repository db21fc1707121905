"""What a global route (communities, trees) hands to the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.records import Hit, SearchKind, SourcedSentence, TreeNode
from graph_store.searches import KeywordSearch, Search, VectorSearch
from graph_store.store import GraphStore
from query.citations import DraftBlock
from query.fusion import z_sum
from query.outcome import RankedResult
from query.question import Question
from query.rarity import WordRarity
from query.request import Request
from query.settings import TopicSettings
from query.theme_words import speaks_of_collection, topic_stems
from raptor.text_words import content_stems


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

    def score(self, item: str) -> float:
        """Return the fused score of an item, 0 where it was not found."""
        return next((hit.score for hit in self.fused if hit.id == item), 0.0)

    def signals(self, item: str) -> dict[str, float]:
        """Return what spoke for an item."""
        told = {"bm25": self.bm25.get(item), "dense": self.dense.get(item)}
        return {name: score for name, score in told.items() if score is not None}


def search_kinds(store: GraphStore, request: Request, candidates: Mapping[SearchKind, int]) -> tuple[DerivedHits, ...]:
    """Search kinds by keywords and vector, all at once, each for so many candidates; fused by standardised scores."""
    searches: list[Search] = []
    for kind, count in candidates.items():
        k = max(count, request.k)
        searches.append(KeywordSearch(text=request.question.searched, kind=kind, k=k, filters=request.filters))
        searches.append(VectorSearch(vector=request.vector, kind=kind, k=k, filters=request.filters))
    scores = [{hit.id: hit.score for hit in hits} for hits in store.search_many(request.access, searches)]
    return tuple(
        DerivedHits(fused=z_sum([by_words, by_vector]), bm25=by_words, dense=by_vector)
        for by_words, by_vector in zip(scores[::2], scores[1::2], strict=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTexts:
    """The texts found for a question, and the largest cosine of one with it."""

    texts: Sequence[str]
    nearest: float


def is_on_topic(question: Question, found: FoundTexts, rarity: WordRarity, settings: TopicSettings) -> bool:
    """Tell whether texts are about the subject of a question: near enough by cosine, or near and in its words.

    A question without a subject is about everything. One that speaks of the documents together ("what do these articles
    say of luck?") is put in words of its own: one of them in a text is enough, or none where a text is nearer; but a
    name must stand in one.
    """
    shares = rarity.shares(topic_stems(question))
    if not shares or found.nearest >= settings.clear_cosine:
        return True
    held = set(content_stems(" ".join(found.texts)))
    names = set(content_stems(" ".join(question.names)))
    if names and names.isdisjoint(held):
        return False
    covered = sum(share for word_stem, share in shares.items() if word_stem in held)
    if speaks_of_collection(question):
        enough = settings.collection_cosine if covered > 0.0 else settings.wordless_cosine
        if found.nearest >= enough:
            return True
    return found.nearest >= settings.least_cosine and covered >= settings.least_words


def joined_text(sentences: Sequence[SourcedSentence]) -> str:
    """Return the sentences of a derived text as one text."""
    return " ".join(sentence.text for sentence in sentences)


def node_result(rank: int, node: TreeNode, hits: DerivedHits | None) -> RankedResult:
    """Return a tree node as a result; ``hits`` is None where it was not found by searching."""
    signals = hits.signals(node.id) if hits is not None else {}
    return RankedResult(
        rank=rank,
        kind="tree_node",
        id=node.id,
        document_id=node.document_id or "",
        title=node.title,
        score=hits.score(node.id) if hits is not None else 0.0,
        signals={**signals, "level": node.level, "chunks": len(node.chunk_ids)},
        text=joined_text(node.summary),
        made_by=node.made_by,
    )

"""Summary of a subject: all levels of the tree searched together, leaves included, told document by document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.records import SourcedSentence, TreeNode
from graph_store.store import GraphStore
from query.digest import DerivedText, DigestShape, SourceReader, digest
from query.document_summary import sourced
from query.fusion import z_sum
from query.global_finding import DerivedHits, FoundTexts, GlobalFinding, is_on_topic, node_result, search_kinds
from query.outcome import RankedResult
from query.passages import Passage, read_passages, read_sentences
from query.readable_view import ReadableView
from query.request import Request
from query.settings import SummarySettings, TopicSettings
from raptor.sentence_quality import sentence_quality


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    """A hit of any level: a tree node or a passage, with the group of text it is told in."""

    group: str
    title: str
    node: TreeNode | None
    passage: Passage | None


def summarise_topic(
    store: GraphStore, request: Request, view: ReadableView, settings: SummarySettings, topic: TopicSettings
) -> GlobalFinding:
    """Tell what the nodes and passages nearest to a question say of its subject; nothing where none is about it.

    Source of the search over all levels at once: Sarthi et al., "RAPTOR", ICLR 2024.
    """
    hits = _search_all_levels(store, request, settings.candidates)
    levels = _read_levels(store, request, hits)
    results = tuple(
        _result(rank, item, levels[item], hits) for rank, item in enumerate(list(levels)[: request.k], start=1)
    )
    found = FoundTexts(texts=[result.text for result in results], nearest=hits.nearest)
    if not is_on_topic(request.question, found, view.rarity, topic):
        return GlobalFinding(results=results, blocks=())
    texts = _grouped_texts(store, request, list(levels.values()), settings.nodes)
    shape = DigestShape(
        per_text=settings.sentences_per_node, vector=request.vector, share_of_best=settings.share_of_best
    )
    return GlobalFinding(results=results, blocks=digest(SourceReader(store, request.access, texts), texts, shape))


def _search_all_levels(store: GraphStore, request: Request, candidates: int) -> DerivedHits:
    nodes, leaves = search_kinds(store, request, {"tree_node": candidates, "chunk": candidates})
    bm25, dense = {**nodes.bm25, **leaves.bm25}, {**nodes.dense, **leaves.dense}
    return DerivedHits(fused=z_sum([bm25, dense])[:candidates], bm25=bm25, dense=dense)


def _read_levels(store: GraphStore, request: Request, hits: DerivedHits) -> dict[str, _Level]:
    ids = [hit.id for hit in hits.fused]
    levels: dict[str, _Level] = {}
    for node in store.tree_nodes(request.access, ids=ids):
        if node.summary:
            levels[node.id] = _Level(group=node.document_id or node.id, title=node.title, node=node, passage=None)
    for passage in read_passages(store, request.access, store.chunks(request.access, ids)):
        levels[passage.chunk.id] = _Level(
            group=passage.document.id, title=passage.document.title, node=None, passage=passage
        )
    return {item: levels[item] for item in ids if item in levels}


def _grouped_texts(store: GraphStore, request: Request, levels: Sequence[_Level], most: int) -> list[DerivedText]:
    groups: dict[str, list[_Level]] = {}
    for level in levels:
        groups.setdefault(level.group, []).append(level)
    nearest = list(groups.values())[:most]
    passages = [level.passage for group in nearest for level in group if level.passage is not None]
    by_chunk: dict[str, list[SourcedSentence]] = {}
    for candidate in read_sentences(store, request.access, passages, request.vector):
        if sentence_quality(candidate.text) > 0.0:
            by_chunk.setdefault(candidate.passage.chunk.id, []).append(sourced(candidate))
    return [DerivedText(title=_title(group), sentences=_sentences(group, by_chunk)) for group in nearest]


def _title(group: Sequence[_Level]) -> str:
    return next((level.title for level in group if level.passage is not None), group[0].title)


def _sentences(
    group: Sequence[_Level], by_chunk: Mapping[str, Sequence[SourcedSentence]]
) -> tuple[SourcedSentence, ...]:
    passages = [level.passage for level in group if level.passage is not None]
    nodes = [level.node for level in group if level.node is not None]
    told = [sentence for node in nodes for sentence in node.summary]
    for passage in sorted(passages, key=lambda passage: passage.chunk.position):
        told.extend(by_chunk.get(passage.chunk.id, ()))
    return tuple(told)


def _result(rank: int, item: str, level: _Level, hits: DerivedHits) -> RankedResult:
    if level.node is not None:
        return node_result(rank, level.node, hits)
    assert level.passage is not None
    return RankedResult(
        rank=rank,
        kind="chunk",
        id=item,
        document_id=level.passage.document.id,
        title=level.title,
        score=hits.score(item),
        signals=hits.signals(item),
        text=level.passage.chunk.text,
    )

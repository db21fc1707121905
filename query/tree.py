"""The tree route: the summary of a named document, the top of the tree, or all levels searched together."""

from collections.abc import Sequence

import numpy as np

from graph_store.records import Chunk, Document, SourcedSentence, TreeNode
from graph_store.store import GraphStore
from model_clients.embedder import FloatVector
from query.digest import DerivedText, SourceReader, digest
from query.global_finding import DerivedHits, GlobalFinding, joined_text, search_derived
from query.hierarchy import Place, top_items, without_relatives
from query.outcome import RankedResult
from query.passages import CandidateSentence, read_passages, read_sentences
from query.readable_view import ReadableView
from query.request import Request
from query.settings import SummarySettings
from query.theme_words import asks_for_whole, is_contentless

_ALL_NODES = 10_000
_LEAST_TOP_NODES = 3


def find_summaries(store: GraphStore, request: Request, view: ReadableView, settings: SummarySettings) -> GlobalFinding:
    """Find the summaries that answer a question and draft a digest of them.

    A document that the question names is told by its own summary; a question about the whole collection by the top
    nodes; any other by the nearest nodes and passages of all levels together.
    """
    document = named_document(store, request, view, settings)
    if document is not None:
        return _document_summary(store, request, document, settings)
    hits = search_derived(store, request, kind="tree_node", candidates=settings.candidates)
    if is_contentless(request.question) or asks_for_whole(request.question):
        return _digest_of(store, request, _top_nodes(store, request), hits, settings)
    return _collapsed(store, request, hits, settings)


def named_document(
    store: GraphStore, request: Request, view: ReadableView, settings: SummarySettings
) -> Document | None:
    """Return the readable document that passes the filters and that the question names by its title, or None."""
    if is_contentless(request.question):
        return None
    named = view.titles.named_by(request.question, least_share=settings.title_share)
    if named is None:
        return None
    allowed = store.filtered_documents(request.access, request.filters)
    return named.document if allowed is None or named.document.id in allowed else None


def _document_summary(
    store: GraphStore, request: Request, document: Document, settings: SummarySettings
) -> GlobalFinding:
    nodes = store.tree_nodes(request.access, document_id=document.id)
    root = next((node for node in nodes if node.summary), None)
    if root is None:
        return _unsummarised_document(store, request, document, settings)
    text = DerivedText(title=document.title, sentences=root.summary)
    reader = SourceReader(store, request.access, [text])
    blocks = digest(reader, [text], per_text=settings.sentences, vector=None)
    return GlobalFinding(results=(_node_result(1, root, None),), blocks=blocks)


def _unsummarised_document(
    store: GraphStore, request: Request, document: Document, settings: SummarySettings
) -> GlobalFinding:
    """Tell a document of too few chunks for a tree by its sentences nearest to its middle, in reading order."""
    chunks = store.document_chunks(request.access, document.id)
    sentences = _central_sentences(store, request, chunks, settings.sentences)
    text = DerivedText(title=document.title, sentences=sentences)
    blocks = digest(SourceReader(store, request.access, [text]), [text], per_text=settings.sentences, vector=None)
    results = tuple(_chunk_result(rank, chunk, document) for rank, chunk in enumerate(chunks[: request.k], start=1))
    return GlobalFinding(results=results, blocks=blocks)


def _central_sentences(
    store: GraphStore, request: Request, chunks: Sequence[Chunk], count: int
) -> tuple[SourcedSentence, ...]:
    vectors = store.chunk_vectors(request.access, [chunk.id for chunk in chunks])
    if not vectors:
        return ()
    middle: FloatVector = np.stack(list(vectors.values())).mean(axis=0)
    candidates = read_sentences(store, request.access, read_passages(store, request.access, chunks), middle)
    nearest = sorted(candidates, key=lambda candidate: -candidate.cosine)[:count]
    return tuple(_sourced(candidate) for candidate in sorted(nearest, key=_reading_order))


def _reading_order(candidate: CandidateSentence) -> tuple[int, int]:
    return (candidate.passage.rank, candidate.sentence.position)


def _sourced(candidate: CandidateSentence) -> SourcedSentence:
    return SourcedSentence(
        text=candidate.text,
        chunk_ids=(candidate.passage.chunk.id,),
        char_start=candidate.sentence.char_start,
        char_end=candidate.sentence.char_end,
    )


def _top_nodes(store: GraphStore, request: Request) -> list[TreeNode]:
    nodes = {node.id: node for node in store.tree_nodes(request.access) if node.summary}
    if request.filters:
        passing = store.search_vectors(
            request.access, request.vector, kind="tree_node", k=_ALL_NODES, filters=request.filters
        )
        nodes = {hit.id: nodes[hit.id] for hit in passing if hit.id in nodes}
    places = [Place(id=node.id, parent_id=node.parent_id, size=len(node.chunk_ids)) for node in nodes.values()]
    return [nodes[item] for item in top_items(places, least=_LEAST_TOP_NODES)]


def _collapsed(store: GraphStore, request: Request, hits: DerivedHits, settings: SummarySettings) -> GlobalFinding:
    if hits.nearest < settings.least_cosine:
        return GlobalFinding(results=(), blocks=())
    nodes = {node.id: node for node in store.tree_nodes(request.access, ids=[hit.id for hit in hits.fused])}
    parents = {node.id: node.parent_id for node in nodes.values()}
    ranked = without_relatives([hit.id for hit in hits.fused if hit.id in nodes], parents)
    return _digest_of(store, request, [nodes[item] for item in ranked if nodes[item].summary], hits, settings)


def _digest_of(
    store: GraphStore, request: Request, nodes: Sequence[TreeNode], hits: DerivedHits, settings: SummarySettings
) -> GlobalFinding:
    results = tuple(_node_result(rank, node, hits) for rank, node in enumerate(nodes[: request.k], start=1))
    texts = [DerivedText(title=node.title, sentences=node.summary) for node in nodes[: settings.nodes]]
    vector = None if is_contentless(request.question) else request.vector
    reader = SourceReader(store, request.access, texts)
    return GlobalFinding(
        results=results, blocks=digest(reader, texts, per_text=settings.sentences_per_node, vector=vector)
    )


def _node_result(rank: int, node: TreeNode, hits: DerivedHits | None) -> RankedResult:
    scores = {hit.id: hit.score for hit in hits.fused} if hits is not None else {}
    signals = hits.signals(node.id) if hits is not None else {}
    return RankedResult(
        rank=rank,
        kind="tree_node",
        id=node.id,
        document_id=node.document_id or "",
        title=node.title,
        score=scores.get(node.id, 0.0),
        signals={**signals, "level": node.level, "chunks": len(node.chunk_ids)},
        text=joined_text(node.summary),
    )


def _chunk_result(rank: int, chunk: Chunk, document: Document) -> RankedResult:
    return RankedResult(
        rank=rank,
        kind="chunk",
        id=chunk.id,
        document_id=document.id,
        title=document.title,
        score=0.0,
        signals={},
        text=chunk.text,
    )

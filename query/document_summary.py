"""The summary of one document that the question means, by its title or loosely."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graph_store.access import Access
from graph_store.records import Chunk, Document, SourcedSentence
from graph_store.store import GraphStore
from model_clients.embedder import FloatVector
from query.digest import DerivedText, DigestShape, SourceReader, digest
from query.global_finding import GlobalFinding, node_result
from query.meant_document import meant_documents
from query.outcome import RankedResult
from query.passages import CandidateSentence, read_passages, read_sentences
from query.readable_view import ReadableView
from query.request import Request
from query.settings import SummarySettings
from query.theme_words import is_contentless
from raptor.sentence_quality import sentence_quality

# The title line of a document where the question fits several.
_IN_DOUBT = "This document may be meant"


def named_document(
    store: GraphStore, request: Request, view: ReadableView, settings: SummarySettings
) -> Document | None:
    """Return the readable document that passes the filters and that the question means: by its title, or loosely where
    one document alone fits. None where it means none, or leaves a doubt.
    """
    documents = documents_named(store, request, view, settings)
    return documents[0] if len(documents) == 1 else None


def documents_named(
    store: GraphStore, request: Request, view: ReadableView, settings: SummarySettings
) -> tuple[Document, ...]:
    """Return the readable document that a question means, or all between which it leaves a doubt, best first."""
    if is_contentless(request.question):
        return ()
    allowed = store.filtered_documents(request.access, request.filters)
    named = view.titles.named_by(request.question, least_share=settings.title_share, allowed=allowed)
    return meant_documents(store, request, view) if named is None else (named.document,)


def tell_apart(
    store: GraphStore, request: Request, documents: Sequence[Document], settings: SummarySettings
) -> GlobalFinding:
    """Say which documents may be meant, each with the first sentence of its summary."""
    found = [summarise_document(store, request, document, settings) for document in documents]
    blocks = [
        replace(block, title=f"{_IN_DOUBT}: {block.title}", sentences=block.sentences[:1])
        for finding in found
        for block in finding.blocks
    ]
    results = [result for finding in found for result in finding.results[:1]]
    ranked = tuple(replace(result, rank=rank) for rank, result in enumerate(results, start=1))
    return GlobalFinding(results=ranked[: request.k], blocks=tuple(blocks))


def summarise_document(
    store: GraphStore, request: Request, document: Document, settings: SummarySettings
) -> GlobalFinding:
    """Tell a document by the root of its tree, or where it is too short for one by its most central sentences."""
    nodes = store.tree_nodes(request.access, document_id=document.id)
    root = next((node for node in nodes if node.summary), None)
    if root is not None:
        results: tuple[RankedResult, ...] = (node_result(1, root, None),)
        text = DerivedText(title=document.title, sentences=root.summary)
    else:
        chunks = store.document_chunks(request.access, document.id)
        results = tuple(_chunk_result(rank, chunk, document) for rank, chunk in enumerate(chunks[: request.k], start=1))
        sentences = _central_sentences(store, request.access, chunks, settings.sentences)
        text = DerivedText(title=document.title, sentences=sentences)
    reader = SourceReader(store, request.access, [text])
    return GlobalFinding(results=results, blocks=digest(reader, [text], DigestShape(per_text=settings.sentences)))


def sourced(candidate: CandidateSentence) -> SourcedSentence:
    """Return a sentence of a passage as a sentence with its source."""
    return SourcedSentence(
        text=candidate.text,
        chunk_ids=(candidate.passage.chunk.id,),
        char_start=candidate.sentence.char_start,
        char_end=candidate.sentence.char_end,
    )


def _central_sentences(
    store: GraphStore, access: Access, chunks: Sequence[Chunk], count: int
) -> tuple[SourcedSentence, ...]:
    vectors = store.chunk_vectors(access, [chunk.id for chunk in chunks])
    if not vectors:
        return ()
    middle: FloatVector = np.stack(list(vectors.values())).mean(axis=0)
    candidates = read_sentences(store, access, read_passages(store, access, chunks), middle)
    telling = [candidate for candidate in candidates if sentence_quality(candidate.text) > 0.0] or candidates
    nearest = sorted(telling, key=lambda candidate: -candidate.cosine)[:count]
    return tuple(sourced(candidate) for candidate in sorted(nearest, key=_reading_order))


def _reading_order(candidate: CandidateSentence) -> tuple[int, int]:
    return (candidate.passage.rank, candidate.sentence.position)


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

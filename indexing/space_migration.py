"""Filling the second vector space of a store: what it lacks is embedded batch by batch, each batch one commit.

A run that is stopped loses at most one batch; the next one goes on from there.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graph_store.records import Sentence
from graph_store.spaces import SpaceVectors, Unfilled, UnfilledContent, VectorSpace
from graph_store.store import GraphStore
from indexing.derived_step import embed_summaries
from indexing.long_passages import embed_any_length
from indexing.passages import chunk_tokens, passages_of
from indexing.report import Progress, ProgressListener
from model_clients.embedder import Embedder, PassageVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class FillReport:
    """How many records got vectors in this run, and how many chunks were too long for the model to read at once."""

    chunks: int = 0
    communities: int = 0
    tree_nodes: int = 0
    in_pieces: int = 0

    @property
    def total(self) -> int:
        """How many records got vectors."""
        return self.chunks + self.communities + self.tree_nodes


def space_of(embedder: Embedder) -> VectorSpace:
    """Return the space that an embedder's vectors are in."""
    return VectorSpace(
        embedding_model=embedder.model_id,
        dimension=embedder.dimension,
        token_space=embedder.token_space,
        token_dimension=embedder.token_dimension,
    )


def fill_spare_space(
    store: GraphStore, embedder: Embedder, *, batch_size: int, progress: ProgressListener | None = None
) -> FillReport:
    """Give every record of every tenant its vectors in the spare space, which is that of ``embedder``.

    Raises ``SpaceMissing`` where there is none.
    """
    lacking = {tenant: store.unfilled(tenant) for tenant in store.tenants()}
    total = sum(part.total for part in lacking.values())
    report = FillReport()
    for tenant, whole in lacking.items():
        for part in _batches(whole, batch_size):
            if progress is not None:
                progress(Progress(step="embed", done=report.total, total=total))
            in_pieces = _fill(store, embedder, tenant, part)
            report = FillReport(
                chunks=report.chunks + len(part.chunk_ids),
                communities=report.communities + len(part.community_ids),
                tree_nodes=report.tree_nodes + len(part.tree_node_ids),
                in_pieces=report.in_pieces + in_pieces,
            )
    return report


def _batches(whole: Unfilled, size: int) -> Iterator[Unfilled]:
    for ids in _slices(whole.chunk_ids, size):
        yield Unfilled(chunk_ids=ids)
    for ids in _slices(whole.community_ids, size):
        yield Unfilled(community_ids=ids)
    for ids in _slices(whole.tree_node_ids, size):
        yield Unfilled(tree_node_ids=ids)


def _slices(ids: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(ids), size):
        yield tuple(ids[start : start + size])


def _fill(store: GraphStore, embedder: Embedder, tenant: str, part: Unfilled) -> int:
    """Embed and write one batch; return how many chunks were embedded in pieces."""
    content = store.unfilled_content(tenant, part)
    titles = {document.id: document.title for document in content.documents}
    sentences: defaultdict[str, list[Sentence]] = defaultdict(list)
    for sentence in content.sentences:
        sentences[sentence.chunk_id].append(sentence)
    passages = [
        passage
        for chunk in content.chunks
        for passage in passages_of(titles[chunk.document_id], [chunk], sentences[chunk.id])
    ]
    found = embed_any_length(passages, embedder, with_tokens=embedder.token_dimension > 0)
    store.fill_space(_space_vectors(tenant, content, found.vectors, titles=titles, embedder=embedder))
    return found.in_pieces


def _space_vectors(
    tenant: str, content: UnfilledContent, found: PassageVectors, *, titles: dict[str, str], embedder: Embedder
) -> SpaceVectors:
    tokens = [
        record
        for chunk, embedded in zip(content.chunks, found.tokens, strict=bool(found.tokens))
        for record in chunk_tokens(titles[chunk.document_id], [chunk], [embedded])
    ]
    return SpaceVectors(
        tenant=tenant,
        chunk_ids=tuple(chunk.id for chunk in content.chunks),
        chunk_vectors=found.passages,
        sentence_vectors=found.spans,
        token_vectors=tuple(tokens),
        community_ids=tuple(item.id for item in content.communities),
        community_vectors=embed_summaries(content.communities, embedder),
        tree_node_ids=tuple(item.id for item in content.tree_nodes),
        tree_vectors=embed_summaries(content.tree_nodes, embedder),
    )

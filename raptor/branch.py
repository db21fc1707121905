"""A node of a tree while the tree is grown, and how branches are joined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graph_store.bundles import FloatVector
from graph_store.ids import stable_id
from raptor.audience import AudienceView, IntVector
from raptor.settings import TreeSettings
from raptor.summariser import choose_parent_sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A chunk (level 0, no children) or a node above chunks.

    ``leaves`` are rows of the audience's chunks and ``summary`` rows of its sentences, both ascending, which is
    document order. ``vector`` is (d,) of unit length: the mean direction of ``documents`` documents' worth of leaves.
    """

    id: str
    level: int
    document_id: str | None
    children: tuple["Branch", ...]
    leaves: IntVector
    summary: IntVector
    vector: FloatVector
    documents: int = 1


def leaf(view: AudienceView, row: int) -> Branch:
    """Return the branch of a single chunk."""
    chunk = view.chunks[row]
    return Branch(
        id=chunk.id,
        level=0,
        document_id=chunk.document_id,
        children=(),
        leaves=np.array([row], dtype=np.int64),
        summary=np.zeros(0, dtype=np.int64),
        vector=view.chunk_vectors[row],
    )


def join(
    view: AudienceView,
    children: Sequence[Branch],
    settings: TreeSettings,
    *,
    level: int,
    node_id: str = "",
    summary: IntVector | None = None,
) -> Branch:
    """Return the parent of at least two branches: with its summary chosen, and its id made of its leaves, where they
    are not given.
    """
    leaves = np.sort(np.concatenate([child.leaves for child in children]))
    documents = {child.document_id for child in children}
    within = len(documents) == 1 and None not in documents
    return Branch(
        id=node_id or stable_id("tree-", *view.audience.key(), str(level), *(view.chunks[row].id for row in leaves)),
        level=level,
        document_id=children[0].document_id if within else None,
        children=tuple(children),
        leaves=leaves,
        summary=_summary(view, children, leaves, settings) if summary is None else summary,
        vector=_mean_direction(view, leaves) if within else _weighted_direction(children),
        documents=1 if within else sum(child.documents for child in children),
    )


def _summary(view: AudienceView, children: Sequence[Branch], leaves: IntVector, settings: TreeSettings) -> IntVector:
    return choose_parent_sentences(
        view.sentences,
        np.concatenate([child.summary for child in children]),
        view.sentences.rows_of(leaves),
        limit=settings.max_summary_sentences,
    )


def nodes_below(branch: Branch) -> Iterator[Branch]:
    """Yield the nodes of a tree, children before their parents; chunks are left out."""
    for child in branch.children:
        yield from nodes_below(child)
    if branch.children:
        yield branch


def _mean_direction(view: AudienceView, leaves: IntVector) -> FloatVector:
    return unit(view.chunk_vectors[leaves].mean(axis=0), fallback=view.chunk_vectors[leaves[0]])


def _weighted_direction(children: Sequence[Branch]) -> FloatVector:
    """Every document counts the same, however long it is and wherever it hangs."""
    vectors = np.stack([child.vector for child in children])
    weights = np.array([child.documents for child in children], dtype=np.float32)
    return unit(weights @ vectors, fallback=children[0].vector)


def unit(vector: FloatVector, *, fallback: FloatVector) -> FloatVector:
    """Return ``vector`` at unit length, or ``fallback`` where it is (nearly) zero: opposite vectors have no mean."""
    norm = float(np.linalg.norm(vector))
    scaled: FloatVector = (vector / norm).astype(np.float32) if norm > 1e-6 else fallback
    return scaled

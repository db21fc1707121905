"""Summary trees: chunks under their documents, documents under the collection (RAPTOR, Sarthi et al. 2024).

Within a document chunks are clustered with regard to their order; across documents, whole documents are clustered,
since clusters of chunks from many documents summarise badly and do not help to find passages.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from graph_store.bundles import Collection, FloatMatrix
from graph_store.records import TreeNode
from raptor.audience import AudienceView, IntVector, audience_views
from raptor.branch import Branch, join, leaf, nodes_below
from raptor.clustering import KMeansSettings, cluster_points, even_cluster_size
from raptor.node_titles import NodeTitles
from raptor.settings import TreeSettings
from raptor.summariser import quote

_Clustering: TypeAlias = Callable[[Sequence[Branch]], tuple[IntVector, ...]]


def build_trees(collection: Collection, settings: TreeSettings) -> tuple[TreeNode, ...]:
    """Build one tree per audience (tenant and groups), each from the chunks of that audience alone.

    A document of two chunks or more has a subtree with one root; a document of one chunk is stood for by that chunk.
    Documents are then clustered level by level up to one root. These levels are numbered on from the highest document
    root, so that each of them holds every document once; a child there may be a node of any lower level, or a chunk. An
    audience of a single chunk has no node. Children come before their parents in the result, which depends on the
    records alone, not on their order.
    """
    return tuple(node for view in audience_views(collection) for node in _audience_tree(view, settings))


def _audience_tree(view: AudienceView, settings: TreeSettings) -> Iterator[TreeNode]:
    documents = [document_branch(view, rows, settings) for rows in view.document_rows()]
    root = _grow(view, documents, settings, lambda level: _by_content(level, settings))
    if root.level == 0:
        return
    titles = NodeTitles(view, settings)
    parents = {child.id: node.id for node in nodes_below(root) for child in node.children}
    for node in nodes_below(root):
        yield _record(view, node, parent_id=parents.get(node.id), title=titles.of(node))


def document_branch(view: AudienceView, rows: IntVector, settings: TreeSettings) -> Branch:
    """Return the root of a document's subtree, or its only chunk."""
    return _grow(view, [leaf(view, int(row)) for row in rows], settings, lambda level: _in_order(level, settings))


def _grow(view: AudienceView, branches: Sequence[Branch], settings: TreeSettings, clustering: _Clustering) -> Branch:
    """Join branches level by level until one is left; at the last level allowed, all that is left is joined."""
    base = max(branch.level for branch in branches)
    for level in range(base + 1, base + settings.max_levels):
        if len(branches) == 1:
            return branches[0]
        groups = clustering(branches)
        branches = [join(view, [branches[row] for row in group], settings, level=level) for group in groups]
    return branches[0] if len(branches) == 1 else join(view, branches, settings, level=base + settings.max_levels)


def _by_content(branches: Sequence[Branch], settings: TreeSettings) -> tuple[IntVector, ...]:
    size = even_cluster_size(len(branches), settings.cluster_size)
    return cluster_points(
        _vectors(branches),
        KMeansSettings(seed=settings.seed),
        size=size,
        weights=np.array([branch.documents for branch in branches], dtype=np.float32),
    )


def _in_order(branches: Sequence[Branch], settings: TreeSettings) -> tuple[IntVector, ...]:
    """Cluster neighbours in a document by content and place: the place is one more dimension of each point."""
    places = np.arange(len(branches), dtype=np.float32) * (settings.position_weight / settings.cluster_size)
    size = even_cluster_size(len(branches), settings.cluster_size)
    return cluster_points(
        np.hstack([_vectors(branches), places[:, np.newaxis]]), KMeansSettings(seed=settings.seed), size=size
    )


def _vectors(branches: Sequence[Branch]) -> FloatMatrix:
    return np.stack([branch.vector for branch in branches])


def _record(view: AudienceView, node: Branch, *, parent_id: str | None, title: str) -> TreeNode:
    return TreeNode(
        id=node.id,
        tenant=view.audience.tenant,
        groups=view.audience.groups,
        level=node.level,
        parent_id=parent_id,
        document_id=node.document_id,
        child_ids=tuple(child.id for child in node.children),
        chunk_ids=tuple(view.chunks[row].id for row in node.leaves),
        title=title,
        summary=quote(view.sentences, node.summary),
    )

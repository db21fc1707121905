"""What stands of an audience's tree before documents changed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from graph_store.records import TreeNode
from raptor.audience import Audience, AudienceView, IntVector
from raptor.branch import Branch, join, leaf
from raptor.settings import TreeSettings

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousNodes:
    """The nodes of a tenant's trees as they stand, and the ids of those that have lost evidence.

    Of the summaries that language models made only those by ``told_by`` stay as they are.
    """

    nodes: tuple[TreeNode, ...] = ()
    mended: frozenset[str] = frozenset()
    told_by: str = ""

    def by_audience(self) -> Mapping[Audience, Sequence[TreeNode]]:
        """Return the nodes of each audience."""
        found: defaultdict[Audience, list[TreeNode]] = defaultdict(list)
        for node in self.nodes:
            found[Audience(tenant=node.tenant, groups=tuple(sorted(set(node.groups))))].append(node)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousNode:
    """A node as it stands: ``leaves`` are the rows of its chunks that are still there, ascending.

    It is ``intact`` unless it rested on something that is gone, so that it says less or says it differently.
    ``summary`` are the rows of its sentences, None where it is not intact or in the words of a language model.
    """

    record: TreeNode
    leaves: IntVector
    summary: IntVector | None
    intact: bool

    def is_above(self, children: Sequence[Branch]) -> bool:
        """Tell whether the node, as it stands, is the parent of just these branches."""
        count = sum(len(child.leaves) for child in children)
        return (
            self.intact and {child.id for child in children} == set(self.record.child_ids) and count == len(self.leaves)
        )


class PreviousTree:
    """The nodes of one audience, seen from its chunks as they are now."""

    def __init__(self, view: AudienceView, nodes: Iterable[TreeNode], mended: Set[str], *, told_by: str = "") -> None:
        self._view = view
        self._told_by = told_by
        self._rows = {chunk.id: row for row, chunk in enumerate(view.chunks)}
        nodes = tuple(nodes)
        self._sentences = view.sentences.places() if nodes else {}
        self.nodes = {node.id: self._seen(node, mended) for node in sorted(nodes, key=lambda one: one.id)}
        self._of_document: defaultdict[str, list[PreviousNode]] = defaultdict(list)
        for node in self.nodes.values():
            if node.record.document_id is not None:
                self._of_document[node.record.document_id].append(node)

    def _seen(self, node: TreeNode, mended: Set[str]) -> PreviousNode:
        leaves = np.array(sorted(self._rows[key] for key in node.chunk_ids if key in self._rows), dtype=np.int64)
        whole = node.id not in mended and len(leaves) == len(node.chunk_ids)
        if node.made_by != EXTRACTIVE:
            told = bool(self._told_by) and node.made_by == self._told_by
            return PreviousNode(record=node, leaves=leaves, summary=None, intact=whole and told)
        rows = [self._sentences.get((item.chunk_ids, item.char_start, item.char_end)) for item in node.summary]
        known = [row for row in rows if row is not None]
        intact = whole and len(known) == len(rows)
        summary = np.array(sorted(known), dtype=np.int64) if intact else None
        return PreviousNode(record=node, leaves=leaves, summary=summary, intact=intact)

    def levels(self) -> list[list[PreviousNode]]:
        """Return the nodes across documents that still have a chunk, level by level, lowest first."""
        found: defaultdict[int, list[PreviousNode]] = defaultdict(list)
        for node in self.nodes.values():
            if node.record.document_id is None and len(node.leaves):
                found[node.record.level].append(node)
        return [found[level] for level in sorted(found)]

    def document_branch(self, rows: IntVector, settings: TreeSettings) -> Branch | None:
        """Return the subtree of a document as it stands; None where it has none, or one of other chunks."""
        nodes = self._of_document.get(self._view.chunks[int(rows[0])].document_id, ())
        root = max(nodes, key=lambda node: node.record.level, default=None)
        if root is None or not np.array_equal(root.leaves, rows) or not all(node.intact for node in nodes):
            return None
        return self._branch(root, settings)

    def _branch(self, node: PreviousNode, settings: TreeSettings) -> Branch:
        children = [
            self._branch(self.nodes[key], settings) if key in self.nodes else leaf(self._view, self._rows[key])
            for key in node.record.child_ids
        ]
        record = node.record
        return join(self._view, children, settings, level=record.level, node_id=record.id, summary=node.summary)

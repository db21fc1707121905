"""Repairing the part of a tree that lies above its documents, so that what need not change stays as it is.

As in a B-tree, new documents join a node of the lowest level, a node that grows too large is divided, and one that is
left with a single child gives it to the nearest other; every level goes on holding every document once. A node keeps
its id for as long as it lives, and its summary for as long as nothing below it changes.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graph_store.bundles import FloatVector
from graph_store.ids import stable_id
from raptor.audience import AudienceView, IntVector
from raptor.branch import Branch, join, nodes_below, unit
from raptor.clustering import even_cluster_size
from raptor.growth import by_content, document_branch, grow
from raptor.previous_tree import PreviousNode, PreviousTree
from raptor.settings import TreeSettings


@dataclass(slots=True, kw_only=True)
class _Group:
    """The branches that belong under one node; ``node`` is None for a node to be born."""

    node: PreviousNode | None
    centre: FloatVector
    branches: list[Branch]

    def has_grown(self) -> bool:
        """Tell whether there are more branches than the node had children."""
        return self.node is None or len(self.branches) > len(self.node.record.child_ids)


class TreeRepair:
    """Repairs the tree of one audience; ``kept`` are the ids of nodes that stay as they are."""

    def __init__(self, view: AudienceView, settings: TreeSettings, previous: PreviousTree) -> None:
        self._view = view
        self._settings = settings
        self._previous = previous
        self.kept: set[str] = set()

    def document(self, rows: IntVector) -> Branch:
        """Return the subtree of a document (chunk rows in order): the one that stands, or a new one."""
        known = self._previous.document_branch(rows, self._settings)
        if known is None:
            return document_branch(self._view, rows, self._settings)
        self.kept.update(node.id for node in nodes_below(known))
        return known

    def root(self, documents: Sequence[Branch]) -> Branch:
        """Return the root above the branches of all documents, in document order.

        Where no node is left to go on from, the tree is grown from there as a new one is.
        """
        base = max(branch.level for branch in documents)
        last = base + self._settings.max_levels
        branches = list(documents)
        for level, nodes in enumerate(self._previous.levels(), base + 1):
            groups = _placed(self._view, branches, nodes) if len(branches) > 1 else []
            if not groups:
                break
            groups = _without_singles(groups)
            if level < last:
                limit = 2 * even_cluster_size(len(branches), self._settings.cluster_size)
                groups = [part for group in groups for part in self._divided(group, limit)]
            branches = sorted((self._joined(group, level) for group in groups), key=lambda one: int(one.leaves[0]))
        return grow(self._view, branches, self._settings, by_content, last=last)

    def _divided(self, group: _Group, limit: int) -> Iterator[_Group]:
        """Yield a group, or its two halves where it has grown above ``limit``; the larger one stays the node."""
        if len(group.branches) <= limit or not group.has_grown():
            yield group
            return
        halves = by_content(group.branches, self._settings, size=-(-len(group.branches) // 2))
        for number, rows in enumerate(sorted(halves, key=lambda rows: -len(rows))):
            branches = [group.branches[row] for row in rows]
            yield replace(group, node=group.node if number == 0 else None, branches=branches)

    def _joined(self, group: _Group, level: int) -> Branch:
        children = sorted(group.branches, key=lambda branch: int(branch.leaves[0]))
        node = group.node
        if node is None:
            born = join(self._view, children, self._settings, level=level)
            return replace(born, id=self._free_id(born.id))
        changed = [child for child in children if child.children and child.id not in self.kept]
        if changed or not node.is_above(children):
            return join(self._view, children, self._settings, level=level, node_id=node.record.id)
        self.kept.add(node.record.id)
        return join(self._view, children, self._settings, level=level, node_id=node.record.id, summary=node.summary)

    def _free_id(self, wanted: str) -> str:
        """Return ``wanted``, or another id where a node has it that was born with the same leaves and has changed."""
        while wanted in self._previous.nodes:
            wanted = stable_id("tree-", wanted)
        return wanted


def _placed(view: AudienceView, branches: Sequence[Branch], nodes: Sequence[PreviousNode]) -> list[_Group]:
    """Put each branch under the node that most of its leaves were under, and new ones under the nearest node.

    Nodes that nothing is left of are dropped; no groups come back where that is all of them.
    """
    owner = np.full(len(view.chunks), -1, dtype=np.int64)
    for number, node in enumerate(nodes):
        owner[node.leaves] = number
    members: defaultdict[int, list[Branch]] = defaultdict(list)
    for branch in branches:
        votes = owner[branch.leaves]
        members[int(np.bincount(votes[votes >= 0]).argmax()) if (votes >= 0).any() else -1].append(branch)
    new = members.pop(-1, [])
    groups = [
        _Group(node=nodes[number], centre=_centre(view, nodes[number]), branches=members[number])
        for number in sorted(members)
    ]
    for branch in new if groups else ():
        _nearest(groups, branch).branches.append(branch)
    return groups


def _without_singles(groups: Sequence[_Group]) -> list[_Group]:
    """Give the only branch of a group to the nearest other group, as long as there is one."""
    kept = list(groups)
    for group in groups:
        if len(group.branches) == 1 and len(kept) > 1:
            kept.remove(group)
            _nearest(kept, group.branches[0]).branches.append(group.branches[0])
    return kept


def _nearest(groups: Sequence[_Group], branch: Branch) -> _Group:
    return groups[int(np.argmax(np.stack([group.centre for group in groups]) @ branch.vector))]


def _centre(view: AudienceView, node: PreviousNode) -> FloatVector:
    vectors = view.chunk_vectors[node.leaves]
    return unit(vectors.mean(axis=0), fallback=vectors[0])

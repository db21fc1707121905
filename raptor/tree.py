"""Summary trees: chunks under their documents, documents under the collection (RAPTOR, Sarthi et al. 2024).

Within a document chunks are clustered with regard to their order; across documents, whole documents are clustered,
since clusters of chunks from many documents summarise badly and do not help to find passages.
"""

from collections.abc import Iterator

from graph_store.bundles import Collection
from graph_store.records import TreeNode
from raptor.audience import AudienceView
from raptor.audience_reader import AudienceReader
from raptor.branch import Branch, nodes_below
from raptor.node_titles import NodeTitles
from raptor.previous_tree import PreviousNodes, PreviousTree
from raptor.repair import TreeRepair
from raptor.settings import TreeSettings
from raptor.summariser import quote
from raptor.told_tree import SummaryTeller, told_before, with_told

_NOTHING = PreviousNodes()


def build_trees(
    collection: Collection | AudienceReader,
    settings: TreeSettings,
    previous: PreviousNodes = _NOTHING,
    teller: SummaryTeller | None = None,
) -> tuple[TreeNode, ...]:
    """Build one tree per audience (tenant and groups), each from the chunks of that audience alone.

    A document of two chunks or more has a subtree with one root; a document of one chunk is stood for by that chunk.
    Documents are then clustered level by level up to one root. These levels are numbered on from the highest document
    root, so that each of them holds every document once; a child there may be a node of any lower level, or a chunk. An
    audience of a single chunk has no node. Children come before their parents in the result, which depends on the
    records alone, not on their order.

    Trees are repaired from the ``previous`` nodes where an audience has some (see :mod:`raptor.repair`). A reader of
    the collection may stand for it, where others read it too. With a ``teller`` the summaries are told by a language
    model, as far as it can; raises ``EndpointUnusable``.
    """
    nodes = previous.by_audience()
    reader = AudienceReader(collection) if isinstance(collection, Collection) else collection
    return tuple(
        node
        for view in reader.views()
        for node in _audience_tree(
            view,
            settings,
            reader,
            PreviousTree(view, nodes.get(view.audience, ()), previous.mended, told_by=previous.told_by),
            teller,
        )
    )


def _audience_tree(
    view: AudienceView,
    settings: TreeSettings,
    reader: AudienceReader,
    previous: PreviousTree,
    teller: SummaryTeller | None,
) -> Iterator[TreeNode]:
    repair = TreeRepair(view, settings, previous)
    root = repair.root([repair.document(rows) for rows in view.document_rows()])
    nodes = list(nodes_below(root))
    parents = {child.id: node.id for node in nodes for child in node.children}
    titles = {key: previous.nodes[key].record.title for key in repair.kept}
    new = [node for node in nodes if node.id not in titles]
    if new:
        across = {title for key, title in titles.items() if previous.nodes[key].record.document_id is None}
        writer = NodeTitles(view, settings, reader.themes(view), taken=across)
        titles |= {node.id: writer.of(node) for node in new}
    known = {key: told_before(previous.nodes[key].record) for key in repair.kept}
    told = {key: summary for key, summary in known.items() if summary is not None}
    if teller is not None:
        told = teller.tell(view, nodes, told, titles)
    for node in nodes:
        record = _record(view, node, parent_id=parents.get(node.id), title=titles[node.id])
        yield with_told(record, told.get(node.id))


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

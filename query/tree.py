"""The tree route: the summary of a named document, the top of the tree, or all levels searched together."""

from graph_store.records import TreeNode
from graph_store.store import GraphStore
from query.collapsed_tree import summarise_topic
from query.digest import DerivedText, DigestShape, SourceReader, digest
from query.document_summary import documents_named, summarise_document, tell_apart
from query.global_finding import GlobalFinding, node_result
from query.hierarchy import Place, top_items
from query.readable_view import ReadableView
from query.request import Request
from query.settings import SummarySettings
from query.theme_words import is_contentless

# A filter admits a node only where all its chunks pass; so many are asked for to know which do.
_ALL_NODES = 10_000
_LEAST_TOP_NODES = 3


def find_summaries(store: GraphStore, request: Request, view: ReadableView, settings: SummarySettings) -> GlobalFinding:
    """Find the summaries that answer a question and draft a digest of them.

    A document that the question means is told by its own summary, and where it may mean one of several, these are
    named; a question about the whole collection by the top
    nodes; any other by the nearest nodes and passages of all levels together.
    """
    documents = documents_named(store, request, view, settings)
    if len(documents) == 1:
        return summarise_document(store, request, documents[0], settings)
    if documents:
        return tell_apart(store, request, documents, settings)
    if is_contentless(request.question):
        return _summarise_collection(store, request, settings)
    return summarise_topic(store, request, view, settings, settings.topic)


def _summarise_collection(store: GraphStore, request: Request, settings: SummarySettings) -> GlobalFinding:
    nodes = _top_nodes(store, request)
    results = tuple(node_result(rank, node, None) for rank, node in enumerate(nodes[: request.k], start=1))
    texts = [DerivedText(title=node.title, sentences=node.summary) for node in nodes[: settings.nodes]]
    reader = SourceReader(store, request.access, texts)
    blocks = digest(reader, texts, DigestShape(per_text=settings.sentences_per_node))
    return GlobalFinding(results=results, blocks=blocks)


def _top_nodes(store: GraphStore, request: Request) -> list[TreeNode]:
    nodes = {node.id: node for node in store.tree_nodes(request.access) if node.summary}
    if request.filters:
        passing = store.search_vectors(
            request.access, request.vector, kind="tree_node", k=_ALL_NODES, filters=request.filters
        )
        nodes = {hit.id: nodes[hit.id] for hit in passing if hit.id in nodes}
    places = [Place(id=node.id, parent_id=node.parent_id, size=len(node.chunk_ids)) for node in nodes.values()]
    return [nodes[item] for item in top_items(places, least=_LEAST_TOP_NODES)]

"""The derived layer of a tenant: entities, passage graph, communities with reports, summary trees."""

from collections.abc import Callable, Sequence

import numpy as np

from graph_store.bundles import Collection, FloatMatrix, Generation
from graph_store.records import Community, TreeNode
from indexing.communities.build import build_communities
from indexing.passage_graph import build_passage_edges
from indexing.report import StepClock
from indexing.resolution import Resolution, resolve
from indexing.settings import IndexingSettings
from model_clients.embedder import Embedder, Passage
from raptor.summariser import summary_text
from raptor.tree import build_trees

StepStarted = Callable[[str], None]


def derive(
    collection: Collection, *, embedder: Embedder, settings: IndexingSettings, clock: StepClock, started: StepStarted
) -> Generation:
    """Make everything that is derived from a tenant's documents. Deterministic in the collection and the settings."""
    started("resolve")
    with clock.step("resolve"):
        resolution = resolve(collection)
    started("graph")
    with clock.step("graph"):
        edges = build_passage_edges(collection, resolution, settings.graph)
    started("communities")
    with clock.step("communities"):
        communities = _communities(collection, resolution, settings)
    started("tree")
    with clock.step("tree"):
        nodes = build_trees(collection, settings.tree)
    started("embed_summaries")
    with clock.step("embed_summaries"):
        community_vectors = embed_summaries(communities, embedder)
        tree_vectors = embed_summaries(nodes, embedder)
    return Generation(
        tenant=collection.tenant,
        fingerprint=settings.derived_fingerprint(),
        entities=resolution.entities,
        mentions=resolution.mentions,
        homes=resolution.homes,
        relations=resolution.relations,
        passage_edges=edges,
        communities=communities,
        community_vectors=community_vectors,
        tree_nodes=nodes,
        tree_vectors=tree_vectors,
    )


def _communities(collection: Collection, resolution: Resolution, settings: IndexingSettings) -> tuple[Community, ...]:
    return build_communities(
        collection,
        entities=resolution.entities,
        mentions=resolution.mentions,
        homes=resolution.homes,
        relations=resolution.relations,
        settings=settings.communities,
    )


def embed_summaries(derived: Sequence[Community] | Sequence[TreeNode], embedder: Embedder) -> FloatMatrix:
    """Return one unit row per report or node, made from as much of its text as the embedder takes."""
    if not derived:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    texts = [_fit(_text_of(item), embedder) for item in derived]
    return embedder.embed_passages([Passage(text=text) for text in texts]).passages


def _text_of(item: Community | TreeNode) -> str:
    sentences = item.report if isinstance(item, Community) else item.summary
    return summary_text(item.title, sentences)


def _fit(text: str, embedder: Embedder) -> str:
    """Cut a summary at the embedder's limit: its vector is for finding it, its text is stored whole."""
    spans = embedder.token_spans(text)
    return text if len(spans) <= embedder.max_tokens else text[: spans[embedder.max_tokens - 1][1]]

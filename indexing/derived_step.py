"""The derived layer of a tenant: entities, passage graph, communities with reports, summary trees."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from graph_store.bundles import Collection, FloatMatrix, FloatVector, Generation, PreviousGeneration
from graph_store.records import Community, TreeNode
from indexing.communities.build import build_communities
from indexing.communities.entity_places import gather_knowledge
from indexing.communities.previous import PreviousCommunities
from indexing.current_versions import current_versions
from indexing.passage_graph import build_passage_edges
from indexing.report import StepClock
from indexing.resolution import Resolution, resolve
from indexing.settings import IndexingSettings
from model_clients.embedder import Embedder, Passage
from raptor.audience_reader import AudienceReader
from raptor.previous_tree import PreviousNodes
from raptor.summariser import summary_text
from raptor.tree import build_trees

StepStarted = Callable[[str], None]

_NONE_KNOWN: Mapping[str, FloatVector] = MappingProxyType({})


def must_be_whole(previous: PreviousGeneration, settings: IndexingSettings, documents: int) -> bool:
    """Tell whether the next generation over so many documents is made from nothing, not repaired from ``previous``.

    Repair leaves what stands where it is, which fits worse with each document that changes.
    """
    return (
        previous.fingerprint != settings.derived_fingerprint()
        or previous.changed_documents > settings.repair_share * documents
    )


def derive(
    collection: Collection,
    previous: PreviousGeneration,
    *,
    embedder: Embedder,
    settings: IndexingSettings,
    clock: StepClock,
    started: StepStarted,
) -> Generation:
    """Make everything that is derived from a tenant's documents, from nothing or by repairing what stands.

    Communities and trees are made of the current versions of documents, all else of all. Deterministic in the
    collection, what stands, and the settings.
    """
    whole = must_be_whole(previous, settings, len(collection.documents))
    standing = PreviousGeneration() if whole else previous
    started("resolve")
    with clock.step("resolve"):
        resolution = resolve(collection)
    started("graph")
    with clock.step("graph"):
        edges = build_passage_edges(collection, resolution, settings.graph)
    current = AudienceReader(current_versions(collection))
    started("communities")
    with clock.step("communities"):
        communities = _communities(current, resolution, settings, standing)
    started("tree")
    with clock.step("tree"):
        standing_nodes = PreviousNodes(nodes=standing.tree_nodes, mended=standing.mended)
        nodes = build_trees(current, settings.tree, standing_nodes)
    started("embed_summaries")
    with clock.step("embed_summaries"):
        known = _known_vectors(previous)
        community_vectors = embed_summaries(communities, embedder, known)
        tree_vectors = embed_summaries(nodes, embedder, known)
    return Generation(
        tenant=collection.tenant,
        fingerprint=settings.derived_fingerprint(),
        whole=whole,
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


def _communities(
    current: AudienceReader,
    resolution: Resolution,
    settings: IndexingSettings,
    standing: PreviousGeneration,
) -> tuple[Community, ...]:
    return build_communities(
        current,
        knowledge=gather_knowledge(
            entities=resolution.entities,
            mentions=resolution.mentions,
            homes=resolution.homes,
            relations=resolution.relations,
        ),
        settings=settings.communities,
        previous=PreviousCommunities(communities=standing.communities, mended=standing.mended),
    )


def _known_vectors(previous: PreviousGeneration) -> Mapping[str, FloatVector]:
    """Return the vectors of texts that are embedded already; none where nothing is to be taken over."""
    if previous.fingerprint is None:
        return {}
    items: tuple[Community | TreeNode, ...] = (*previous.communities, *previous.tree_nodes)
    vectors = (*previous.community_vectors, *previous.tree_vectors)
    return {
        _text_of(item): vector for item, vector in zip(items, vectors, strict=True) if item.id not in previous.mended
    }


def embed_summaries(
    derived: Sequence[Community] | Sequence[TreeNode],
    embedder: Embedder,
    known: Mapping[str, FloatVector] = _NONE_KNOWN,
) -> FloatMatrix:
    """Return one unit row per report or node, made from as much of its text as the embedder takes.

    Texts with a ``known`` vector are not embedded again.
    """
    vectors = np.zeros((len(derived), embedder.dimension), dtype=np.float32)
    texts = [_text_of(item) for item in derived]
    new = [row for row, text in enumerate(texts) if text not in known]
    for row, text in enumerate(texts):
        if text in known:
            vectors[row] = known[text]
    if new:
        passages = [Passage(text=_fit(texts[row], embedder)) for row in new]
        vectors[new] = embedder.embed_passages(passages).passages
    return vectors


def _text_of(item: Community | TreeNode) -> str:
    sentences = item.report if isinstance(item, Community) else item.summary
    return summary_text(item.title, sentences)


def _fit(text: str, embedder: Embedder) -> str:
    """Cut a summary at the embedder's limit: its vector is for finding it, its text is stored whole."""
    spans = embedder.token_spans(text)
    return text if len(spans) <= embedder.max_tokens else text[: spans[embedder.max_tokens - 1][1]]

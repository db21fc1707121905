"""The derived layer of a tenant: entities, passage graph, communities with reports, summary trees."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from graph_store.bundles import Collection, FloatMatrix, FloatVector, Generation, PreviousGeneration
from graph_store.records import Community, TreeNode
from indexing.communities.build import build_communities
from indexing.communities.entity_places import gather_knowledge
from indexing.communities.previous import PreviousCommunities
from indexing.communities.told_reports import ReportTeller
from indexing.current_versions import current_versions
from indexing.derived_mark import derived_mark, extraction_part, has_part, reports_part, settings_part, summaries_part
from indexing.model_names import NO_MODELS, IndexingModels
from indexing.model_work import TreeLog, WorkTally
from indexing.passage_graph import build_passage_edges
from indexing.report import StepClock
from indexing.resolution import Resolution, resolve
from indexing.settings import IndexingSettings
from indexing.summed_descriptions import sum_up_descriptions
from model_clients.embedder import Embedder, Passage
from raptor.audience_reader import AudienceReader
from raptor.previous_tree import PreviousNodes
from raptor.summariser import summary_text
from raptor.told_tree import SummaryTeller
from raptor.tree import build_trees

StepStarted = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Helpers:
    """Who takes part in deriving beside the settings: ``work`` counts what the language models do."""

    embedder: Embedder
    clock: StepClock
    started: StepStarted
    models: IndexingModels = NO_MODELS
    work: WorkTally = field(default_factory=WorkTally)


_NONE_KNOWN: Mapping[str, FloatVector] = MappingProxyType({})


def must_be_whole(previous: PreviousGeneration, settings: IndexingSettings, documents: int) -> bool:
    """Tell whether the next generation over so many documents is made from nothing, not repaired from ``previous``.

    Repair leaves what stands where it is, which fits worse with each document that changes.
    """
    return (
        settings_part(previous.fingerprint) != settings.derived_fingerprint()
        or previous.changed_documents > settings.repair_share * documents
    )


def derive(
    collection: Collection,
    previous: PreviousGeneration,
    *,
    settings: IndexingSettings,
    helpers: Helpers,
) -> Generation:
    """Make everything that is derived from a tenant's documents, from nothing or by repairing what stands.

    Communities and trees are made of the current versions of documents, all else of all. Deterministic in the
    collection, what stands, and the settings, where no language model takes part. What a model fails at is made without
    it; the layer is then marked as unfinished. Raises ``EndpointUnusable``.
    """
    clock, started, embedder = helpers.clock, helpers.started, helpers.embedder
    failures = len(helpers.work.failed)
    whole = must_be_whole(previous, settings, len(collection.documents))
    standing = PreviousGeneration() if whole else previous
    started("resolve")
    with clock.step("resolve"):
        resolution = _resolved(collection, previous, helpers)
    started("graph")
    with clock.step("graph"):
        edges = build_passage_edges(collection, resolution, settings.graph)
    current = AudienceReader(current_versions(collection))
    started("communities")
    with clock.step("communities"):
        communities = _communities(current, resolution, settings, standing, helpers)
    started("tree")
    with clock.step("tree"):
        nodes = _tree_nodes(current, settings, standing, helpers)
    started("embed_summaries")
    with clock.step("embed_summaries"):
        known = _known_vectors(previous)
        community_vectors = embed_summaries(communities, embedder, known)
        tree_vectors = embed_summaries(nodes, embedder, known)
    return Generation(
        tenant=collection.tenant,
        fingerprint=derived_mark(settings, helpers.models.names, finished=len(helpers.work.failed) == failures),
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
    helpers: Helpers,
) -> tuple[Community, ...]:
    model = helpers.models.reports
    keeps = has_part(standing.fingerprint, reports_part(helpers.models.names))
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
        teller=ReportTeller(model, helpers.work, keeps=keeps) if model else None,
    )


def _tree_nodes(
    current: AudienceReader, settings: IndexingSettings, standing: PreviousGeneration, helpers: Helpers
) -> tuple[TreeNode, ...]:
    model = helpers.models.summaries
    keeps = has_part(standing.fingerprint, summaries_part(helpers.models.names))
    previous = PreviousNodes(
        nodes=standing.tree_nodes,
        mended=standing.mended,
        told_by=f"llm:{model.model_id}" if model and keeps else "",
    )
    return build_trees(current, settings.tree, previous, SummaryTeller(model, TreeLog(helpers.work)) if model else None)


def _resolved(collection: Collection, previous: PreviousGeneration, helpers: Helpers) -> Resolution:
    """Resolve names; what was told of an entity in many chunks is summed up where a model does that."""
    names = helpers.models.names
    resolution = resolve(collection, model=names.extraction)
    if helpers.models.summaries is None:
        return resolution
    same = all(has_part(previous.fingerprint, part) for part in (summaries_part(names), extraction_part(names)) if part)
    return sum_up_descriptions(
        resolution,
        collection,
        helpers.models.summaries,
        previous=previous.described_entities if same else (),
        work=helpers.work,
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

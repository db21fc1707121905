"""Which chunks a community rests on: each chunk votes with the entities that it names."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from graph_store.bundles import FloatMatrix
from indexing.communities.entity_places import EntityPlaces, FloatArray64
from indexing.communities.grouping import rows_by_group
from indexing.communities.leiden import NO_CLUSTER
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, IntVector
from raptor.branch import unit

MOST_COMMUNITIES = 3
"""Communities that one chunk can be evidence of on the finest level."""

# A community that is the strongest nowhere still rests on the chunks that vote for it most.
_LEAST_CHUNKS = 3
# A chunk says more of what it is about than of what it mentions.
_HOME_FACTOR = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Votes:
    """Votes of chunk rows for clusters: parallel arrays, each pair once, ordered by chunk, then cluster."""

    chunks: IntVector
    clusters: IntVector
    weights: FloatArray64


def evidence_chunks(places: EntityPlaces, labels: IntVector, settings: CommunitySettings) -> Mapping[int, IntVector]:
    """Return the chunk rows of each finest cluster, ascending, never none.

    A chunk belongs to the cluster that its mentions vote for most, and to up to two more with ``evidence_share`` of its
    votes. A mention counts by the rarity of its entity, double in the entity's home. A cluster that is no chunk's
    choice gets the three that give it most.
    """
    votes = _votes(places, labels)
    if len(votes.chunks) == 0:
        return {}
    totals = np.bincount(votes.chunks, weights=votes.weights)
    share = votes.weights / totals[votes.chunks]
    rank = _ranks(votes.chunks, -share)
    counted = (rank == 0) | ((rank < MOST_COMMUNITIES) & (share >= settings.evidence_share))
    seconded = _ranks(votes.clusters, -votes.weights) < _LEAST_CHUNKS
    without = ~np.isin(votes.clusters, votes.clusters[counted])
    keep = counted | (seconded & without)
    kept = rows_by_group(votes.clusters[keep])
    return {cluster: votes.chunks[keep][rows] for cluster, rows in kept.items()}


def _votes(places: EntityPlaces, labels: IntVector) -> _Votes:
    chunks, entities = places.chunks.units, places.chunks.entities
    weights: FloatArray64 = places.rarity[entities] * places.chunks.counts
    at_home = set(places.homes)
    home = [(chunk, entity) in at_home for chunk, entity in zip(chunks.tolist(), entities.tolist(), strict=True)]
    weights = np.where(np.array(home, dtype=bool), _HOME_FACTOR * weights, weights)
    voting = labels[entities] != NO_CLUSTER
    width = int(labels.max(initial=0)) + 1
    keys, positions = np.unique(chunks[voting] * width + labels[entities[voting]], return_inverse=True)
    return _Votes(
        chunks=keys // width,
        clusters=keys % width,
        weights=np.bincount(positions, weights=weights[voting], minlength=len(keys)).astype(np.float64),
    )


def _ranks(groups: IntVector, keys: FloatArray64) -> IntVector:
    """Return the rank (0 is the smallest key) of each row within its group; ties go by row."""
    order = np.lexsort((np.arange(len(keys)), np.round(keys, 9), groups))
    sorted_groups = groups[order]
    starts = np.searchsorted(sorted_groups, sorted_groups)
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - starts
    return ranks


def centroids(view: AudienceView, evidence: Mapping[int, IntVector]) -> FloatMatrix:
    """Return the (len(evidence), d) unit mean vectors of the evidence, in the order of ``evidence``."""
    rows = [
        unit(view.chunk_vectors[chunks].mean(axis=0), fallback=view.chunk_vectors[chunks[0]])
        for chunks in evidence.values()
    ]
    return np.stack(rows) if rows else np.zeros((0, view.chunk_vectors.shape[1]), dtype=np.float32)


def attach_isolated(
    view: AudienceView, places: EntityPlaces, labels: IntVector, settings: CommunitySettings
) -> IntVector:
    """Return ``labels`` with the isolated entities of untold chunks given to the clusters whose evidence is most like.

    A chunk is untold where it votes for no cluster, so that its document would be missing from every report. Likeness
    below ``attach_cosine`` gives nothing.
    """
    evidence = evidence_chunks(places, labels, settings)
    if not evidence:
        return labels
    told = np.unique(np.concatenate(list(evidence.values())))
    untold = ~np.isin(places.chunks.units, told)
    isolated = labels[places.chunks.entities] == NO_CLUSTER
    clusters = np.array(list(evidence), dtype=np.int64)
    centres = centroids(view, evidence)
    attached = labels.copy()
    chosen = untold & isolated
    for entity, rows in rows_by_group(places.chunks.entities[chosen]).items():
        chunks = places.chunks.units[chosen][rows]
        likeness = centres @ view.chunk_vectors[chunks].mean(axis=0)
        best = int(np.argmax(likeness))
        if likeness[best] >= settings.attach_cosine:
            attached[entity] = clusters[best]
    return attached

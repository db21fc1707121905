import numpy as np
import pytest

from indexing.communities.entity_places import EntityPlaces, gather_knowledge, place_entities
from indexing.communities.evidence import centroids, evidence_chunks
from indexing.communities.leiden import NO_CLUSTER
from indexing.communities.settings import CommunitySettings
from raptor.audience import AudienceView, IntVector, audience_views
from tests.indexing.communities.named_collections import Named, named


def _placed(found: Named) -> tuple[AudienceView, EntityPlaces]:
    (view,) = audience_views(found.collection)
    knowledge = gather_knowledge(
        entities=found.entities, mentions=found.mentions, homes=found.homes, relations=found.relations
    )
    return view, place_entities(view, knowledge)


def _labels(places: EntityPlaces, **clusters: int) -> IntVector:
    return np.array([clusters.get(entity.name, NO_CLUSTER) for entity in places.entities], dtype=np.int64)


def _evidence(found: Named, **clusters: int) -> dict[int, list[int]]:
    _, places = _placed(found)
    evidence = evidence_chunks(places, _labels(places, **clusters), CommunitySettings())
    return {cluster: chunks.tolist() for cluster, chunks in evidence.items()}


def test_chunks_go_to_those_they_name_most() -> None:
    found = named({"d": ["Ada and Bob and Ada and Bob and Cid met.", "Cid and Dan met.", "Ada and Cid met."]})
    assert _evidence(found, Ada=1, Bob=1, Cid=2, Dan=2) == {1: [0, 2], 2: [1, 2]}


def test_chunk_is_evidence_of_three_communities_at_most() -> None:
    found = named({"d": ["Ada Bob Cid Dan met.", "Dan left."]})
    evidence = _evidence(found, Ada=1, Bob=2, Cid=3, Dan=4)
    assert evidence[4] == [1]
    assert [evidence[cluster] for cluster in (1, 2, 3)] == [[0], [0], [0]]


def test_community_that_is_nowhere_the_strongest_still_has_evidence() -> None:
    found = named({"d": [f"Ada Ada Ada Ada Ada Ada and Bob met in year {year}." for year in range(5)]})
    assert _evidence(found, Ada=1, Bob=2) == {1: [0, 1, 2, 3, 4], 2: [0, 1, 2]}


def test_home_counts_double() -> None:
    texts = {"d": ["Ada Bob Bob Bob Bob Bob met."]}
    assert _evidence(named(texts), Ada=1, Bob=2) == {2: [0], 1: [0]}  # by default the only chunk
    many = {"d": ["Ada Ada Bob Bob Bob Bob Bob met.", "Ada was here."]}
    assert _evidence(named(many), Ada=1, Bob=2) == {1: [1], 2: [0]}
    assert _evidence(named(many, homes=[("Ada", "d/0")]), Ada=1, Bob=2) == {1: [0, 1], 2: [0]}


def test_entities_without_a_cluster_do_not_vote() -> None:
    assert _evidence(named({"d": ["Ada met Bob."]})) == {}
    assert _evidence(named({"d": ["nobody came."]}), Ada=1) == {}


def test_centroids_are_unit_vectors_even_of_opposite_chunks() -> None:
    view, _ = _placed(named({"d": ["Ada met Bob.", "Cid left."]}))
    vectors = np.stack([view.chunk_vectors[0], -view.chunk_vectors[0]])
    opposite = AudienceView(
        audience=view.audience,
        titles=view.titles,
        chunks=view.chunks,
        chunk_vectors=vectors,
        sentences=view.sentences,
    )
    found = centroids(opposite, {3: np.array([0]), 5: np.array([0, 1])})
    assert np.linalg.norm(found, axis=1) == pytest.approx([1.0, 1.0])

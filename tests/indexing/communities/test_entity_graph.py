import numpy as np
import pytest

from indexing.communities.entity_graph import EntityGraph, build_entity_graph
from indexing.communities.entity_places import gather_knowledge, place_entities
from indexing.communities.settings import CommunitySettings
from raptor.audience import audience_views
from tests.indexing.communities.named_collections import Named, named


def _graph(found: Named, settings: CommunitySettings | None = None) -> tuple[EntityGraph, dict[frozenset[str], float]]:
    (view,) = audience_views(found.collection)
    knowledge = gather_knowledge(
        entities=found.entities, mentions=found.mentions, homes=found.homes, relations=found.relations
    )
    places = place_entities(view, knowledge)
    graph = build_entity_graph(view, places, found.relations, settings or CommunitySettings())
    names = [entity.name for entity in places.entities]
    edges = zip(graph.sources.tolist(), graph.targets.tolist(), graph.weights.tolist(), strict=True)
    return graph, {frozenset({names[one], names[other]}): weight for one, other, weight in edges}


def test_one_sentence_ties_more_than_one_chunk() -> None:
    _, edges = _graph(named({"d": ["Ada wrote to Bob about the engine. The letter reached Cid in the spring."]}))
    assert edges[frozenset({"Ada", "Bob"})] > edges[frozenset({"Ada", "Cid"})] > 0
    assert edges[frozenset({"Ada", "Cid"})] == pytest.approx(edges[frozenset({"Bob", "Cid"})])


def test_a_list_of_names_hands_out_no_more_than_its_share() -> None:
    settings = CommunitySettings(chunk_weight=0.0)
    _, pair = _graph(named({"d": ["Ada met Bob there."]}), settings)
    _, many = _graph(named({"d": ["Ada met Bob and Cid and Dan and Eve there."]}), settings)
    assert max(many.values()) == pytest.approx(max(pair.values()) / 4)


def test_reversed_and_parallel_relations_are_summed_into_one_edge() -> None:
    texts = {"d": ["Ada lived here.", "Bob lived there."]}
    once, both = (
        _graph(named(texts, relations=relations))[1]
        for relations in (
            [("Ada", "Bob", ("d/0",))],
            [("Ada", "Bob", ("d/0",)), ("Bob", "Ada", ("d/1",)), ("Ada", "Bob", ("d/1",))],
        )
    )
    assert both == pytest.approx({key: 3 * weight for key, weight in once.items()})
    assert list(once) == [frozenset({"Ada", "Bob"})]


def test_relations_without_evidence_here_make_no_edge() -> None:
    _, edges = _graph(named({"d": ["Ada lived here.", "Bob lived there."]}, relations=[("Ada", "Bob", ("elsewhere",))]))
    assert edges == {}


def test_entities_of_no_edge_are_kept_isolated() -> None:
    graph, edges = _graph(named({"d": ["Ada lived here.", "Bob lived there."]}))
    assert edges == {}
    assert graph.isolated().tolist() == [0, 1]


def test_no_entities_make_an_empty_graph() -> None:
    graph, _ = _graph(named({"d": ["nobody is named."]}))
    assert graph.size == 0
    assert len(graph.isolated()) == 0


def test_home_is_tied_to_what_is_named_there() -> None:
    settings = CommunitySettings(sentence_weight=0.0, chunk_weight=0.0)
    _, edges = _graph(named({"d": ["The engine of Bob stood there. Then Cid came."]}, homes=[("Ada", "d/0")]), settings)
    assert set(edges) == {frozenset({"Ada", "Bob"}), frozenset({"Ada", "Cid"})}


def test_names_that_are_everywhere_tie_less() -> None:
    texts = {f"d{i}": ["The office was seen by London that year."] for i in range(9)}
    _, edges = _graph(named({**texts, "x": ["Ada met London there.", "Bob met Cid there."]}))
    assert edges[frozenset({"Ada", "London"})] < 0.6 * edges[frozenset({"Bob", "Cid"})]


def test_no_entity_is_tied_to_itself() -> None:
    found = named({"d": ["Ada met Ada and Bob there."]}, relations=[("Ada", "Ada", ("d/0",))], homes=[("Ada", "d/0")])
    graph, edges = _graph(found)
    assert set(edges) == {frozenset({"Ada", "Bob"})}
    assert (graph.sources < graph.targets).all()
    assert np.isfinite(graph.weights).all()

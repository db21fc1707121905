from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_store.bundles import PassageGraph, PassageLinks
from query.bounded_walk import MetPassages, NearPassages
from query.personalised_pagerank import PassageWalk
from query.settings import WalkBounds

MakeGraph: TypeAlias = Callable[..., PassageGraph]

EDGES = st.dictionaries(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), st.floats(0.125, 5.0, width=32), max_size=12
)
RESTART = st.dictionaries(st.integers(0, 4), st.floats(0.1, 3.0), min_size=1)
AMPLE = WalkBounds(whole_graph=0, hops=20, passages=5, edges=5)
QUESTIONS = (
    "Who built the tower of Skerry Rock Lighthouse, beside the reef with platinum?",
    "Skerry Rock Lighthouse was built by whom?",
    "herring market",
)


class Reading:
    """Reads the edges of a graph as a store does, and remembers what it was asked for."""

    def __init__(self, graph: PassageGraph) -> None:
        self._graph = graph
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, chunk_ids: Sequence[str], *, most: int) -> Mapping[str, PassageLinks]:
        self.asked.append(tuple(chunk_ids))
        found = {}
        for place in map(self._graph.chunk_ids.index, chunk_ids):
            row = slice(self._graph.indptr[place], self._graph.indptr[place + 1])
            targets, weights = self._graph.indices[row], self._graph.weights[row]
            order = np.lexsort((targets, -weights))[:most]
            if len(targets):
                found[self._graph.chunk_ids[place]] = PassageLinks(
                    targets=tuple(self._graph.chunk_ids[target] for target in targets[order].tolist()),
                    weights=weights[order],
                    total=float(weights.sum(dtype=np.float64)),
                )
        return found


def near(graph: PassageGraph, bounds: WalkBounds) -> tuple[NearPassages, Reading]:
    """Return a walk that has met what it may start from, all of the graph, in its order."""
    reading, met = Reading(graph), MetPassages()
    met.places(graph.chunk_ids)
    return NearPassages(met, reading, bounds=bounds), reading


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDGES, RESTART, st.sampled_from([1, 3, 20]))
def test_within_the_bounds_the_walk_is_that_over_the_whole_graph(
    make_graph: MakeGraph, edges: dict[tuple[str, str], float], restart: dict[int, float], steps: int
) -> None:
    graph = make_graph("abcde", edges)
    whole = PassageWalk(graph).rank(restart, damping=0.7, steps=steps)
    bounded = near(graph, AMPLE)[0].rank(restart, damping=0.7, steps=steps, least=0.0)
    assert bounded == pytest.approx(whole, abs=1e-6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDGES, RESTART, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_the_bounds_hold_and_no_mass_is_lost(
    make_graph: MakeGraph,
    edges: dict[tuple[str, str], float],
    restart: dict[int, float],
    hops: int,
    passages: int,
    most: int,
) -> None:
    bounds = WalkBounds(whole_graph=0, hops=hops, passages=passages, edges=most)
    walk, reading = near(make_graph("abcde", edges), bounds)
    mass = walk.rank(restart, damping=0.7, steps=20)
    assert mass.sum() == pytest.approx(1.0)
    assert (mass >= 0.0).all()
    assert len(reading.asked) <= hops
    assert all(len(ids) <= passages for ids in reading.asked)
    assert len({chunk_id for ids in reading.asked for chunk_id in ids}) == sum(map(len, reading.asked))


def test_those_with_most_mass_are_looked_up_first(make_graph: MakeGraph) -> None:
    edges = {("a", "b"): 1.0, ("a", "c"): 3.0, ("a", "d"): 1.0, ("c", "e"): 1.0}
    walk, reading = near(make_graph("abcde", edges), WalkBounds(hops=2, passages=2))
    walk.rank({0: 1.0}, damping=0.5, steps=20)
    assert reading.asked == [("a",), ("c", "b")]
    assert walk.edges(2).targets.tolist() == [4]
    assert walk.edges(3).targets.tolist() == walk.edges(4).targets.tolist() == []


def test_mass_of_edges_that_are_not_followed_goes_back_to_the_start(make_graph: MakeGraph) -> None:
    walk, _ = near(make_graph("abc", {("a", "b"): 3.0, ("a", "c"): 1.0}), WalkBounds(hops=1, passages=1, edges=1))
    # One step: a keeps 0.4; of 0.6 three quarters go to b, the rest comes back.
    mass = walk.rank({0: 1.0}, damping=0.6, steps=1)
    assert mass == pytest.approx([0.55, 0.45, 0.0])


def test_a_restart_of_nothing_reads_nothing(make_graph: MakeGraph) -> None:
    walk, reading = near(make_graph("ab", {("a", "b"): 1.0}), AMPLE)
    assert not walk.rank({}, damping=0.5, steps=20).any()
    assert reading.asked == []


def test_what_the_walk_meets_on_its_way_gets_mass_beyond_its_start(make_graph: MakeGraph) -> None:
    graph, met = make_graph("abc", {("b", "c"): 1.0, ("b", "a"): 1.0}), MetPassages()
    walk = NearPassages(met, Reading(graph), bounds=AMPLE)
    mass = walk.rank({met.place("b"): 2.0}, damping=0.6, steps=1)
    assert dict(zip(met.chunk_ids, mass.tolist(), strict=True)) == pytest.approx({"b": 0.4, "c": 0.3, "a": 0.3})

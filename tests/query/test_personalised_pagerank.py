from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_store.bundles import PassageGraph
from query.personalised_pagerank import PassageWalk

MakeGraph: TypeAlias = Callable[..., PassageGraph]

EDGES = st.dictionaries(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), st.floats(0.125, 5.0, width=32), max_size=12
)


def test_a_walk_on_two_passages_meets_the_closed_form(make_graph: MakeGraph) -> None:
    # a <-> b, restart at a: mass(a) = (1 - d) / (1 - d^2) in the limit.
    walk = PassageWalk(make_graph("ab", {("a", "b"): 1.0, ("b", "a"): 1.0}))
    mass = walk.rank({0: 1.0}, damping=0.5, steps=60)
    assert mass == pytest.approx([2 / 3, 1 / 3])


def test_mass_follows_edges_in_proportion_to_their_weights(make_graph: MakeGraph) -> None:
    walk = PassageWalk(make_graph("abc", {("a", "b"): 3.0, ("a", "c"): 1.0, ("b", "a"): 1.0, ("c", "a"): 1.0}))
    mass = walk.rank({0: 1.0}, damping=0.6, steps=40)
    assert mass[1] == pytest.approx(3 * mass[2])


def test_a_home_two_steps_away_outranks_a_passage_without_edges(make_graph: MakeGraph) -> None:
    walk = PassageWalk(make_graph("abcd", {("a", "b"): 1.0, ("b", "c"): 1.0}))
    mass = walk.rank({0: 1.0}, damping=0.7, steps=20)
    assert mass[0] > mass[1] > mass[2] > mass[3] == 0.0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDGES, st.dictionaries(st.integers(0, 4), st.floats(0.1, 3.0), min_size=1))
def test_mass_is_never_lost_nor_made(
    make_graph: MakeGraph, edges: dict[tuple[str, str], float], restart: dict[int, float]
) -> None:
    mass = PassageWalk(make_graph("abcde", edges)).rank(restart, damping=0.7, steps=20)
    assert mass.sum() == pytest.approx(1.0)
    assert (mass >= 0.0).all()


def test_the_scale_of_the_restart_does_not_matter(make_graph: MakeGraph) -> None:
    walk = PassageWalk(make_graph("abc", {("a", "b"): 1.0, ("b", "c"): 2.0}))
    one = walk.rank({0: 1.0, 2: 3.0}, damping=0.7, steps=20)
    assert np.allclose(one, walk.rank({0: 10.0, 2: 30.0}, damping=0.7, steps=20))


def test_an_empty_graph_and_a_restart_of_nothing_give_no_mass(make_graph: MakeGraph) -> None:
    assert PassageWalk(make_graph("", {})).rank({}, damping=0.7, steps=20).shape == (0,)
    assert not PassageWalk(make_graph("ab", {("a", "b"): 1.0})).rank({}, damping=0.7, steps=20).any()


def test_a_graph_without_edges_keeps_the_restart(make_graph: MakeGraph) -> None:
    mass = PassageWalk(make_graph("ab", {})).rank({1: 2.0}, damping=0.7, steps=20)
    assert mass == pytest.approx([0.0, 1.0])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDGES, st.dictionaries(st.integers(0, 4), st.floats(0.1, 3.0), min_size=1), st.sampled_from([1, 3, 20]))
def test_pushing_agrees_with_the_whole_product(
    make_graph: MakeGraph, edges: dict[tuple[str, str], float], restart: dict[int, float], steps: int
) -> None:
    graph = make_graph("abcde", edges)
    whole = PassageWalk(graph).rank(restart, damping=0.7, steps=steps)
    pushed = PassageWalk(graph, large=0).rank(restart, damping=0.7, steps=steps)
    assert pushed == pytest.approx(whole, abs=1e-4)
    assert pushed.sum() == pytest.approx(1.0)

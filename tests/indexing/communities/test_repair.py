"""Communities that are repaired: what stays, and what always holds whatever was added and deleted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_store.records import Community
from indexing.communities.entity_graph import EntityGraph
from indexing.communities.leiden import NO_CLUSTER
from indexing.communities.local_moving import settle_new
from indexing.communities.previous import PreviousCommunities
from indexing.communities.settings import CommunitySettings
from tests.indexing.communities.named_collections import Named, named

SETTINGS = CommunitySettings(max_cluster_size=8, top_communities=3)
PLACES = ("harbour", "mountain", "museum", "market", "station", "theatre")


def _texts(numbers: Sequence[int]) -> dict[str, list[str]]:
    """Return documents about five circles of people that know each other, told of in different words."""
    return {f"d{number:03}": [_text(number, number % 5, number // 5)] for number in numbers}


def _text(number: int, circle: int, turn: int) -> str:
    one, other, place = f"Ann{circle}x{turn % 4}", f"Bob{circle}x{turn % 3}", PLACES[circle]
    return (
        f"{one} and {other} met at the {place} of Rota{circle}. "
        f"Later Cid{circle}x{number} saw {one} near the old {place} again."
    )


def _repaired(found: Named, before: Sequence[Community], mended: Sequence[str] = ()) -> tuple[Community, ...]:
    previous = PreviousCommunities(communities=tuple(before), mended=frozenset(mended))
    return found.communities(SETTINGS, previous=previous)


def _told(communities: Sequence[Community]) -> Mapping[str, object]:
    return {item.id: (item.title, item.report, item.key_entity_ids, item.key_relation_ids) for item in communities}


def check_communities(found: Named, communities: Sequence[Community]) -> None:
    """Check what holds of the communities of every collection."""
    by_id = {item.id: item for item in communities}
    assert len(by_id) == len(communities)
    chunks = {chunk.id: chunk for chunk in found.collection.chunks}
    mentioned = {(tuple(sorted(set(chunks[item.chunk_id].groups))), item.entity_id) for item in found.mentions}
    held = Counter((item.groups, key) for item in communities if item.level == 0 for key in item.entity_ids)
    assert set(held) <= mentioned, "a member stands in the audience's own chunks"
    assert set(held.values()) <= {1}, "each entity is in one finest community of an audience"
    assert _linked(found) <= set(held)
    for item in communities:
        assert item.report
        assert item.title
        assert {tuple(sorted(set(chunks[key].groups))) for key in item.chunk_ids} == {item.groups}
        assert {key for sentence in item.report for key in sentence.chunk_ids} <= set(item.chunk_ids)
        assert set(item.key_entity_ids) <= set(item.entity_ids)
        children = [one for one in communities if one.parent_id == item.id]
        assert (item.level == 0) == (not children)
        if children:
            assert len(children) >= 2
            assert all(child.level < item.level and child.groups == item.groups for child in children)
            assert set(item.entity_ids) == {key for child in children for key in child.entity_ids}
            assert set(item.chunk_ids) == {key for child in children for key in child.chunk_ids}
        assert item.parent_id is None or item.parent_id in by_id
    for groups in {item.groups for item in communities}:
        own = [item for item in communities if item.groups == groups]
        assert len({item.title for item in own}) == len(own)


def _linked(found: Named) -> set[tuple[tuple[str, ...], str]]:
    """Return the entities that share a sentence with another, by audience."""
    linked = set()
    for chunk in found.collection.chunks:
        here = {mention.entity_id for mention in found.mentions if mention.chunk_id == chunk.id}
        linked |= {(tuple(sorted(set(chunk.groups))), key) for key in here if len(here) > 1}
    return linked


def test_nothing_changes_where_nothing_changed() -> None:
    found = named(_texts(range(60)))
    before = found.communities(SETTINGS)
    assert {item.level for item in before} > {0}
    assert _repaired(found, before) == before


def test_adding_one_document_neither_shatters_communities_nor_rewrites_every_report() -> None:
    before = named(_texts(range(80))).communities(SETTINGS)
    found = named(_texts(range(81)))
    after = _repaired(found, before)
    check_communities(found, after)
    assert {item.id for item in before} <= {item.id for item in after}
    place = {key: item.id for item in after if item.level == 0 for key in item.entity_ids}
    assert all(place[key] == item.id for item in before if item.level == 0 for key in item.entity_ids)
    finest = [item for item in before if item.level == 0]
    told = _told(after)
    rewritten = [item.id for item in finest if told[item.id] != _told(before)[item.id]]
    assert 1 <= len(rewritten) <= 3 < len(finest)


def test_deleting_one_document_leaves_the_rest_as_it_is() -> None:
    before = named(_texts(range(80))).communities(SETTINGS)
    found = named(_texts([number for number in range(80) if number != 33]))
    after = _repaired(found, before)
    check_communities(found, after)
    told = _told(after)
    untouched = [item for item in before if "d033/0" not in item.chunk_ids]
    assert untouched
    assert all(told[item.id] == _told(before)[item.id] for item in untouched)


def test_a_report_that_was_mended_is_written_again() -> None:
    found = named(_texts(range(60)))
    before = found.communities(SETTINGS)
    victim = next(item for item in before if item.level == 0)
    spoiled = [item if item.id != victim.id else _spoiled(item) for item in before]
    above = [item.id for item in before if set(victim.chunk_ids) <= set(item.chunk_ids)]
    after = {item.id: item for item in _repaired(found, spoiled, above)}
    assert after[victim.id].report == victim.report
    assert after[victim.id].title != "spoiled"


def _spoiled(item: Community) -> Community:
    return replace(item, report=item.report[:1], title="spoiled")


def test_a_community_that_grew_too_large_is_divided_and_its_largest_part_goes_on() -> None:
    first = {"a0": ["Ada met Bob and Cid at the harbour."], "a1": ["Bob saw Ada and Cid at the harbour."]}
    found = named(first)
    (before,) = found.communities(SETTINGS)
    grown = {
        f"b{number}": [f"Ada met Dan{number % 6} and Eve{number % 6} and Fay{number % 6}."] for number in range(18)
    }
    found = named(first | grown)
    after = _repaired(found, [before])
    check_communities(found, after)
    finest = [item for item in after if item.level == 0]
    assert len(finest) > 1
    assert before.id in {item.id for item in finest}
    assert max(len(item.entity_ids) for item in finest) <= SETTINGS.max_cluster_size


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.tuples(st.sets(st.integers(0, 99), max_size=12), st.sets(st.integers(0, 99), max_size=12)), max_size=4),
    st.sets(st.integers(0, 99), max_size=40),
)
def test_what_always_holds_of_repaired_communities(steps: list[tuple[set[int], set[int]]], staff: set[int]) -> None:
    numbers: set[int] = set(range(0, 99, 2))
    communities: tuple[Community, ...] = ()
    for added, removed in [(set[int](), set[int]()), *steps]:
        numbers = (numbers | added) - removed
        groups = {f"d{number:03}": ("staff",) for number in staff & numbers}
        staff = staff ^ removed  # documents that come back may be for others
        found = named(_texts(sorted(numbers)), groups=groups)
        communities = _repaired(found, communities)
        check_communities(found, communities)


def test_new_entities_settle_where_their_ties_lead_and_the_known_stay() -> None:
    edges = [(0, 1, 1.0), (2, 3, 1.0), (1, 4, 0.9), (3, 4, 0.2), (5, 6, 1.0), (2, 5, 0.1)]
    sources, targets, weights = (np.array(column) for column in zip(*edges, strict=True))
    graph = EntityGraph(size=8, sources=sources, targets=targets, weights=weights)
    before = np.array([0, 0, 1, 1, NO_CLUSTER, NO_CLUSTER, NO_CLUSTER, NO_CLUSTER])
    labels = settle_new(graph, before, resolution=1.0).tolist()
    assert labels[:5] == [0, 0, 1, 1, 0]
    assert labels[5] == labels[6] >= 2
    assert labels[7] == NO_CLUSTER

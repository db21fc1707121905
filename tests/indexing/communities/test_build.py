from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_store.records import Community
from indexing.communities.settings import CommunitySettings
from tests.indexing.communities.named_collections import Named, entity_id, named

TOPICS = {
    "sea": (("Ada", "Bob", "Cid"), "sailed the old harbour ship over the cold ocean waves"),
    "sky": (("Dan", "Eve", "Fay"), "flew the new silver plane above the white mountain clouds"),
    "art": (("Gil", "Hal", "Ivy"), "painted a large museum canvas with bright yellow colours"),
}


def _topics(documents: int = 4) -> dict[str, list[str]]:
    return {
        f"{topic}{number}": [
            f"{names[number % 3]} and {names[(number + 1) % 3]} {doing} in year {number}. "
            f"The crowd saw how {names[(number + 2) % 3]} {doing} again."
        ]
        for topic, (names, doing) in TOPICS.items()
        for number in range(documents)
    }


def _finest(communities: tuple[Community, ...]) -> list[Community]:
    return [community for community in communities if community.level == 0]


def test_no_entities_no_communities() -> None:
    assert named({}).communities() == ()
    assert named({"d": ["nobody is named here at all."]}).communities() == ()


def test_entities_without_any_tie_have_no_community() -> None:
    assert named({"d": ["Ada lived here.", "Bob lived there."], "e": ["Cid was away."]}).communities() == ()


def test_one_document_has_its_community() -> None:
    (community,) = named({"d": ["Ada met Bob in the harbour of the town."]}).communities()
    assert (community.level, community.parent_id, community.chunk_ids) == (0, None, ("d/0",))
    assert community.title.endswith(("Ada, Bob", "Bob, Ada"))
    assert [sentence.text for sentence in community.report] == ["Ada met Bob in the harbour of the town."]


def test_topics_are_told_apart() -> None:
    found = named(_topics())
    communities = found.communities()
    assert {frozenset(found.names(community)) for community in communities} == {
        frozenset(names) for names, _ in TOPICS.values()
    }
    for community in communities:
        assert len({chunk[:3] for chunk in community.chunk_ids}) == 1
        assert len(community.chunk_ids) == 4
        assert community.report


def test_key_entities_and_relations_are_members_with_evidence() -> None:
    relations = [("Ada", "Bob", ("sea0/0", "sea1/0")), ("Bob", "Cid", ("sea1/0",)), ("Ada", "Dan", ("sea0/0",))]
    found = named(_topics(), relations=relations)
    (sea,) = [community for community in found.communities() if "Ada" in found.names(community)]
    assert set(sea.key_entity_ids) <= set(sea.entity_ids)
    assert sea.key_relation_ids[:2] == ("Ada-Bob", "Bob-Cid")


def test_equal_texts_end_well() -> None:
    communities = named({f"d{i:02}": ["Ada met Bob in the harbour."] * 3 for i in range(12)}).communities()
    assert [len(community.chunk_ids) for community in communities] == [36]
    assert len(communities[0].report) == 1


def test_many_components_are_put_under_a_small_top() -> None:
    texts = {f"d{i:02}": [f"Anna{i} met Bert{i} at harbour {i % 5} with friend {i % 7}."] for i in range(60)}
    communities = named(texts).communities(CommunitySettings(top_communities=6))
    tops = [community for community in communities if community.parent_id is None]
    assert len(_finest(communities)) == 60
    assert 3 <= len(tops) <= 9
    assert len({top.level for top in tops}) == 1
    assert {chunk for top in tops for chunk in top.chunk_ids} == {f"{document}/0" for document in texts}


def test_lone_entity_of_an_untold_text_joins_the_likest_community() -> None:
    texts = _topics()
    texts["sky9"] = ["Zoe flew the new silver plane above the white mountain clouds."]
    texts["odd"] = ["Xan counts receipts quarterly."]
    found = named(texts)
    members = [found.names(community) for community in found.communities()]
    assert [names for names in members if "Zoe" in names] == [{"Dan", "Eve", "Fay", "Zoe"}]
    assert not any("Xan" in names for names in members)


def test_audiences_never_share_a_community() -> None:
    groups = {"sea0": ("crew",), "sea1": ("crew",), "sky0": ("crew", "staff"), "sky1": ("staff", "crew")}
    found = named(_topics(), groups=groups, relations=[("Ada", "Bob", ("sea0/0",))])
    audience = {chunk.id: tuple(sorted(chunk.groups)) for chunk in found.collection.chunks}
    communities = found.communities()
    assert {community.groups for community in communities} == {(), ("crew",), ("crew", "staff")}
    for community in communities:
        assert {audience[chunk] for chunk in community.chunk_ids} == {community.groups}
        assert ("Ada-Bob" in community.key_relation_ids) == (
            community.groups == ("crew",) and "Ada" in found.names(community)
        )
    assert len({community.id for community in communities}) == len(communities)


def test_order_of_the_input_does_not_matter() -> None:
    found = named(_topics(7), relations=[("Ada", "Bob", ("sea0/0",)), ("Gil", "Hal", ("art0/0",))])
    order = np.random.default_rng(1).permutation(len(found.collection.chunks))
    shuffled = replace(
        found,
        collection=replace(
            found.collection,
            chunks=tuple(found.collection.chunks[row] for row in order),
            chunk_vectors=found.collection.chunk_vectors[order],
        ),
        entities=found.entities[::-1],
        mentions=found.mentions[::-1],
        relations=found.relations[::-1],
    )
    small = CommunitySettings(max_cluster_size=2, top_communities=2)
    assert found.communities(small) == shuffled.communities(small)


def test_home_without_a_mention_takes_part() -> None:
    found = named({"d": ["The town of Bob and Cid lies by the harbour."]}, homes=[("Ada", "d/0")])
    (community,) = found.communities()
    assert entity_id("Ada") in community.entity_ids


@st.composite
def _random_collections(draw: st.DrawFn) -> Named:
    names = [f"Name{number}" for number in range(draw(st.integers(1, 25)))]
    chunks = draw(st.lists(st.lists(st.sampled_from(names), max_size=5), max_size=25))
    texts = [" ".join(f"{name} was seen with thing {len(name)}." for name in chunk) or "Nothing." for chunk in chunks]
    documents: defaultdict[str, list[str]] = defaultdict(list)
    for number, text in enumerate(texts):
        documents[f"d{number % 6}"].append(text)
    groups = {f"d{number}": ("g",) for number in draw(st.sets(st.integers(0, 5), max_size=2))}
    return named(documents, groups=groups)


@settings(max_examples=40, deadline=None)
@given(found=_random_collections(), size=st.integers(2, 6), top=st.integers(1, 4))
def test_every_hierarchy_keeps_its_invariants(found: Named, size: int, top: int) -> None:
    communities = found.communities(CommunitySettings(max_cluster_size=size, top_communities=top))
    by_id = {community.id: community for community in communities}
    texts = {chunk.id: chunk for chunk in found.collection.chunks}
    children: defaultdict[str, list[Community]] = defaultdict(list)
    for community in communities:
        assert community.chunk_ids
        assert len(community.entity_ids) > 1
        if community.parent_id is not None:
            children[community.parent_id].append(community)
            assert by_id[community.parent_id].level > community.level
        for sentence in community.report:
            assert set(sentence.chunk_ids) <= set(community.chunk_ids)
            assert texts[sentence.chunk_ids[0]].text[sentence.char_start : sentence.char_end] == sentence.text
    for community in communities:
        below = children[community.id]
        assert bool(below) == (community.level > 0)
        if below:
            assert len(below) > 1
            assert Counter(e for child in below for e in child.entity_ids) == Counter(community.entity_ids)
            assert {c for child in below for c in child.chunk_ids} == set(community.chunk_ids)
    for audience in {community.groups for community in communities}:
        members = Counter(e for c in _finest(communities) if c.groups == audience for e in c.entity_ids)
        assert set(members.values()) <= {1}

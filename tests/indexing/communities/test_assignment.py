from indexing.communities.assignment import assign_documents
from tests.indexing.communities.named_collections import Named, named

TEXTS = {
    "a": ["Ada met Bob there. Ada met Bob again."],
    "b": ["Ada met Bob. Cid met Dan. Cid met Dan once more."],
    "c": ["Cid met Dan."],
    "d": ["nobody came."],
}


def _by_names(found: Named) -> dict[str, set[str]]:
    communities = [community for community in found.communities() if community.level == 0]
    names = {community.id: found.names(community) for community in communities}
    assigned = assign_documents(found.collection.chunks, found.mentions, communities)
    return {document: names[community] for document, community in assigned.items()}


def test_documents_go_where_most_of_their_mentions_go() -> None:
    assigned = _by_names(named(TEXTS))
    assert assigned["a"] == {"Ada", "Bob"}
    assert assigned["c"] == {"Cid", "Dan"}
    assert assigned["b"] == {"Cid", "Dan"}


def test_documents_without_members_are_left_out() -> None:
    assert set(_by_names(named(TEXTS))) == {"a", "b", "c"}
    assert assign_documents((), (), ()) == {}


def test_rare_names_outvote_common_ones() -> None:
    texts = {f"x{number}": ["Ada met Bob there."] for number in range(20)}
    assigned = _by_names(named({**texts, "y": ["Ada was away. Bob was away.", "Cid met Dan."]}))
    assert assigned["y"] == {"Cid", "Dan"}


def test_each_audience_has_its_own_community() -> None:
    found = named(TEXTS, groups={"a": ("g",), "c": ("g", "h")})
    groups = {community.id: community.groups for community in found.communities()}
    assigned = assign_documents(found.collection.chunks, found.mentions, found.communities())
    assert {document: groups[community] for document, community in assigned.items()} == {
        "a": ("g",),
        "b": (),
        "c": ("g", "h"),
    }

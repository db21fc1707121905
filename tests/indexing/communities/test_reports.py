from graph_store.records import Community
from indexing.communities.settings import CommunitySettings
from tests.indexing.communities.named_collections import Named, entity_id, named

OCEAN = ["Ada sailed the ship with Bob.", "Ada mended the sails before Bob woke.", "Bob and Ada reached the harbour."]
EVERYWHERE = {f"x{number}": [f"Zed met Yan{number} and Xu{number} at the fair."] for number in range(6)}


def _community_of(found: Named, name: str, level: int = 0) -> Community:
    (community,) = [c for c in found.communities() if c.level == level and entity_id(name) in c.entity_ids]
    return community


def test_title_names_what_stands_here_most_and_nowhere_else() -> None:
    texts = {"o": [*OCEAN, "Zed saw Ada and Bob once."], **EVERYWHERE}
    assert set(_community_of(named(texts), "Ada").title.partition(": ")[2].split(", ")) == {"Ada", "Bob"}


def test_title_tells_a_theme_before_the_names() -> None:
    theme, _, names = _community_of(named({"o": OCEAN}), "Ada").title.partition(": ")
    assert set(names.split(", ")) == {"Ada", "Bob"}
    assert "ship" in theme.casefold() or "harbour" in theme.casefold()
    assert not {"ada", "bob"} & set(theme.casefold().split())


def test_report_is_made_of_sentences_that_name_members() -> None:
    found = named({"o": [f"{text} The weather stayed quite calm and mild that day." for text in OCEAN]})
    report = _community_of(found, "Ada").report
    assert report
    assert all("Ada" in sentence.text or "Bob" in sentence.text for sentence in report)


def test_parent_report_covers_its_children() -> None:
    texts = {
        f"d{number:02}": [f"Anna{number} met Bert{number} at harbour {number % 5} with friend {number % 7}."]
        for number in range(30)
    }
    communities = named(texts).communities(CommunitySettings(top_communities=3, max_report_sentences=4))
    by_id = {community.id: community for community in communities}
    told = {sentence.text for community in communities if community.level == 0 for sentence in community.report}
    tops = [community for community in communities if community.parent_id is None]
    assert 2 <= len(tops) <= 4
    for top in tops:
        below = [community for community in communities if community.parent_id == top.id]
        assert {sentence.text for sentence in top.report} <= told
        assert len(top.report) <= 4
        assert {chunk for child in below for chunk in by_id[child.id].chunk_ids} == set(top.chunk_ids)


def test_key_relations_are_the_heaviest_of_this_audience() -> None:
    relations = [("Bob", "Ada", ("o/0", "o/1")), ("Ada", "Bob", ("o/2",)), ("Ada", "Zed", ("elsewhere",))]
    community = _community_of(named({"o": OCEAN}, relations=relations), "Ada")
    assert community.key_relation_ids == ("Ada-Bob", "Bob-Ada")


def test_key_lists_are_bounded() -> None:
    crowd = " and ".join(f"Person{number}" for number in range(15))
    relations = [(f"Person{number}", f"Person{number + 1}", ("d/0",)) for number in range(14)]
    found = named({"d": [f"{crowd} met in the hall."]}, relations=relations)
    (community,) = found.communities(CommunitySettings(resolution=0.05))
    assert len(community.entity_ids) == 15
    assert len(community.key_entity_ids) == CommunitySettings().key_entities
    assert len(community.key_relation_ids) == CommunitySettings().key_relations

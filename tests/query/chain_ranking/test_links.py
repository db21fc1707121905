from math import log

import pytest

from query.chain_ranking.links import LinkFinder, Links
from tests.query.chain_ranking.hand_made import HandMade, Told, hand_made

TOWER = Told(title="Skerry Tower", sentences=("A tower.", "Ida Holm built it."), mentions=("Ida Holm",))
WOMAN = Told(title="Ida Holm", sentences=("She lived in Bergvik.",), mentions=("Bergvik",), about=("Ida Holm",))
BRIDGE = Told(title="Gorge Bridge", sentences=("Its builder was Ida Holm too.",), mentions=("Ida Holm",))
SHEEP = Told(title="Sheep", sentences=("Sheep eat grass.",))


def links_of(pool: HandMade, *anchors: int, most_holders: int = 40, most_homes: int = 3) -> Links:
    finder = LinkFinder(pool.evidence, pool.names, most_holders=most_holders, most_homes=most_homes)
    return finder.links(anchors)


def pairs(links: Links) -> set[tuple[int, int]]:
    return set(zip(links.anchor.tolist(), links.target.tolist(), strict=True))


def test_a_shared_uncommon_name_links_both_ways() -> None:
    links = links_of(hand_made("Who built the tower?", [TOWER, BRIDGE, SHEEP]), 0, 1)
    assert pairs(links) == {(0, 1), (1, 0)}
    assert links.bridges == ("ida holm", "ida holm")
    assert links.anchor_names.tolist() == links.target_names.tolist() == links.is_subject.tolist() == [0.0, 0.0]


def test_an_anchor_that_names_what_a_passage_is_about_links_to_it() -> None:
    links = links_of(hand_made("Who built the tower?", [TOWER, WOMAN, SHEEP]), 0)
    assert pairs(links) == {(0, 1)}
    assert (links.anchor_names[0], links.target_names[0], links.is_subject[0], links.in_title[0]) == (1, 0, 1, 1)
    assert links.sentence.tolist() == [1]


def test_a_passage_that_names_what_the_anchor_is_about_is_linked_in_reverse() -> None:
    links = links_of(hand_made("Who built the tower?", [TOWER, WOMAN]), 1)
    assert pairs(links) == {(1, 0)}
    assert (links.anchor_names[0], links.target_names[0], links.is_subject[0]) == (0, 1, 0)
    # The name stands in the anchor's title alone.
    assert links.sentence.tolist() == [-1]


def test_an_anchor_names_a_subject_even_where_no_mention_was_extracted() -> None:
    unread = Told(title="Skerry Tower", sentences=("Ida Holm built it.",))
    assert pairs(links_of(hand_made("Who built the tower?", [unread, WOMAN]), 0)) == {(0, 1)}


def test_a_name_of_the_question_is_no_shared_bridge_but_may_be_a_subject() -> None:
    question = "What did Ida Holm build?"
    assert pairs(links_of(hand_made(question, [TOWER, BRIDGE]), 0, 1)) == set()
    assert pairs(links_of(hand_made(question, [TOWER, WOMAN]), 0)) == {(0, 1)}


def test_a_name_in_too_many_passages_links_nothing() -> None:
    crowd = [TOWER, BRIDGE, *(Told(title=f"Pier {n}", mentions=("Ida Holm",)) for n in range(3))]
    assert len(links_of(hand_made("Which tower?", crowd), 0, most_holders=5).target) == 4
    assert len(links_of(hand_made("Which tower?", crowd), 0, most_holders=4).target) == 0


def test_a_name_that_many_passages_are_about_leads_to_none_of_them() -> None:
    homes = [Told(title=f"Ida Holm {n}", about=("Ida Holm",)) for n in range(2)]
    unread = Told(title="Skerry Tower", sentences=("Ida Holm built it.",))
    pool = hand_made("Which tower?", [unread, *homes])
    assert pairs(links_of(pool, 0, most_homes=2)) == {(0, 1), (0, 2)}
    assert pairs(links_of(pool, 0, most_homes=1)) == set()


def test_empty_titles_never_link() -> None:
    untitled = [Told(title="", sentences=(text,), about=("",)) for text in ("One thing.", "Another thing.")]
    assert pairs(links_of(hand_made("Which thing?", untitled), 0, 1)) == set()


def test_a_passage_never_links_to_itself_and_anchors_keep_their_order() -> None:
    links = links_of(hand_made("Which tower?", [TOWER, WOMAN, BRIDGE]), 2, 0, 1)
    assert (links.anchor != links.target).all()
    assert links.anchors == (2, 0, 1)
    assert all(links.anchors[place] == anchor for place, anchor in zip(links.place, links.anchor, strict=True))
    assert links.anchor.tolist() == sorted(links.anchor.tolist(), key=links.anchors.index)


def test_no_anchor_no_link() -> None:
    links = links_of(hand_made("Which tower?", [TOWER, WOMAN]))
    assert links.anchors == ()
    assert links.bridges == ()
    assert len(links.anchor) == len(links.rarity) == 0


def test_the_best_bridge_is_the_name_of_the_sentence_that_is_nearest_to_the_question() -> None:
    names = ("Ida Holm", "Otto Krag")
    told = ("The lamp was lit by Otto Krag.", "Ida Holm ate herring.")
    pool = hand_made(
        "Who lit the lamp?",
        [Told(title="Tower", sentences=told, mentions=names), Told(title="Two people", mentions=names)],
    )
    links = links_of(pool, 0)
    assert links.bridges == ("otto krag",)
    assert links.sentence.tolist() == [0]
    assert links.shared.tolist() == [2.0]


def test_rarity_is_the_logarithm_of_the_share_of_passages_without_the_name() -> None:
    links = links_of(hand_made("Which tower?", [TOWER, BRIDGE, SHEEP]), 0)
    assert links.rarity.tolist() == [pytest.approx(log(4 / 2))]

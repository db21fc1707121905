from itertools import pairwise

import numpy as np
import pytest

from query.chain_ranking.chains import chain_of, chain_steps
from query.chain_ranking.links import LinkFinder, Links
from tests.query.chain_ranking.hand_made import HandMade, Told, hand_made

NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elder")


def line(question: str = "Which lamp of Alder burned oil?") -> HandMade:
    """Passages of which each names the next one's subject, and the last names the first's."""
    following = (*NAMES[1:], NAMES[0])
    return hand_made(
        question,
        [
            Told(title=name, sentences=(f"{name} is old.", f"It led to {after}."), about=(name,))
            for name, after in zip(NAMES, following, strict=True)
        ],
    )


def forward_links(pool: HandMade) -> tuple[Links, np.ndarray]:
    """All links of the pool, and scores by which those to the next passage are best."""
    links = LinkFinder(pool.evidence, pool.names, most_holders=40, most_homes=3).links(range(pool.evidence.size))
    return links, np.where((links.anchor + 1) % len(NAMES) == links.target, 1.0, -1.0)


def visited(pool: HandMade, index: int, scores: list[float]) -> list[int]:
    links, link_scores = forward_links(pool)
    rows = chain_of(pool.evidence, links, link_scores, np.array(scores), index)
    assert all(links.target[row] == links.anchor[after] for row, after in pairwise(rows))
    return [*(int(links.anchor[row]) for row in rows), index]


def test_a_chain_is_told_from_its_first_passage_on() -> None:
    pool = line().changed(asked_home=np.array([1.0, 0, 0, 0, 0]))
    assert visited(pool, 2, [1.0] * 5) == [0, 1, 2]


def test_a_chain_has_four_passages_at_most() -> None:
    assert visited(line(), 4, [1.0] * 5) == [1, 2, 3, 4]


def test_a_chain_goes_in_no_circle() -> None:
    pool = hand_made(
        "Which lamp?",
        [
            Told(title="Alder", sentences=("Near Birch.",), about=("Alder",)),
            Told(title="Birch", sentences=("Near Alder.",), about=("Birch",)),
        ],
    )
    links = LinkFinder(pool.evidence, pool.names, most_holders=40, most_homes=3).links([0, 1])
    rows = chain_of(pool.evidence, links, np.zeros(len(links.anchor)), np.ones(2), 0)
    assert links.anchor[list(rows)].tolist() == [1]


def test_what_the_question_names_needs_no_chain() -> None:
    pool = line().changed(asked_home=np.array([0, 0, 1.0, 0, 0]))
    assert visited(pool, 2, [1.0] * 5) == [2]


def test_an_unlikely_passage_leads_nowhere_unless_the_question_names_it() -> None:
    scores = [-9.0, 1.0, 1.0, 1.0, 1.0]
    assert visited(line(), 2, scores) == [1, 2]
    assert visited(line().changed(asked_home=np.array([1.0, 0, 0, 0, 0])), 2, scores) == [0, 1, 2]


def test_without_links_a_passage_stands_alone() -> None:
    pool = hand_made("Which lamp?", [Told(title="Grass"), Told(title="Sheep")])
    links = LinkFinder(pool.evidence, pool.names, most_holders=40, most_homes=3).links([0, 1])
    assert chain_of(pool.evidence, links, np.zeros(0), np.zeros(2), 1) == ()
    (step,) = chain_steps(pool.evidence, links, (), 1)
    assert (step.chunk_id, step.title, step.bridge, step.sentence, step.explains) == ("c1", "Sheep", "", None, ())


def test_steps_name_the_bridge_its_sentence_and_what_each_explains() -> None:
    pool = hand_made(
        "Where was the keeper of Skerry Tower born?",
        [
            Told(title="Skerry Tower", sentences=("A tower.", "Its keeper was Otto Krag."), about=("Skerry Tower",)),
            Told(title="Otto Krag", sentences=("Born in a tower.",), about=("Otto Krag",)),
        ],
    )
    links = LinkFinder(pool.evidence, pool.names, most_holders=40, most_homes=3).links([0])
    rows = chain_of(pool.evidence, links, np.zeros(1), np.ones(2), 1)
    first, second = chain_steps(pool.evidence, links, rows, 1)
    assert (first.bridge, first.sentence, second.bridge) == ("", None, "otto krag")
    assert first.explains == ("keeper", "Skerry", "Tower")
    assert second.explains == ("born",)
    assert second.sentence is not None
    start, end = second.sentence
    assert pool.evidence.chunks[0].text[start:end] == "Its keeper was Otto Krag."


def test_a_bridge_in_the_title_alone_has_no_sentence() -> None:
    pool = hand_made(
        "Who wrote of the tower?",
        [Told(title="Otto Krag", about=("Otto Krag",)), Told(title="Tower", sentences=("Otto Krag wrote of it.",))],
    )
    links = LinkFinder(pool.evidence, pool.names, most_holders=40, most_homes=3).links([0])
    steps = chain_steps(pool.evidence, links, (0,), 1)
    assert steps[1].bridge == "otto krag"
    assert steps[1].sentence is None


@pytest.mark.parametrize("index", range(5))
def test_no_passage_comes_twice_in_a_chain(index: int) -> None:
    found = visited(line(), index, [1.0] * 5)
    assert len(found) == len(set(found)) <= 4

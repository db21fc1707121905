import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query.chain_ranking.arrays import Vector
from query.chain_ranking.links import Links
from query.chain_ranking.rounds import _union_of_others, best_per_target, link_summary
from query.chain_ranking.settings import ChainSettings
from tests.query.chain_ranking.hand_made import HandMade, Told, hand_made

NO_LINK = -6.0
ENDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-8, 8)), max_size=12)


def links_between(pairs: list[tuple[int, int]]) -> Links:
    """Links of which the ends alone matter; the places of anchors are their numbers."""
    anchors = np.array([anchor for anchor, _ in pairs], dtype=np.int64)
    nothing = np.zeros(len(pairs))
    return Links(
        anchors=(0, 1, 2, 3, 4),
        anchor=anchors,
        target=np.array([target for _, target in pairs], dtype=np.int64),
        place=anchors,
        bridges=("",) * len(pairs),
        sentence=np.full(len(pairs), -1),
        rarity=nothing,
        is_subject=nothing,
        in_title=nothing,
        shared=nothing,
        anchor_names=nothing,
        target_names=nothing,
    )


@pytest.fixture
def pool() -> HandMade:
    return hand_made(
        "Where was the keeper of Skerry Tower born?",
        [
            Told(title="Skerry Tower", sentences=("Its keeper was Otto Krag.",), mentions=("Otto Krag",)),
            Told(
                title="Otto Krag", sentences=("He was born in Bergvik.",), mentions=("Bergvik",), about=("Otto Krag",)
            ),
            Told(title="Bergvik", sentences=("A town.",), about=("Bergvik",)),
        ],
    ).changed(mass=np.array([1.0, 0.5, 0.0]))


def test_a_summary_of_links_tells_best_second_and_trust() -> None:
    links = links_between([(0, 2), (1, 2), (3, 2), (2, 4)])
    summary = link_summary(links, np.array([1.0, 3.0, 2.0, -1.0]), np.array([0.1, 0.2, 0.3, 0.4, 0.5]), 5)
    assert summary["link_best"].tolist() == [NO_LINK, NO_LINK, 3.0, NO_LINK, -1.0]
    assert summary["link_second"].tolist() == [NO_LINK, NO_LINK, 2.0, NO_LINK, NO_LINK]
    assert summary["link_trust"].tolist() == [0.0, 0.0, 0.2, 0.0, 0.3]
    assert summary["link_as_anchor"].tolist() == [1.0, 3.0, -1.0, 2.0, NO_LINK]
    assert summary["link_behind"].tolist() == [-9.0, -9.0, 0.0, -9.0, -4.0]
    assert summary["link_anchor_behind"].tolist() == [-2.0, 0.0, -4.0, -1.0, -9.0]


def test_a_hopeless_link_is_still_told_from_none() -> None:
    summary = link_summary(links_between([(0, 1)]), np.array([-20.0]), np.full(5, 0.5), 3)
    assert summary["link_best"][1] > summary["link_best"][2] == NO_LINK
    assert summary["link_trust"].tolist() == [0.0, 0.5, 0.0]


@given(ENDS)
@example([(0, 0, -6), (0, 0, -7), (0, 0, 0)])
def test_a_summary_agrees_with_a_loop(ends: list[tuple[int, int, int]]) -> None:
    # Scores are made distinct: which of two equals comes first is of no interest.
    scores = np.array([score + place / 100 for place, (_, _, score) in enumerate(ends)])
    strengths = np.linspace(0.1, 0.9, num=5)
    summary = link_summary(links_between([(anchor, target) for anchor, target, _ in ends]), scores, strengths, 5)
    for target in range(5):
        own = sorted((score, ends[place][0]) for place, score in enumerate(scores) if ends[place][1] == target)
        assert summary["link_best"][target] == pytest.approx(max(NO_LINK, own[-1][0]) if own else NO_LINK, abs=1e-5)
        assert summary["link_second"][target] == (own[-2][0] if len(own) > 1 else NO_LINK)
        assert summary["link_trust"][target] == (strengths[own[-1][1]] if own else 0.0)


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=2), min_size=1, max_size=7),
    st.integers(1, 4),
    st.integers(0, 99),
)
def test_the_union_of_others_agrees_with_a_loop(rows: list[list[int]], count: int, seed: int) -> None:
    values = np.array(rows, dtype=np.float64)
    order = np.random.default_rng(seed).permutation(len(rows))
    found = _union_of_others(values, order, count)
    for row in range(len(rows)):
        others = [index for index in order.tolist() if index != row][:count]
        expected = values[others].max(axis=0) if others else np.zeros(2)
        np.testing.assert_array_equal(found[row], expected)


def test_the_best_per_target_is_never_below_none() -> None:
    links = links_between([(0, 1), (2, 1), (1, 2)])
    assert best_per_target(links, np.array([0.2, 0.7, -1.0]), 4).tolist() == [0.0, 0.7, 0.0, 0.0]


def test_the_first_round_starts_from_the_walk_and_the_second_from_the_scores(pool: HandMade) -> None:
    rounds = pool.rounds(ChainSettings(anchors=2))
    first, later = rounds.first(), rounds.after(np.array([-9.0, 2.0, 1.0]))
    assert first.links.anchors == (0, 1)
    assert first.strengths.tolist() == [1.0, 0.5]
    assert later.links.anchors == (1, 2)
    np.testing.assert_allclose(later.strengths, 1.0 / (1.0 + np.exp([-2.0, -1.0])))


def test_what_a_later_round_knows_of_the_one_before(pool: HandMade) -> None:
    scores = np.array([-1.0, 2.0, 1.0])
    data = pool.rounds().after(scores)
    assert data.extra["score"].tolist() == scores.tolist()
    assert data.extra["score_place"].tolist() == [1 / 3, 1.0, 1 / 2]
    assert data.extra["score_behind"].tolist() == [-3.0, 0.0, -1.0]
    assert data.extra["score_same_above"].tolist() == [0.0, 0.0, 0.0]
    assert data.link_columns["score_target"].tolist() == scores[data.links.target].tolist()
    assert data.link_columns["score_anchor"].tolist() == scores[data.links.anchor].tolist()
    strengths = dict(zip(data.links.anchors, data.strengths, strict=True))
    # Otto Krag's passage is reached from the tower's and, in reverse, from that of Bergvik.
    assert data.extra["trust_sum"][1] == pytest.approx(strengths[0] + strengths[2])
    assert data.extra["trust_best"][1] == pytest.approx(max(strengths[0], strengths[2]))


def test_what_a_passage_adds_to_the_best_others(pool: HandMade) -> None:
    data = pool.rounds().after(np.array([3.0, 2.0, 1.0]))
    # Words asked: keeper, skerry, tower (in the first passage) and born (in the second).
    assert data.extra["new_words_1"].tolist() == pytest.approx([0.75, 0.25, 0.0])
    assert data.extra["new_1"].tolist() == pytest.approx([2.25, 0.75, 0.0])
    assert data.extra["top_covered"].tolist() == pytest.approx([3.0, 3.0, 3.0])


def test_the_columns_of_a_round_are_finite_and_as_many_as_passages(pool: HandMade) -> None:
    rounds = pool.rounds()
    for data in (rounds.first(), rounds.after(np.zeros(3))):
        columns = rounds.columns(data, np.zeros(len(data.links.anchor)))
        assert all(values.shape == (3,) and np.isfinite(values).all() for values in columns.values())


def named(values: dict[str, Vector]) -> set[str]:
    return set(values)


def test_every_feature_of_a_round_stands_within_the_pool_too(pool: HandMade) -> None:
    names = named(pool.rounds().first().extra)
    raw = {name for name in names if not name.startswith("z_")}
    assert names == raw | {f"z_{name}" for name in raw}

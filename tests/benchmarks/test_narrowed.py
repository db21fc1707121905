import numpy as np
import pytest

from benchmarks.ablation import parts
from benchmarks.narrowed import Dropped, NarrowedRounds, is_named, narrowed
from query.chain_ranking.fitting import fit_rounds
from query.chain_ranking.ranker import Rounds
from query.settings import LocalSettings
from tests.query.chain_ranking.hand_made import joining_pool


@pytest.mark.parametrize(
    ("name", "patterns", "named"),
    [
        ("hop", ("hop",), True),
        ("hop_by_link", ("hop",), False),
        ("hop_by_link", ("hop_*",), True),
        ("z_walk_mass", ("*_mass",), True),
        ("z_target_mass", ("target_mass",), True),
        ("covered", ("dense", "bm25"), False),
        ("covered", (), False),
    ],
)
def test_a_pattern_names_a_column_and_its_standing(name: str, patterns: tuple[str, ...], *, named: bool) -> None:
    assert is_named(name, patterns) is named


def columns_of(rounds: Rounds) -> tuple[set[str], set[str]]:
    """Return the names of all columns of passages and of links in both rounds."""
    first = rounds.first()
    second = rounds.after(np.zeros(rounds.size))
    passages = {name for data in (first, second) for name in rounds.columns(data, np.zeros(len(data.links.anchor)))}
    return passages, {*first.link_columns, *second.link_columns}


def test_columns_are_gone_from_both_rounds_and_the_others_stay() -> None:
    whole = joining_pool(0).rounds
    passages, links = columns_of(whole)
    less, fewer = columns_of(NarrowedRounds(whole, Dropped(passages=("dense", "score"), links=("gain",))))
    assert passages - less == {"dense", "z_dense", "score", "z_score"}
    assert links - fewer == {"gain"}


def test_nothing_dropped_trains_the_same_weights() -> None:
    pools = [joining_pool(number) for number in range(8)]
    (whole,), (same,) = (fit_rounds(own, rounds=1, seed=0) for own in (pools, narrowed(pools, Dropped())))
    assert np.array_equal(whole.passage.weights, same.passage.weights)
    assert np.array_equal(whole.link.weights, same.link.weights)


def test_every_pattern_of_the_ablation_names_a_column() -> None:
    passages, links = columns_of(joining_pool(0).rounds)
    for part in parts(LocalSettings()):
        for pattern in part.dropped.passages:
            assert any(is_named(name, (pattern,)) for name in passages), (part.name, pattern)
        for pattern in part.dropped.links:
            assert any(is_named(name, (pattern,)) for name in links), (part.name, pattern)


def test_parts_have_names_of_their_own() -> None:
    names = [part.name for part in parts(LocalSettings())]
    assert len(set(names)) == len(names)

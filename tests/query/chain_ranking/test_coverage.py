from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.bundles import TokenVectors
from graph_store.records import Sentence
from query.chain_ranking.coverage import highest_in_segments, token_table, unit_tokens, word_scale
from query.chain_ranking.evidence import ToldSentences, passage_coverage, sentence_nearness

COUNTS = st.lists(st.integers(min_value=0, max_value=5), min_size=1, max_size=8)


def tokens(count: int, seed: int = 0, width: int = 6) -> TokenVectors:
    vectors = np.random.default_rng(seed).normal(size=(count, width))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return TokenVectors(
        starts=np.arange(-1, count - 1, dtype=np.int32), vectors=np.rint(127.0 * vectors).astype(np.int8)
    )


def test_a_table_keeps_the_passages_apart() -> None:
    items = [tokens(2, 1), tokens(0), tokens(3, 2)]
    table = token_table(items)
    assert table.bounds.tolist() == [0, 2, 2, 5]
    assert table.starts.tolist() == [-1, 0, -1, 0, 1]
    np.testing.assert_array_equal(table.vectors[2:], unit_tokens(items[2].vectors))


@pytest.mark.parametrize("items", [[], [tokens(0)], [tokens(0), tokens(0)]])
def test_a_table_without_tokens_is_empty(items: list[TokenVectors]) -> None:
    table = token_table(items)
    assert len(table.vectors) == len(table.starts) == 0
    assert table.bounds.tolist() == [0] * (len(items) + 1)


def test_tokens_are_of_unit_length_but_for_rounding() -> None:
    lengths = np.linalg.norm(unit_tokens(tokens(50, 3, 64).vectors), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=0.02)


@given(COUNTS, st.integers(min_value=0, max_value=9))
def test_highest_in_segments_agrees_with_a_loop(counts: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).uniform(-1, 1, size=(sum(counts), 3))
    bounds = np.cumsum([0, *counts])
    expected = [values[a:b].max(axis=0) if b > a else np.full(3, -1.0) for a, b in pairwise(bounds)]
    np.testing.assert_array_equal(highest_in_segments(values, bounds[:-1], bounds[1:]), expected)


def test_segments_may_overlap_and_leave_gaps() -> None:
    values = np.array([[1.0], [5.0], [2.0], [9.0]])
    begins, ends = np.array([0, 1, 3, 2]), np.array([2, 3, 3, 3])
    assert highest_in_segments(values, begins, ends).ravel().tolist() == [5.0, 5.0, -1.0, 2.0]


@given(COUNTS, st.integers(min_value=1, max_value=4))
def test_coverage_of_passages_agrees_with_late_interaction_by_a_loop(counts: list[int], asked: int) -> None:
    table = token_table([tokens(count, place) for place, count in enumerate(counts)])
    question = unit_tokens(tokens(asked, 99).vectors)
    width = table.vectors.shape[1] or 6
    cosines = (table.vectors.reshape(-1, width) @ question.T).astype(np.float64)
    pieces = np.full((asked, 1), 1.0 / asked)
    expected = []
    for first, last in pairwise(table.bounds):
        nearest = [max((float(row[word]) for row in cosines[first:last]), default=-1.0) for word in range(asked)]
        expected.append([sum(nearest) / asked])
    np.testing.assert_allclose(passage_coverage(table, cosines, pieces), expected)


def test_a_sentence_is_near_by_the_tokens_that_start_in_it() -> None:
    # One passage of five tokens: title, two of the first sentence, one between, one of the second.
    item = TokenVectors(starts=np.array([-1, 0, 4, 9, 12], dtype=np.int32), vectors=np.zeros((5, 2), dtype=np.int8))
    spans = ((0, 8), (10, 20), (30, 40))
    told = ToldSentences(
        sentences=tuple(
            Sentence(chunk_id="c", position=place, char_start=start, char_end=end)
            for place, (start, end) in enumerate(spans)
        ),
        vectors=np.zeros((3, 2), dtype=np.float32),
        bounds=np.array([0, 3]),
    )
    cosines = np.array([[0.9], [0.1], [0.3], [0.8], [0.5]])
    near = sentence_nearness(token_table([item]), cosines, np.ones((1, 1)), told)
    assert near.ravel().tolist() == [0.3, 0.5, -1.0]


def test_sentences_of_the_second_passage_take_its_own_tokens() -> None:
    items = [tokens(2), TokenVectors(starts=np.array([0, 3], dtype=np.int32), vectors=np.zeros((2, 6), dtype=np.int8))]
    told = ToldSentences(
        sentences=(Sentence(chunk_id="b", position=0, char_start=0, char_end=3),),
        vectors=np.zeros((1, 6), dtype=np.float32),
        bounds=np.array([0, 0, 1]),
    )
    near = sentence_nearness(token_table(items), np.array([[0.9], [0.8], [0.2], [0.7]]), np.ones((1, 1)), told)
    assert near.tolist() == [[0.2]]


@given(st.lists(st.floats(min_value=-1, max_value=1), min_size=1, max_size=20), st.floats(min_value=-1, max_value=1))
def test_standard_scores_lie_between_zero_and_six_and_never_fall(sample: list[float], nearness: float) -> None:
    scale = word_scale(np.array(sample)[:, None])
    low, high = scale.standard(np.array([[nearness], [nearness + 0.1]])).ravel()
    assert 0.0 <= low <= high <= 6.0


def test_what_is_usual_covers_nothing() -> None:
    scale = word_scale(np.array([[0.5, 0.1], [0.7, 0.1]]))
    assert scale.standard(np.array([[0.6, 0.1]])).tolist() == [[0.0, 0.0]]
    # A word that is equally near to all of the sample stands out by the least spread alone.
    assert scale.standard(np.array([[0.6, 0.16]]))[0, 1] == pytest.approx(2.0)


def test_without_a_sample_the_scale_is_neutral() -> None:
    scale = word_scale(np.zeros((0, 2)))
    np.testing.assert_allclose(scale.standard(np.array([[0.5, -0.5]])), [[0.5 / 1.03, 0.0]])

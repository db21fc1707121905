from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_clients.bundled_model import bundled_model
from model_clients.hashing_embedder import HashingEmbedder
from model_clients.settings import EmbedderSettings
from model_clients.token_projection_training import main_directions, second_moments
from model_clients.token_vectors import projected_tokens, quantised_rows, read_projection
from model_clients.unit_rows import unit_rows


def unit_matrix(seed: int, rows: int, columns: int) -> np.ndarray:
    return unit_rows(np.random.default_rng(seed).standard_normal((rows, columns)))


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(2, 400))
def test_eight_bits_are_enough_for_cosines(seed: int, columns: int) -> None:
    rows = unit_matrix(seed, 20, columns)
    bytes_as_floats = quantised_rows(rows).astype(np.float32) / 127
    assert np.abs(bytes_as_floats @ bytes_as_floats.T - rows @ rows.T).max() < 0.025


def test_the_shipped_projection_is_orthonormal_and_named_by_its_content() -> None:
    model = bundled_model(EmbedderSettings().model)
    assert model is not None
    projection = read_projection(model.token_projection)
    assert projection.matrix.shape == (model.dimension, 64)
    assert projection.matrix.dtype == np.float32
    assert np.allclose(projection.matrix.T @ projection.matrix, np.eye(64), atol=2e-3)
    assert projection.space.startswith("pca64@")


def test_another_file_is_another_space(tmp_path: Path) -> None:
    spaces = set()
    for name, matrix in (("a", np.eye(4, 2)), ("b", np.eye(4, 2) * 2), ("c", np.eye(4, 3))):
        np.save(tmp_path / f"{name}.npy", matrix.astype(np.float16))
        spaces.add(read_projection(tmp_path / f"{name}.npy").space)
    assert len(spaces) == 3


def test_projected_tokens_have_unit_length(tmp_path: Path) -> None:
    np.save(tmp_path / "first_two.npy", np.eye(4, 2, dtype=np.float16))
    rows = unit_rows(np.array([[3.0, 4.0, 12.0, 0.0], [0.0, 0.0, 1.0, 0.0]]))
    found = projected_tokens(rows, read_projection(tmp_path / "first_two.npy"))
    assert found.tolist() == [[76, 102], [127, 0]]
    assert projected_tokens(rows, None).shape == (2, 4)
    assert projected_tokens(rows[:0], None).shape == (0, 4)


def test_main_directions_span_the_vectors_and_have_fixed_signs() -> None:
    basis = unit_matrix(1, 3, 12)
    rows = np.random.default_rng(2).standard_normal((200, 3)) @ basis
    moments = (rows.T @ rows).astype(np.float64)
    directions = main_directions(moments, 3).astype(np.float64)
    np.testing.assert_allclose(rows @ directions @ directions.T, rows, atol=0.02)
    assert (directions[np.abs(directions).argmax(axis=0), np.arange(3)] > 0).all()
    spread = ((rows @ directions) ** 2).sum(axis=0)
    assert list(spread) == sorted(spread, reverse=True)


@pytest.mark.parametrize("texts", [[], ["one two", "three " * 100]])
def test_second_moments_add_up_tokens(texts: list[str]) -> None:
    embedder = HashingEmbedder(dimension=16, max_tokens=50)
    moments = second_moments(texts, embedder)
    assert np.trace(moments) == pytest.approx(52 if texts else 0, rel=0.05), "a text is cut where the model stops"

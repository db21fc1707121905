"""Scaling of vectors to length 1."""

import numpy as np
from numpy.typing import NDArray

from model_clients.embedder import FloatMatrix, FloatVector


def unit_rows(matrix: NDArray[np.floating]) -> FloatMatrix:
    """Return the rows of an (n, d) matrix scaled to length 1 as float32; a row of zeros becomes the unit vector e0."""
    rows = np.array(matrix, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1)
    empty = lengths == 0
    rows[empty] = 0
    rows[empty, :1] = 1
    lengths[empty] = 1
    scaled: FloatMatrix = rows / lengths[:, None]
    return scaled


def unit_vector(vector: NDArray[np.floating]) -> FloatVector:
    """Return a (d,) vector scaled to length 1 as float32; zeros become the unit vector e0."""
    scaled: FloatVector = unit_rows(vector[None, :])[0]
    return scaled

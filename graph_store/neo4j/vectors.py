"""Vectors on their way to the server."""

from typing import TYPE_CHECKING

import numpy as np

from graph_store.bundles import FloatMatrix, FloatVector

if TYPE_CHECKING:
    from neo4j.vector import Vector


def sendable(vector: FloatVector, *, as_vector: bool) -> "Vector | list[float]":
    """Return a vector as a parameter: as such where Bolt 6 is spoken, else as a list of numbers."""
    if not as_vector:
        numbers: list[float] = vector.astype(np.float64).tolist()
        return numbers
    from neo4j.vector import Vector  # noqa: PLC0415  # only where the server knows vectors

    return Vector(vector.astype(">f4").tobytes(), "f32", byteorder="big")


def sendable_rows(matrix: FloatMatrix, *, as_vector: bool) -> "list[Vector | list[float]]":
    """Return the rows of (n, d) as parameters."""
    return [sendable(row, as_vector=as_vector) for row in matrix]


def from_list(values: list[list[float]], dimension: int) -> FloatMatrix:
    """Return (n, d) float32 from what the server keeps: the numbers are those that were sent, bit by bit."""
    return np.array(values, dtype=np.float32).reshape(len(values), dimension)

"""Vector files beside the database: caches that a manifest vouches for, replaced as a whole and never needed.

A file is written under a temporary name, synced and renamed, then the manifest likewise, so a crash leaves the old pair
or the new one. The manifest tells sequence, dimension, metric, model, row count, and the size and CRC-32 of its files.
"""

import json
import os
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from graph_store.bundles import FloatMatrix
from graph_store.records import SearchKind

_METRIC = "cosine"
_READ_BYTES = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorManifest:
    """What the files of one kind hold. ``graph_size`` is 0 where there is no graph."""

    sequence: int
    dimension: int
    model: str
    rows: int
    matrix_size: int
    matrix_crc: int
    graph_size: int
    graph_crc: int
    metric: str = _METRIC


class VectorFiles:
    """The files of one kind and tenant in the folder of its indexes."""

    def __init__(self, folder: Path, kind: SearchKind) -> None:
        self._folder = folder
        self._kind = kind

    def read_manifest(self) -> VectorManifest | None:
        """Return the manifest; None where it is missing or unreadable."""
        try:
            fields = json.loads(self._manifest.read_text(encoding="utf-8"))
            return VectorManifest(**fields)
        except (OSError, ValueError, TypeError):
            return None

    @property
    def _manifest(self) -> Path:
        return self._folder / f"vectors-{self._kind}.json"

    def matrix_path(self, sequence: int) -> Path:
        """Return where the matrix of a sequence stands."""
        return self._folder / f"vectors-{self._kind}-{sequence}.npy"

    def graph_path(self, sequence: int) -> Path:
        """Return where the graph of a sequence stands."""
        return self._folder / f"vectors-{self._kind}-{sequence}.hnsw"

    def read_matrix(self, manifest: VectorManifest) -> FloatMatrix | None:
        """Map the matrix (rows, dimension) float32 into memory; None where it is not what the manifest says."""
        path = self.matrix_path(manifest.sequence)
        if not _is_as_written(path, manifest.matrix_size, manifest.matrix_crc):
            return None
        try:
            matrix: FloatMatrix = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError):
            return None
        fits = matrix.shape == (manifest.rows, manifest.dimension) and matrix.dtype == np.float32
        return matrix if fits else None

    def whole_graph(self, manifest: VectorManifest) -> Path | None:
        """Return the file of the graph; None where there is none or it is not what the manifest says."""
        path = self.graph_path(manifest.sequence)
        whole = manifest.graph_size > 0 and _is_as_written(path, manifest.graph_size, manifest.graph_crc)
        return path if whole else None

    def write(
        self, matrix: FloatMatrix, *, sequence: int, model: str, save_graph: Callable[[Path], None] | None
    ) -> None:
        """Replace the files; raises ``OSError`` (or ``RuntimeError`` by hnswlib), then the old ones stay."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self.matrix_path(sequence)
        _replace(path, lambda temporary: _save_matrix(temporary, matrix))
        graph_size = graph_crc = 0
        if save_graph is not None:
            graph_path = self.graph_path(sequence)
            _replace(graph_path, save_graph)
            graph_size, graph_crc = graph_path.stat().st_size, _checksum(graph_path)
        manifest = VectorManifest(
            sequence=sequence,
            dimension=matrix.shape[1],
            model=model,
            rows=matrix.shape[0],
            matrix_size=path.stat().st_size,
            matrix_crc=_checksum(path),
            graph_size=graph_size,
            graph_crc=graph_crc,
        )
        text = json.dumps(asdict(manifest), indent=1)
        _replace(self._manifest, lambda temporary: temporary.write_text(text, encoding="utf-8"))
        self._remove_others(sequence)

    def remove(self) -> None:
        """Remove all files of the kind: what they held is gone, or too little to keep."""
        self._manifest.unlink(missing_ok=True)
        self._remove_others(None)

    def _remove_others(self, sequence: int | None) -> None:
        """Remove the files of other sequences; readers that have them open keep them until they close."""
        current = set() if sequence is None else {self.matrix_path(sequence), self.graph_path(sequence)}
        for path in (*self._folder.glob(f"vectors-{self._kind}-*"), *self._folder.glob(f"vectors-{self._kind}*.tmp")):
            if path not in current:
                path.unlink(missing_ok=True)


def _is_as_written(path: Path, size: int, checksum: int) -> bool:
    try:
        return path.stat().st_size == size and _checksum(path) == checksum
    except OSError:
        return False


def _checksum(path: Path) -> int:
    """Return the CRC-32 of a file; 0.1 s for 100,000 vectors of 384 dimensions."""
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            checksum = zlib.crc32(block, checksum)
    return checksum


def _save_matrix(path: Path, matrix: FloatMatrix) -> None:
    with path.open("wb") as file:
        np.save(file, np.ascontiguousarray(matrix, dtype=np.float32), allow_pickle=False)


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    temporary = path.with_name(f"{path.name}.tmp")
    write(temporary)
    _sync(temporary)
    temporary.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

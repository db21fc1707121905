from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graph_store.access import Access
from graph_store.bundles import DocumentBundle
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.filters import parse_filter
from graph_store.packing import quantise, restore
from graph_store.settings import StoreSettings
from tests.graph_store.builders import MODEL, document_bundle

DIMENSION = 24
CHUNKS = 600
PUBLIC = Access()
STAFF = Access(groups=frozenset({"staff"}))
WITH_GRAPH = StoreSettings(ann_threshold=100, exact_rows=20, vector_file_rows=1)


def unit_rows(count: int, seed: int) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION))
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def bundles() -> list[DocumentBundle]:
    vectors = unit_rows(CHUNKS, 0)
    made = []
    for index in range(CHUNKS):
        groups = ("staff",) if index % 2 else ()
        made.append(_with_vector(index, vectors[index], groups))
    return made


def _with_vector(index: int, vector: NDArray[np.float32], groups: tuple[str, ...] = ()) -> DocumentBundle:
    bundle = document_bundle(f"d{index:04d}", ["word"], groups=groups, metadata={"number": index})
    return replace(
        bundle, chunk_vectors=vector[None, :], sentences=(), sentence_vectors=vector[:0].reshape(0, DIMENSION)
    )


@pytest.fixture
def store(store_folder: Path) -> Iterator[EmbeddedStore]:
    with _opened(store_folder) as store:
        store.write_documents(bundles())
    with _opened(store_folder) as store:
        yield store


def _opened(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(folder, embedding_model=MODEL, dimension=DIMENSION, settings=WITH_GRAPH)


def nearest(question: NDArray[np.float32], chosen: list[int], k: int) -> list[str]:
    vectors = unit_rows(CHUNKS, 0)
    ranked = sorted(chosen, key=lambda index: (-round(float(vectors[index] @ question), 6), index))
    return [f"d{index:04d}-0" for index in ranked[:k]]


def found(
    store: EmbeddedStore, access: Access, question: NDArray[np.float32], k: int, condition: str = ""
) -> list[str]:
    filters = (parse_filter(condition),) if condition else ()
    return [hit.id for hit in store.search_vectors(access, question, kind="chunk", k=k, filters=filters)]


def has_graph(store: EmbeddedStore) -> bool:
    store.search_vectors(PUBLIC, unit_rows(1, 1)[0], kind="chunk", k=1)
    return store._vectors._held["default", "chunk"].graph is not None


@pytest.mark.skipif(find_spec("hnswlib") is None, reason="needs the extra 'ann'")
def test_the_graph_finds_nearly_what_exact_search_finds(store: EmbeddedStore) -> None:
    assert has_graph(store)
    recalled = 0
    for question in unit_rows(20, 5):
        expected = nearest(question, list(range(CHUNKS)), 10)
        hits = found(store, STAFF, question, 10)
        assert len(hits) == len(set(hits)) == 10
        recalled += len(set(hits) & set(expected))
    assert recalled >= 190


def test_audiences_and_filters_leave_k(store: EmbeddedStore) -> None:
    even = list(range(0, CHUNKS, 2))
    for question in unit_rows(5, 6):
        hits = found(store, PUBLIC, question, 10)
        assert len(hits) == 10
        assert all(int(hit[1:5]) % 2 == 0 for hit in hits)
        assert len(set(hits) & set(nearest(question, even, 10))) >= 9
        assert found(store, PUBLIC, question, 8, "number<12") == nearest(question, even[:6], 8)
        assert len(found(store, STAFF, question, 300, "number<310")) == 300


def test_more_than_the_graph_can_reach_is_found(store: EmbeddedStore) -> None:
    assert len(found(store, STAFF, unit_rows(1, 7)[0], CHUNKS + 5)) == CHUNKS
    assert len(found(store, PUBLIC, unit_rows(1, 7)[0], CHUNKS)) == CHUNKS // 2


def test_changes_show_at_once_and_the_graph_catches_up(store: EmbeddedStore, store_folder: Path) -> None:
    question = unit_rows(1, 8)[0]
    best = found(store, STAFF, question, 1)[0]
    store.delete_documents("default", [best[:5]])
    assert best not in found(store, STAFF, question, 10)
    store.write_documents([_with_vector(9000, question)])
    assert found(store, PUBLIC, question, 1) == ["d9000-0"]
    store.close()
    with _opened(store_folder) as again:
        assert has_graph(again) == (find_spec("hnswlib") is not None)
        assert found(again, PUBLIC, question, 1) == ["d9000-0"]
        assert best not in found(again, STAFF, question, 10)


def test_a_graph_that_is_mostly_dead_is_built_anew(store: EmbeddedStore) -> None:
    store.delete_documents("default", [f"d{index:04d}" for index in range(400)])
    expected = nearest(unit_rows(1, 9)[0], list(range(400, CHUNKS)), 10)
    assert len(set(found(store, STAFF, unit_rows(1, 9)[0], 10)) & set(expected)) >= 9
    index = store._vectors._held["default", "chunk"]
    if index.graph is not None:
        assert len(index.graph.rows) == len(index.rows) == 200


@pytest.mark.parametrize("content", [b"", b"\x00" * 5000, None])
def test_a_damaged_graph_is_not_used(store: EmbeddedStore, store_folder: Path, content: bytes | None) -> None:
    store.close()
    for path in (store_folder / "indexes").glob("*/*.hnsw"):
        kept = path.read_bytes()
        path.unlink()
        path.write_bytes(kept[: len(kept) // 2] if content is None else content)
        manifest = path.with_name("vectors-chunk.json")
        manifest.write_text(
            manifest.read_text().replace(f'"graph_size": {len(kept)}', f'"graph_size": {path.stat().st_size}')
        )
    question = unit_rows(1, 10)[0]
    with EmbeddedStore.open(store_folder, settings=WITH_GRAPH) as reader:
        assert found(reader, STAFF, question, 5) == nearest(question, list(range(CHUNKS)), 5)
    with _opened(store_folder) as again:
        again.write_documents([_with_vector(9001, question)])
    with _opened(store_folder) as again:
        assert has_graph(again) == (find_spec("hnswlib") is not None)


def test_small_sentence_vectors_lose_little() -> None:
    vectors = unit_rows(200, 11)
    back = restore(quantise(vectors))
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 1.0, atol=1e-5)
    assert float(np.abs(back @ vectors.T - vectors @ vectors.T).max()) < 0.01
    assert quantise(vectors[:0]).shape == restore(quantise(vectors[:0])).shape == (0, DIMENSION)

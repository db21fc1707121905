import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.pouring import pour
from benchmarks.scale import EMBEDDER, write_collection
from graph_store.access import DEFAULT_TENANT, Access
from graph_store.embedded.embedded_store import EmbeddedStore
from indexing.settings import IndexingSettings

NAMES = ("Alder Quay", "Birch Hall", "Cedar Lock", "Dogwood Mill")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two stores whose documents have the same ids."""
    folder = tmp_path_factory.mktemp("stores")
    for seed, name in enumerate(("one", "two")):
        write_collection(folder / name, NAMES, random.Random(seed))
    return {name: folder / name for name in ("one", "two")}


@pytest.fixture(scope="module")
def poured(stores: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    folder = tmp_path_factory.mktemp("poured") / "store"
    pour(stores, folder, IndexingSettings())
    with EmbeddedStore.open(folder) as store:
        yield store


def test_every_document_is_there_under_the_name_of_its_store(poured: EmbeddedStore) -> None:
    ids = {document.id for document in poured.list_documents(Access())}
    assert ids == {f"{name}/d{number}" for name in ("one", "two") for number in range(len(NAMES))}


def test_passages_keep_text_vectors_and_tokens(poured: EmbeddedStore, stores: dict[str, Path]) -> None:
    with EmbeddedStore.open(stores["two"]) as source:
        (chunk,) = source.chunks(Access(), ["c1"])
        (taken,) = poured.chunks(Access(), ["two/c1"])
        assert (taken.text, taken.document_id) == (chunk.text, "two/d1")
        before, after = (store.token_vectors(Access(), [key]) for store, key in ((source, "c1"), (poured, "two/c1")))
        assert np.array_equal(before["c1"].vectors, after["two/c1"].vectors)
        before_sentences, after_sentences = source.sentences(Access(), ["c1"]), poured.sentences(Access(), ["two/c1"])
        assert len(before_sentences.sentences) == len(after_sentences.sentences)
        assert np.allclose(before_sentences.vectors, after_sentences.vectors, atol=0.02)
    found = poured.search_vectors(Access(), EMBEDDER.embed_question(chunk.text), kind="chunk", k=1)
    assert found[0].id == "two/c1"


def test_names_of_all_stores_are_resolved_together(poured: EmbeddedStore) -> None:
    graph = poured.passage_graph(Access())
    (key,) = {key for key in graph.homes if key.startswith("alder")}
    assert {graph.chunk_ids[place] for place in graph.homes[key]} == {"one/c0", "two/c0"}
    assert len(graph.indices) > 0
    assert poured.derived_fingerprint(DEFAULT_TENANT) == "poured"

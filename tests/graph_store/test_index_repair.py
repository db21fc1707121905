"""Derived indexes are caches: whatever happens to their files, answers stay the same."""

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.keyword_catalog import keyword_folder
from graph_store.embedded.keyword_index import KeywordIndex, KeywordText
from graph_store.embedded.vector_files import VectorFiles
from graph_store.settings import StoreSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of, vector_of

PUBLIC = Access()
FILES_FROM_ONE = StoreSettings(vector_file_rows=1)
WORDS = ("rain", "snow", "wind", "hail", "fog", "sun")


def writer(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.create_or_open(folder, embedding_model=MODEL, dimension=DIMENSION, settings=FILES_FROM_ONE)


def filled(folder: Path) -> Path:
    """Make a store of 30 documents in several commits, and return it closed."""
    bundles = [document_bundle(f"d{i:02d}", [f"Weather {WORDS[i % 6]} day{i}"]) for i in range(30)]
    with writer(folder) as store:
        for start in range(0, 30, 10):
            store.write_documents(bundles[start : start + 10])
            store.search_keywords(PUBLIC, "weather", kind="chunk", k=1)
        store.publish(generation_of(bundles))
    return folder


def answers(store: EmbeddedStore) -> list[object]:
    return [
        *(store.search_keywords(PUBLIC, f"{word} day7", kind="chunk", k=4) for word in WORDS),
        *(store.search_vectors(PUBLIC, vector_of(word), kind="chunk", k=4) for word in WORDS),
        store.search_keywords(PUBLIC, "rain", kind="report", k=4),
        store.search_vectors(PUBLIC, vector_of("rain"), kind="tree_node", k=4),
    ]


def check_both(folder: Path, expected: list[object]) -> None:
    """A reader answers as before with the files as they are, and a writer mends them."""
    with EmbeddedStore.open(folder, settings=FILES_FROM_ONE) as reader:
        assert answers(reader) == expected
    with writer(folder) as store:
        assert store.document_states("default")
        assert answers(store) == expected
    with EmbeddedStore.open(folder, settings=FILES_FROM_ONE) as reader:
        assert answers(reader) == expected


def rewrite(path: Path, content: bytes) -> None:
    """Put a new file in the place of one that may still be mapped into memory: cutting that short kills the process."""
    path.unlink()
    path.write_bytes(content)


def _flipped(content: bytes) -> bytes:
    """Return the content with one bit changed, away from the head that readers look at."""
    place = len(content) * 3 // 4
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


def damages() -> list[tuple[str, Callable[[Path], object]]]:
    return [
        ("removed", lambda path: path.unlink()),
        ("empty", lambda path: rewrite(path, b"")),
        ("halved", lambda path: rewrite(path, path.read_bytes()[: path.stat().st_size // 2])),
        ("one bit", lambda path: rewrite(path, _flipped(path.read_bytes()))),
        ("noise", lambda path: rewrite(path, b"\xa5" * path.stat().st_size)),
    ]


@pytest.fixture
def expected(store_folder: Path) -> list[object]:
    with EmbeddedStore.open(filled(store_folder), settings=FILES_FROM_ONE) as store:
        return answers(store)


@pytest.mark.parametrize(("damage", "harm"), damages())
@pytest.mark.parametrize(
    "pattern",
    [
        "keywords-chunk-*/meta.json",
        "keywords-chunk-*/*.term",
        "keywords-chunk-*/*.idx",
        "keywords-chunk-*/*.fast",
        "keywords-chunk-*/*.fieldnorm",
        "keywords-chunk-*/*.store",
        "vectors-chunk.json",
        "vectors-chunk-*.npy",
    ],
)
def test_a_damaged_file(
    store_folder: Path, expected: list[object], pattern: str, damage: str, harm: Callable[[Path], object]
) -> None:
    paths = sorted((store_folder / "indexes").glob(f"*/{pattern}"))
    assert paths, damage
    for path in paths:
        harm(path)
    check_both(store_folder, expected)


def test_all_indexes_gone(store_folder: Path, expected: list[object]) -> None:
    shutil.rmtree(store_folder / "indexes")
    check_both(store_folder, expected)
    assert list((store_folder / "indexes").glob("*/vectors-chunk-*.npy"))


@pytest.mark.parametrize(
    "change", [{"sequence": 1}, {"dimension": 3}, {"model": "other"}, {"rows": 7}, {"metric": "x"}]
)
def test_a_manifest_of_something_else(store_folder: Path, expected: list[object], change: dict[str, object]) -> None:
    (path,) = (store_folder / "indexes").glob("*/vectors-chunk.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    check_both(store_folder, expected)


def test_a_vector_file_of_another_dimension(store_folder: Path, expected: list[object]) -> None:
    (folder,) = (store_folder / "indexes").iterdir()
    files = VectorFiles(folder, "chunk")
    manifest = files.read_manifest()
    assert manifest is not None
    narrow = np.ones((manifest.rows, 3), dtype=np.float32)
    files.write(narrow, sequence=manifest.sequence, model=MODEL, save_graph=None)
    check_both(store_folder, expected)
    files.write(narrow, sequence=manifest.sequence, model=MODEL, save_graph=None)
    path = folder / "vectors-chunk.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"dimension": DIMENSION}))
    check_both(store_folder, expected)


def test_indexes_that_lag(store_folder: Path, expected: list[object]) -> None:
    kept = store_folder.parent / "kept"
    shutil.copytree(store_folder / "indexes", kept)
    with writer(store_folder) as store:
        store.write_documents([document_bundle("d03", ["Weather rain day3 again"]), document_bundle("e", ["Fog day7"])])
        store.delete_documents("default", ["d05", "d07"])
        now = answers(store)
    shutil.rmtree(store_folder / "indexes")
    shutil.copytree(kept, store_folder / "indexes")
    assert now != expected
    check_both(store_folder, now)


def test_an_index_from_the_future_of_a_restored_database(store_folder: Path, expected: list[object]) -> None:
    database = store_folder / "belvedere.sqlite"
    backup = database.read_bytes()
    with writer(store_folder) as store:
        store.delete_documents("default", ["d01", "d06"])
        store.write_documents([document_bundle("e", ["Rain day7"])])
    database.write_bytes(backup)
    check_both(store_folder, expected)


def test_a_large_index_is_continued_until_too_much_of_it_is_dead(store_folder: Path) -> None:
    settings = StoreSettings(keyword_rebuild_texts=0, keyword_dead_share=0.5)
    dead = []
    with EmbeddedStore.create_or_open(
        store_folder, embedding_model=MODEL, dimension=DIMENSION, settings=settings
    ) as store:
        store.write_documents([document_bundle(f"d{i}", ["Weather rain"]) for i in range(4)])
        for version in range(6):
            store.write_documents([document_bundle("d0", [f"Weather snow version{version}"])])
            hits = store.search_keywords(PUBLIC, "weather", kind="chunk", k=9)
            assert sorted(hit.id for hit in hits) == ["d0-0", "d1-0", "d2-0", "d3-0"]
            (hit,) = store.search_keywords(PUBLIC, f"snow version{version}", kind="chunk", k=9)
            assert hit.id == "d0-0"
            dead.append(next(iter(store._keywords._on_disk.values())).dead)
    assert dead == [0, 1, 2, 0, 1, 2]


def test_an_index_is_compacted_beside_the_old_one_which_serves_meanwhile(
    store_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = StoreSettings(keyword_rebuild_texts=0, keyword_dead_share=1.0, keyword_memory_bytes=15_000_000)
    made: list[list[str]] = []
    replace_all = KeywordIndex.replace_all

    def look(index: KeywordIndex, texts: Iterable[KeywordText], *, sequence: int) -> None:
        with EmbeddedStore.open(store_folder, settings=settings) as reader:
            made.append([hit.id for hit in reader.search_keywords(Access(), "word", kind="chunk", k=9)])
            assert not reader._keywords._in_memory
        replace_all(index, texts, sequence=sequence)

    with EmbeddedStore.create_or_open(
        store_folder, embedding_model=MODEL, dimension=DIMENSION, settings=settings
    ) as store:
        store.write_documents([document_bundle(name, ["Alpha word"]) for name in "abc"])
        store.publish(generation_of([]))
        with monkeypatch.context() as patched:
            patched.setattr(KeywordIndex, "replace_all", look)
            store.delete_documents("default", ["b"])
        assert made == [["a-0", "c-0"]]
        left = keyword_folder(store_folder, "default", "chunk")
        for name in (f"{left.name}.tmp", f"{left.name}.old.tmp"):
            (left.with_name(name)).mkdir()
            (left.with_name(name) / "words").write_text("b")
        store.write_documents([document_bundle("d", ["Alpha word"])])
        store.publish(generation_of([]))
        assert [path for path in left.parent.iterdir() if path.suffix == ".tmp"] == []
        assert [hit.id for hit in store.search_keywords(Access(), "word", kind="chunk", k=9)] == ["a-0", "c-0", "d-0"]

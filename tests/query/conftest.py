"""Hand-made passage graphs, and small stores to ask."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from graph_store.bundles import PassageGraph
from graph_store.embedded.embedded_store import EmbeddedStore
from query.engine import QueryEngine
from tests.query.small_store import DOCUMENTS, EMBEDDER, RIVAL, SmallDocument, write_store


def _passage_graph(
    chunk_ids: Sequence[str],
    edges: Mapping[tuple[str, str], float],
    homes: Mapping[str, Sequence[str]] | None = None,
    mentions: Mapping[str, Sequence[str]] | None = None,
) -> PassageGraph:
    place = {chunk_id: index for index, chunk_id in enumerate(chunk_ids)}
    ordered = sorted((place[source], place[target], weight) for (source, target), weight in edges.items())
    counts = (
        np.bincount([source for source, _, _ in ordered], minlength=len(chunk_ids))
        if ordered
        else np.zeros(len(chunk_ids), dtype=np.int64)
    )

    def placed(names: Mapping[str, Sequence[str]] | None) -> dict[str, tuple[int, ...]]:
        return {key: tuple(place[chunk_id] for chunk_id in chunks) for key, chunks in (names or {}).items()}

    return PassageGraph(
        chunk_ids=tuple(chunk_ids),
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        indices=np.array([target for _, target, _ in ordered], dtype=np.int64),
        weights=np.array([weight for _, _, weight in ordered], dtype=np.float32),
        homes=placed(homes),
        mentions=placed(mentions),
    )


@pytest.fixture
def make_graph() -> Callable[..., PassageGraph]:
    """Return a function that builds a passage graph from chunk ids, weighted edges, homes and mentions by name key."""
    return _passage_graph


@pytest.fixture(scope="session")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """The small collection, with a second tenant beside it, open for reading."""
    folder = tmp_path_factory.mktemp("small") / "store"
    write_store(folder, DOCUMENTS)
    write_store(folder, (RIVAL,), tenant="rival")
    with EmbeddedStore.open(folder) as store:
        yield store


@pytest.fixture(scope="session")
def engine(small_store: EmbeddedStore) -> QueryEngine:
    """An engine over the small collection."""
    return QueryEngine(small_store, EMBEDDER)


@pytest.fixture
def store_of(tmp_path: Path) -> Iterator[Callable[..., EmbeddedStore]]:
    """Return a function that makes a store of the small documents given, open for reading until the test ends."""
    opened: list[EmbeddedStore] = []

    def make(*documents: SmallDocument) -> EmbeddedStore:
        folder = tmp_path / f"store{len(opened)}"
        write_store(folder, documents)
        opened.append(EmbeddedStore.open(folder))
        return opened[-1]

    yield make
    for store in opened:
        store.close()

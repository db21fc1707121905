"""Filling the second vector space: everything once, of every tenant, and on from where a run was stopped."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import SpaceMissing
from graph_store.indexed_text import indexed_text
from indexing.report import Progress
from indexing.space_migration import FillReport, fill_spare_space, space_of
from model_clients.embedder import Passage, PassageVectors
from model_clients.hashing_embedder import HashingEmbedder
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of


class StoppingEmbedder(HashingEmbedder):
    """Counts the passages that it embeds, and stops after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(24)
        self.calls = calls
        self.passages = 0

    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        if self.calls == 0:
            raise KeyboardInterrupt
        self.calls -= 1
        self.passages += len(passages)
        return super().embed_passages(passages, with_tokens=with_tokens)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore.create_or_open(tmp_path / "store", embedding_model=MODEL, dimension=DIMENSION) as opened:
        for tenant in ("default", "other"):
            bundles = [
                document_bundle(f"{tenant}{number}", ["Alpha meets Beta.", "Rain falls"], tenant=tenant)
                for number in range(3)
            ]
            opened.write_documents(bundles)
            opened.publish(generation_of(bundles, tenant=tenant))
        yield opened


def test_everything_of_every_tenant_is_filled(store: EmbeddedStore) -> None:
    embedder = HashingEmbedder(24)
    with pytest.raises(SpaceMissing):
        fill_spare_space(store, embedder, batch_size=4)
    store.begin_space(space_of(embedder), recipe="")
    events: list[Progress] = []
    report = fill_spare_space(store, embedder, batch_size=4, progress=events.append)
    assert report == FillReport(chunks=12, communities=2, tree_nodes=2)
    assert report.total == 16
    assert {event.total for event in events} == {16}
    assert [event.done for event in events] == sorted(event.done for event in events)
    store.switch_space()
    for tenant in ("default", "other"):
        access = Access(tenant=tenant)
        (chunk,) = store.chunks(access, [f"{tenant}0-0"])
        (document,) = store.documents(access, [chunk.document_id])
        text = indexed_text(document.title, chunk)
        whole = embedder.embed_passages([Passage(text=text)], with_tokens=True)
        np.testing.assert_allclose(store.chunk_vectors(access, [chunk.id])[chunk.id], whole.passages[0], atol=1e-6)
        tokens = store.token_vectors(access, [chunk.id])[chunk.id]
        np.testing.assert_array_equal(tokens.vectors, whole.tokens[0].vectors)
        prefix = len(text) - len(chunk.text)
        np.testing.assert_array_equal(tokens.starts, np.maximum(whole.tokens[0].starts - prefix, -1))
        (sentence,) = store.sentences(access, [chunk.id]).vectors
        spans = embedder.embed_passages([Passage(text=text, spans=((prefix, len(text)),))]).spans
        assert float(sentence @ spans[0][0]) > 0.99


def test_a_stopped_run_goes_on_where_it_was(store: EmbeddedStore) -> None:
    first = StoppingEmbedder(calls=2)
    store.begin_space(space_of(first), recipe="")
    with pytest.raises(KeyboardInterrupt):
        fill_spare_space(store, first, batch_size=4)
    assert first.passages == 6
    second = StoppingEmbedder(calls=99)
    report = fill_spare_space(store, second, batch_size=4)
    assert report.total == 16 - 6
    assert second.passages == 16 - 6
    assert fill_spare_space(store, second, batch_size=4) == FillReport()


def test_chunks_that_are_too_long_for_the_model_are_counted(store: EmbeddedStore) -> None:
    narrow = HashingEmbedder(24, max_tokens=6)
    store.begin_space(space_of(narrow), recipe="")
    report = fill_spare_space(store, narrow, batch_size=5)
    assert report.in_pieces == 12
    store.switch_space()


def test_a_space_without_tokens(store: EmbeddedStore) -> None:
    plain = HashingEmbedder(24, token_vectors="none")
    store.begin_space(space_of(plain), recipe="")
    fill_spare_space(store, plain, batch_size=5)
    store.switch_space()
    assert store.token_vectors(Access(), ["default0-0"]) == {}

"""Whatever is written, replaced and deleted in whatever order, a store equals a fresh one with what is left."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_store.access import Access
from graph_store.bundles import DocumentBundle
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.packing import pack_metadata, unpack_metadata
from graph_store.records import MetadataValue
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of, vector_of

NAMES = ("a", "b", "c")
WORDS = ("Alpha", "Beta", "Gamma", "rain", "the", "北京", "Ünïcode", "")
READERS = (Access(), Access(groups=frozenset({"x"})), Access(groups=frozenset({"x", "y"})))

parts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=3)
groups = st.sampled_from([(), ("x",), ("y",), ("x", "y")])
writes = st.builds(
    lambda name, text, group: document_bundle(name, text, groups=group), st.sampled_from(NAMES), parts, groups
)
steps = st.lists(st.one_of(writes, st.sampled_from(NAMES), st.just(True)), min_size=1, max_size=8)


@contextmanager
def new_store() -> Iterator[EmbeddedStore]:
    memory = Path("/dev/shm")
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        EmbeddedStore.create_or_open(Path(folder), embedding_model=MODEL, dimension=DIMENSION) as store,
    ):
        yield store


def apply(store: EmbeddedStore, chosen: Sequence[DocumentBundle | str | bool]) -> dict[str, DocumentBundle]:
    """Write a bundle, delete a name, publish at True; return the documents that are left."""
    left: dict[str, DocumentBundle] = {}
    for step in chosen:
        if isinstance(step, DocumentBundle):
            store.write_documents([step])
            left[step.document.id] = step
        elif isinstance(step, str):
            assert store.delete_documents("default", [step]) == ((step,) if step in left else ())
            left.pop(step, None)
        else:
            store.publish(generation_of([left[name] for name in sorted(left)]))
    return left


@given(steps)
@settings(max_examples=12, deadline=None)
def test_history_leaves_no_trace(chosen: list[DocumentBundle | str | bool]) -> None:
    with new_store() as store, new_store() as fresh:
        left = apply(store, chosen)
        _check_derived_evidence(store, left)
        bundles = [left[name] for name in sorted(left)]
        fresh.write_documents(bundles)
        for each in (store, fresh):
            each.publish(generation_of(bundles))
        assert store.content_digest("default") == fresh.content_digest("default")
        for access in READERS:
            assert store.counts(access) == fresh.counts(access)
            assert store.list_entities(access) == fresh.list_entities(access)
            assert store.passage_graph(access).mentions == fresh.passage_graph(access).mentions
            for word in WORDS:
                hits = store.search_keywords(access, word, kind="chunk", k=20)
                assert hits == fresh.search_keywords(access, word, kind="chunk", k=20)


def _check_derived_evidence(store: EmbeddedStore, left: dict[str, DocumentBundle]) -> None:
    """Nothing derived exists without its evidence, also before the next generation."""
    for access in READERS:
        readable = {c.id for b in left.values() if access.may_read("default", b.document.groups) for c in b.chunks}
        for community in store.communities(access):
            assert set(community.chunk_ids) <= readable
            assert community.report
            assert all(set(sentence.chunk_ids) <= set(community.chunk_ids) for sentence in community.report)
        for node in store.tree_nodes(access):
            assert set(node.child_ids) <= readable
            assert node.summary
        for relation in store.list_relations(access):
            assert relation.evidence
            assert set(relation.evidence) <= readable
        for entity in store.list_entities(access):
            assert {mention.chunk_id for mention in store.entity_mentions(access, entity.id)} & readable
        assert set(store.passage_graph(access).chunk_ids) == readable


@given(st.lists(writes, max_size=4, unique_by=lambda bundle: bundle.document.id), st.sampled_from(READERS))
@settings(max_examples=12, deadline=None)
def test_bundles_come_back_whole(bundles: list[DocumentBundle], access: Access) -> None:
    with new_store() as store:
        store.write_documents(bundles)
        question = vector_of("Alpha rain")
        scores = {}
        for bundle in sorted(bundles, key=lambda item: item.document.id):
            seen = access.may_read("default", bundle.document.groups)
            assert store.documents(access, [bundle.document.id]) == ((bundle.document,) if seen else ())
            assert store.document_chunks(access, bundle.document.id) == (bundle.chunks if seen else ())
            assert store.document_text(access, bundle.document.id) == (bundle.text if seen else None)
            vectors = store.chunk_vectors(access, [chunk.id for chunk in bundle.chunks])
            for chunk, vector in zip(bundle.chunks, bundle.chunk_vectors, strict=True):
                assert (chunk.id in vectors) == seen
                if seen:
                    np.testing.assert_array_equal(vectors[chunk.id], vector)
                    scores[chunk.id] = round(float(vector @ question), 4)
        hits = store.search_vectors(access, question, kind="chunk", k=3)
        assert [round(hit.score, 4) for hit in hits] == sorted(scores.values(), reverse=True)[:3]


values = st.one_of(
    st.text(max_size=5),
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.lists(st.text(max_size=3), max_size=3).map(tuple),
)


@given(st.dictionaries(st.text(max_size=5), values, max_size=4))
def test_metadata_keeps_values_and_types(metadata: dict[str, MetadataValue]) -> None:
    back = unpack_metadata(pack_metadata(metadata))
    assert back == metadata
    assert [type(back[key]) for key in sorted(back)] == [type(metadata[key]) for key in sorted(metadata)]

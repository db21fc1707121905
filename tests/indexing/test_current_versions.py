"""Which documents derived texts are made from."""

from dataclasses import replace

import pytest

from graph_store.bundles import Collection
from indexing.current_versions import current_versions, superseded
from tests.raptor.text_collections import collection_of


def _collection(supersedes: dict[str, str | tuple[str, ...]], groups: dict[str, tuple[str, ...]]) -> Collection:
    names = sorted({"a", "b", "c", *supersedes})
    found = collection_of({name: [f"Text of {name}. More.", "End."] for name in names}, groups=groups)
    documents = tuple(
        replace(one, metadata={"supersedes": supersedes[one.id]} if one.id in supersedes else {})
        for one in found.documents
    )
    return replace(found, documents=documents)


@pytest.mark.parametrize(
    ("supersedes", "groups", "gone"),
    [
        ({}, {}, set()),
        ({"b": "a"}, {}, {"a"}),
        ({"b": ("a", "unknown"), "c": ("b",)}, {}, {"a", "b"}),
        ({"a": "b", "b": "a"}, {}, set()),
        ({"a": "a"}, {}, set()),
        ({"b": "a"}, {"b": ("staff",)}, set()),
        ({"b": "a"}, {"a": ("staff",)}, {"a"}),
        ({"b": "a"}, {"a": ("staff",), "b": ("staff", "press")}, {"a"}),
        ({"b": "a"}, {"a": ("staff", "press"), "b": ("staff",)}, set()),
    ],
)
def test_a_document_is_superseded_where_all_its_readers_may_know(
    supersedes: dict[str, str | tuple[str, ...]], groups: dict[str, tuple[str, ...]], gone: set[str]
) -> None:
    collection = _collection(supersedes, groups)
    assert superseded(collection.documents) == gone
    left = current_versions(collection)
    assert {chunk.document_id for chunk in left.chunks} == {"a", "b", "c"} - gone
    assert len(left.chunk_vectors) == len(left.chunks)
    assert len(left.sentence_vectors) == len(left.sentences)
    assert {item.chunk_id for item in left.sentences} == {chunk.id for chunk in left.chunks}

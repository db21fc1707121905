"""The part of a store's contract that is about reads that belong together: of one state, and sent together."""

import pytest

from graph_store.access import Access
from graph_store.errors import UnknownMetadataKey
from graph_store.filters import parse_filter
from graph_store.records import Hit
from graph_store.searches import KeywordSearch, Search, VectorSearch
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, vector_of
from tests.graph_store.samples import KINDS, OTHER, PUBLIC, STAFF, fill

TEXTS = ("Alpha treasure", "harbour", "", "Beta sleeps alone")


def many_searches() -> list[Search]:
    searches: list[Search] = []
    for kind in KINDS:
        for k in (1, 5):
            for text in TEXTS:
                searches.append(KeywordSearch(text=text, kind=kind, k=k))
                searches.append(VectorSearch(vector=vector_of(text or "x"), kind=kind, k=k))
    filters = (parse_filter("year>=2020"),)
    searches.append(KeywordSearch(text="Alpha", kind="chunk", k=3, filters=filters))
    searches.append(VectorSearch(vector=vector_of("Alpha"), kind="chunk", k=3, filters=filters))
    searches.append(VectorSearch(vector=0.0 * vector_of("Alpha"), kind="chunk", k=3))
    return searches


def alone(store: GraphStore, access: Access, search: Search) -> tuple[Hit, ...]:
    kind, k, filters = search.kind, search.k, search.filters
    if isinstance(search, KeywordSearch):
        return store.search_keywords(access, search.text, kind=kind, k=k, filters=filters)
    return store.search_vectors(access, search.vector, kind=kind, k=k, filters=filters)


class StateContract:
    def test_searches_sent_together_find_what_each_finds_alone(self, store: GraphStore) -> None:
        fill(store)
        for caller in (PUBLIC, STAFF):
            searches = many_searches()
            together = store.search_many(caller, searches)
            assert together == tuple(alone(store, caller, search) for search in searches)
            assert sum(map(bool, together)) > len(searches) // 2

    def test_no_searches_find_nothing(self, store: GraphStore) -> None:
        fill(store)
        assert store.search_many(PUBLIC, []) == ()

    def test_a_wrong_filter_is_told_whichever_search_has_it(self, store: GraphStore) -> None:
        fill(store)
        wrong = KeywordSearch(text="Alpha", kind="chunk", k=3, filters=(parse_filter("nothing=1"),))
        with pytest.raises(UnknownMetadataKey):
            store.search_many(PUBLIC, [VectorSearch(vector=vector_of("Alpha"), kind="chunk", k=3), wrong])

    def test_reads_within_one_state_are_those_outside(self, store: GraphStore) -> None:
        fill(store)
        ids = ["staff-0", "open-1", "nowhere", "open-0", "open-1", "foreign-0"]

        def read(access: Access) -> list[object]:
            return [
                store.chunks(access, ids),
                store.documents(access, ["staff", "nowhere", "open"]),
                store.document_chunks(access, "open"),
                store.document_chunks(access, "staff"),
                store.sentences(access, ids).sentences,
                store.sentences(access, ids).vectors.tolist(),
                [(key, vector.tolist()) for key, vector in store.chunk_vectors(access, ids).items()],
                list(store.token_vectors(access, ids)),
                store.chunks(access, ["open-1", "open-0"]),
            ]

        def read_twice() -> list[list[object]]:
            return [read(access) for _ in range(2) for access in (PUBLIC, STAFF, OTHER)]

        expected = [read(access) for access in (PUBLIC, STAFF, OTHER)]
        assert store.in_one_state(read_twice) == [*expected, *expected]
        assert expected[0] != expected[1] != expected[2]

    def test_states_may_be_nested(self, store: GraphStore) -> None:
        fill(store)
        found = store.in_one_state(lambda: store.in_one_state(lambda: store.chunks(PUBLIC, ["open-0"])))
        assert [chunk.id for chunk in found] == ["open-0"]

    def test_what_work_raises_comes_out(self, store: GraphStore) -> None:
        fill(store)

        def fail() -> None:
            store.chunks(PUBLIC, ["open-0"])
            raise LookupError("no such thing")

        with pytest.raises(LookupError):
            store.in_one_state(fail)
        assert store.chunks(PUBLIC, ["open-0"])

    def test_the_next_state_has_what_was_written_since(self, store: GraphStore) -> None:
        fill(store)

        def texts() -> list[str]:
            return [chunk.text for chunk in store.chunks(PUBLIC, ["open-0", "new-0"])]

        before = store.in_one_state(texts)
        store.write_documents([document_bundle("new", ["Alpha returns."])])
        assert store.in_one_state(texts) == [*before, "Alpha returns."]
        store.delete_documents("default", ["open"])
        assert store.in_one_state(texts) == ["Alpha returns."]

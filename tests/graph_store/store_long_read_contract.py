"""The part of a store's contract that is about long reads beside a writer, such as those of an export."""

from collections.abc import Callable

import pytest

from graph_store.errors import StoreChanged
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, generation_of
from tests.graph_store.samples import PUBLIC, fill, open_document

OpenStore = Callable[[], GraphStore]


def ids(store: GraphStore) -> set[str]:
    return {document.id for document in store.list_documents(PUBLIC)}


def write_new(store: GraphStore) -> None:
    store.write_documents([document_bundle("new", ["Alpha returns."])])


def publish_anew(store: GraphStore) -> None:
    store.publish(generation_of([open_document()], aliases={"Alpha": ("Rho",)}))


class LongReadContract:
    """Needs the fixtures ``store``, open for writing, and ``open_reader``, which opens the same one to read."""

    @pytest.mark.parametrize("change", [write_new, publish_anew])
    def test_a_long_read_beside_a_writer_is_of_one_state_or_is_told(
        self, store: GraphStore, open_reader: OpenStore, change: Callable[[GraphStore], None]
    ) -> None:
        fill(store)
        reader, told, seen = open_reader(), False, []
        try:
            with reader.one_state():
                for _ in range(2):
                    seen.append((ids(reader), [entity.aliases for entity in reader.list_entities(PUBLIC)]))
                    change(store)
        except StoreChanged:
            told = True
        assert told or seen[0] == seen[1]

    def test_the_next_long_read_begins_with_what_was_written_since(
        self, store: GraphStore, open_reader: OpenStore
    ) -> None:
        fill(store)
        reader = open_reader()
        assert reader.counts(PUBLIC).documents == 1
        write_new(store)
        with reader.one_state(), reader.one_state():
            assert ids(reader) == {"open", "new"}
            assert [chunk.id for chunk in reader.document_chunks(PUBLIC, "new")] == ["new-0"]
            assert reader.in_one_state(lambda: len(reader.list_entities(PUBLIC))) > 0

    def test_what_another_tenant_gets_spoils_no_long_read(self, store: GraphStore, open_reader: OpenStore) -> None:
        fill(store)
        reader = open_reader()
        with reader.one_state():
            assert ids(reader) == {"open"}
            store.write_documents([document_bundle("x", ["Delta."], tenant="other")])

    def test_a_long_read_of_all_tenants_has_them_all(self, store: GraphStore, open_reader: OpenStore) -> None:
        fill(store)
        reader, told = open_reader(), False
        try:
            with reader.one_state():
                first = reader.tenants()
                store.write_documents([document_bundle("x", ["Delta."], tenant="third")])
                second = reader.tenants()
        except StoreChanged:
            told = True
        assert first == second == ("default", "other")
        assert told or len(reader.tenants()) == 3

    def test_whole_documents_that_change_while_they_are_read_are_told(
        self, store: GraphStore, open_reader: OpenStore
    ) -> None:
        fill(store)
        reader, told, found = open_reader(), False, []
        try:
            with reader.one_state():
                (before,) = reader.document_bundles("default", ["open"])
                write_new(store)
                found = list(reader.document_states("default"))
        except StoreChanged:
            told = True
        assert before.document.id == "open"
        assert told or found == ["open", "staff"]

    def test_what_a_long_read_raises_comes_out(self, store: GraphStore, open_reader: OpenStore) -> None:
        fill(store)
        reader = open_reader()

        def fail() -> None:
            with reader.one_state():
                assert ids(reader)
                raise LookupError("no such thing")

        with pytest.raises(LookupError):
            fail()
        assert ids(reader)

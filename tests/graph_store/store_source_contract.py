"""The part of a store's contract that is about what source files gave."""

import pytest

from graph_store.access import Access
from graph_store.bundles import SourceState
from graph_store.errors import InvalidRecord
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle

TENANT = "default"
PAIR = SourceState(mark="m1", document_ids=("a", "b"))
BROKEN = SourceState(mark="m2", document_ids=(), failures=(("/in/x.pdf", "It holds no text."),), whole=False)
ONE = SourceState(mark="m3", document_ids=("c",))
ALL = {"/in/pair.jsonl": PAIR, "/in/x.pdf": BROKEN, "/in/y.md": ONE}


class SourceContract:
    @pytest.fixture
    def filled(self, store: GraphStore) -> GraphStore:
        store.write_documents([document_bundle(name, ["Alpha word"]) for name in "abcd"])
        store.remember_sources(TENANT, ALL)
        return store

    def test_sources_are_remembered_as_they_were_given(self, filled: GraphStore) -> None:
        assert filled.source_states(TENANT) == ALL
        assert list(filled.source_states(TENANT)) == sorted(ALL)
        assert filled.source_states("other") == {}

    def test_remembering_does_not_make_the_derived_layer_stale(self, filled: GraphStore) -> None:
        digest = filled.content_digest(TENANT)
        filled.remember_sources(TENANT, {"/in/z.md": SourceState(mark="m", document_ids=("d",))})
        assert filled.content_digest(TENANT) == digest

    def test_a_state_takes_the_place_of_the_one_before(self, filled: GraphStore) -> None:
        newer = SourceState(mark="m9", document_ids=("a", "d"))
        filled.remember_sources(TENANT, {"/in/pair.jsonl": newer}, forget=["/in/x.pdf", "/in/unknown.md"])
        assert filled.source_states(TENANT) == {"/in/pair.jsonl": newer, "/in/y.md": ONE}

    def test_a_state_goes_with_the_first_of_its_documents_that_is_deleted(self, filled: GraphStore) -> None:
        filled.delete_documents(TENANT, ["b", "nothing"])
        assert filled.source_states(TENANT) == {"/in/x.pdf": BROKEN, "/in/y.md": ONE}

    def test_a_state_goes_with_the_first_of_its_documents_that_is_replaced(self, filled: GraphStore) -> None:
        filled.write_documents([document_bundle("c", ["Beta"]), document_bundle("d", ["Beta"])])
        assert filled.source_states(TENANT) == {"/in/pair.jsonl": PAIR, "/in/x.pdf": BROKEN}

    def test_tenants_remember_for_themselves(self, filled: GraphStore) -> None:
        filled.write_documents([document_bundle("a", ["Alpha word"], tenant="other")])
        own = SourceState(mark="theirs", document_ids=("a",))
        filled.remember_sources("other", {"/in/pair.jsonl": own})
        filled.delete_documents(TENANT, ["a"])
        assert filled.source_states("other") == {"/in/pair.jsonl": own}

    def test_a_document_that_is_not_there_is_refused_and_nothing_changes(self, filled: GraphStore) -> None:
        with pytest.raises(InvalidRecord, match=r"'/in/n\.md'.*write them first"):
            filled.remember_sources(
                TENANT,
                {"/in/m.md": ONE, "/in/n.md": SourceState(mark="m", document_ids=("a", "nothing"))},
                forget=["/in/x.pdf"],
            )
        assert filled.source_states(TENANT) == ALL
        assert len(filled.list_documents(Access())) == 4

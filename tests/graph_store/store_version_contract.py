"""The part of a store's contract that is about versions of documents: their time, and what supersedes what."""

from dataclasses import replace

import pytest

from graph_store.access import Access
from graph_store.bundles import DocumentBundle
from graph_store.errors import IncomparableValue, InvalidRecord
from graph_store.filters import CURRENT, Versions, parse_filter
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, generation_of, vector_of

PUBLIC = Access()
STAFF = Access(groups=frozenset({"staff"}))


def version(
    name: str,
    *supersedes: str,
    groups: tuple[str, ...] = (),
    effective_from: str | None = None,
    effective_to: str | None = None,
) -> DocumentBundle:
    """Return a document of one word that supersedes others and is effective from one day to another."""
    metadata = {"supersedes": supersedes[0] if len(supersedes) == 1 else supersedes} if supersedes else {}
    bundle = document_bundle(name, ["Alpha word"], groups=groups, metadata=metadata)
    document = replace(bundle.document, effective_from=effective_from, effective_to=effective_to)
    return replace(bundle, document=document)


def passing(store: GraphStore, versions: Versions, access: Access = PUBLIC) -> set[str]:
    """Return the names of the documents that pass, checking that all searches agree."""
    found = store.filtered_documents(access, (versions,))
    assert found is not None
    chunks = {f"{name}-0" for name in found}
    filters = (versions,)
    assert {h.id for h in store.search_keywords(access, "word", kind="chunk", k=9, filters=filters)} == chunks
    assert {h.id for h in store.search_vectors(access, vector_of("word"), kind="chunk", k=9, filters=filters)} == chunks
    return set(found)


class VersionContract:
    def test_a_superseded_document_is_hidden_unless_all_versions_are_wanted(self, store: GraphStore) -> None:
        store.write_documents([version("new", "old"), version("old", "oldest"), version("oldest"), version("other")])
        assert passing(store, CURRENT) == {"new", "other"}
        assert passing(store, Versions(all_versions=True)) == {"new", "old", "oldest", "other"}
        assert store.superseded_documents(PUBLIC) == {"old", "oldest"}

    def test_one_document_may_supersede_several_and_one_that_is_not_there(self, store: GraphStore) -> None:
        store.write_documents([version("new", "one", "two", "nothing"), version("one"), version("two")])
        assert passing(store, CURRENT) == {"new"}

    def test_documents_in_a_circle_do_not_hide_each_other(self, store: GraphStore) -> None:
        circle = [version("a", "b"), version("b", "c"), version("c", "a", "older"), version("self", "self")]
        store.write_documents([*circle, version("older"), version("above", "a")])
        assert passing(store, CURRENT) == {"above", "b", "c", "self"}

    def test_a_long_chain_has_one_current_version(self, store: GraphStore) -> None:
        store.write_documents([version(f"v{n}", f"v{n - 1}") for n in range(1, 1_500)] + [version("v0")])
        assert store.filtered_documents(PUBLIC, (CURRENT,)) == frozenset({"v1499"})

    def test_a_hidden_document_supersedes_nothing(self, store: GraphStore) -> None:
        store.write_documents([version("secret", "old", groups=("staff",)), version("old")])
        assert passing(store, CURRENT) == {"old"}
        assert passing(store, CURRENT, STAFF) == {"secret"}
        assert store.superseded_documents(PUBLIC) == frozenset()
        store.delete_documents("default", ["secret"])
        assert passing(store, CURRENT, STAFF) == {"old"}

    def test_a_document_of_another_tenant_supersedes_nothing(self, store: GraphStore) -> None:
        foreign = document_bundle("foreign", ["word"], tenant="rival", metadata={"supersedes": "old"})
        store.write_documents([version("old"), foreign])
        assert passing(store, CURRENT) == {"old"}

    @pytest.mark.parametrize(
        ("day", "expected"),
        [
            ("2019-12-31", {"always", "until"}),
            ("2020-01-01", {"always", "until", "first"}),
            ("2022-12-31", {"always", "until", "first"}),
            ("2023-01-01", {"always", "second"}),
            ("2024-05-06", {"always", "second"}),
            ("2024-05-07", {"always", "second", "time"}),
        ],
    )
    def test_a_document_counts_from_its_first_to_its_last_day(
        self, store: GraphStore, day: str, expected: set[str]
    ) -> None:
        store.write_documents(
            [
                version("always"),
                version("until", effective_to="2022"),
                version("first", effective_from="2020-01", effective_to="2022-12-31"),
                version("second", "first", effective_from="2023-01-01"),
                version("time", effective_from="2024-05-07T23:59:00Z"),
            ]
        )
        assert passing(store, Versions(as_of=day)) == expected

    def test_a_document_supersedes_only_in_its_time(self, store: GraphStore) -> None:
        store.write_documents([version("new", "old", effective_from="2023-01-01"), version("old")])
        assert passing(store, Versions(as_of="2022-06-01")) == {"old"}
        assert passing(store, Versions(as_of="2023-06-01")) == {"new"}
        assert passing(store, Versions(as_of="2023-06-01", all_versions=True)) == {"new", "old"}

    def test_a_derived_text_over_a_hidden_version_is_hidden(self, store: GraphStore) -> None:
        bundles = [version("new", "old"), version("old")]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        for versions, found in ((CURRENT, 0), (Versions(all_versions=True), 1)):
            hits = store.search_vectors(PUBLIC, vector_of("word"), kind="report", k=9, filters=(versions,))
            assert len(hits) == found

    def test_versions_and_filters_hold_together(self, store: GraphStore) -> None:
        store.write_documents([version("new", "old"), version("old", "oldest"), version("oldest")])
        filters = (parse_filter("supersedes in old,oldest"), CURRENT)
        assert store.filtered_documents(PUBLIC, filters) == frozenset({"new"})

    @pytest.mark.parametrize("day", ["soon", "2023-02-30", "", "20230101"])
    def test_what_is_no_date_is_refused(self, store: GraphStore, day: str) -> None:
        with pytest.raises(InvalidRecord, match="effective_from"):
            store.write_documents([version("a", effective_from=day)])


class ComparisonContract:
    @pytest.mark.parametrize(
        "condition",
        ["year>=abc", "year=abc", "year in 2020,abc", "year<2020-05-01", "date>=abc", "name<5", "name>2020-05"],
    )
    def test_values_of_different_kinds_are_not_compared(self, store: GraphStore, condition: str) -> None:
        store.write_documents([document_bundle("a", ["w"], metadata={"year": 2020, "date": "2023-05-01", "name": "x"})])
        with pytest.raises(IncomparableValue, match="cannot compare"):
            store.filtered_documents(PUBLIC, (parse_filter(condition),))

    def test_kinds_are_those_of_readable_documents(self, store: GraphStore) -> None:
        store.write_documents(
            [
                document_bundle("open", ["w"], metadata={"year": 2020}),
                document_bundle("secret", ["w"], metadata={"year": "unknown"}, groups=("staff",)),
            ]
        )
        with pytest.raises(IncomparableValue, match="have numbers there"):
            store.filtered_documents(PUBLIC, (parse_filter("year=unknown"),))
        assert store.filtered_documents(STAFF, (parse_filter("year=unknown"),)) == frozenset({"secret"})
        assert store.filtered_documents(STAFF, (parse_filter("year>=2000"),)) == frozenset({"open"})

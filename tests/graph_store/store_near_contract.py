"""The part of a store's contract that is about what one question reads of a large collection: a sample, and names."""

import pytest

from graph_store.access import Access
from graph_store.bundles import NamePlaces
from graph_store.searches import NOTHING_ALONG, Along, KeywordSearch, VectorSearch
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, generation_of, vector_of
from tests.graph_store.samples import OTHER, PUBLIC, STAFF, fill

NOBODY = Access(tenant="nobody")


def fill_with_shared_names(store: GraphStore) -> None:
    """Write what ``fill`` does, with names that two entities have."""
    bundles = fill(store)
    store.publish(generation_of(bundles, aliases={"Alpha": ("Omega", "Beta"), "Gamma": ("Beta",)}))


class NearReadsContract:
    def test_a_sample_counts_and_chooses_what_the_caller_may_read(self, store: GraphStore) -> None:
        fill(store)
        found = store.passage_sample(STAFF, most=9)
        assert (found.count, found.chunk_ids) == (3, ("open-0", "open-1", "staff-0"))
        found = store.passage_sample(PUBLIC, most=9)
        assert (found.count, found.chunk_ids) == (2, ("open-0", "open-1"))
        found = store.passage_sample(PUBLIC, most=1)
        assert (found.count, found.chunk_ids) == (2, ("open-0",))
        assert store.passage_sample(OTHER, most=9).chunk_ids == ("foreign-0",)
        assert (store.passage_sample(NOBODY, most=9).count, store.passage_sample(NOBODY, most=9).chunk_ids) == (0, ())

    @pytest.mark.parametrize("most", [1, 2, 4, 5, 9, 10, 11, 40])
    def test_a_sample_is_even_over_documents_and_positions(self, store: GraphStore, most: int) -> None:
        texts = {"b": 3, "a": 6, "c": 1}
        store.write_documents(
            [document_bundle(name, [f"Text {n} of {name}." for n in range(size)]) for name, size in texts.items()]
        )
        order = [f"{name}-{n}" for name in sorted(texts) for n in range(texts[name])]
        found = store.passage_sample(PUBLIC, most=most)
        assert found.count == 10
        assert list(found.chunk_ids) == order[:: max(1, 10 // most)][:most]

    def test_a_sample_is_remembered_until_something_changes(self, store: GraphStore) -> None:
        fill(store)
        found = store.passage_sample(STAFF, most=2)
        assert store.passage_sample(STAFF, most=2) is found
        assert store.passage_sample(STAFF, most=1) is not found
        store.write_documents([document_bundle("new", ["Delta reigns."])])
        assert store.passage_sample(STAFF, most=2).count == 4

    @pytest.mark.parametrize("access", [PUBLIC, STAFF, OTHER, NOBODY])
    def test_names_stand_where_the_graph_has_them(self, store: GraphStore, access: Access) -> None:
        fill_with_shared_names(store)
        graph = store.passage_graph(access)
        keys = {*graph.homes, *graph.mentions}
        found = store.name_places(access, [*keys, "omega", "delta", "treasure", "unheard of", ""], most=9)
        assert set(found) == keys
        for key, places in found.items():
            homes, mentions = (
                tuple(graph.chunk_ids[place] for place in named.get(key, ())) for named in (graph.homes, graph.mentions)
            )
            assert places == NamePlaces(
                homes=homes, mentions=mentions, home_count=len(homes), mention_count=len(mentions)
            )

    def test_names_stand_in_what_the_caller_may_read_alone(self, store: GraphStore) -> None:
        fill_with_shared_names(store)
        assert store.name_places(STAFF, ["alpha"], most=9)["alpha"].mentions == ("open-0", "staff-0")
        assert store.name_places(PUBLIC, ["alpha"], most=9)["alpha"].mentions == ("open-0",)
        assert "omega" in store.name_places(STAFF, ["omega"], most=9)
        assert store.name_places(PUBLIC, ["omega"], most=9) == {}, "the name stands in a hidden passage alone"
        assert store.name_places(OTHER, ["beta"], most=9) == {}
        assert store.name_places(PUBLIC, [], most=9) == {}

    def test_of_a_name_the_first_passages_are_told_and_all_are_counted(self, store: GraphStore) -> None:
        fill_with_shared_names(store)
        whole = store.name_places(STAFF, ["beta"], most=9)["beta"]
        assert whole.mention_count == len(whole.mentions) == 3, "of all entities with the name, each passage once"
        first = store.name_places(STAFF, ["beta"], most=1)["beta"]
        assert (first.mentions, first.mention_count) == (whole.mentions[:1], 3)
        assert store.name_places(STAFF, ["beta"], most=0)["beta"].mentions == ()
        assert store.name_places(STAFF, ["beta"], most=0)["beta"].mention_count == 3

    @pytest.mark.parametrize("access", [PUBLIC, STAFF, OTHER, NOBODY])
    def test_passages_have_the_names_that_the_graph_gives_them(self, store: GraphStore, access: Access) -> None:
        fill_with_shared_names(store)
        graph = store.passage_graph(access)
        found = store.passage_names(access, ["open-0", "open-1", "staff-0", "foreign-0", "none"], most=9)
        for told, named in ((found.mentioned, graph.mentions), (found.about, graph.homes)):
            expected: dict[str, set[str]] = {}
            for key, places in named.items():
                for place in places:
                    expected.setdefault(graph.chunk_ids[place], set()).add(key)
            assert told == expected
        assert dict(found.places) == dict(store.name_places(access, {*graph.homes, *graph.mentions}, most=9))

    def test_the_names_of_a_passage_stand_wherever_they_stand(self, store: GraphStore) -> None:
        fill_with_shared_names(store)
        found = store.passage_names(STAFF, ["open-0"], most=1)
        assert set(found.mentioned) == {"open-0"}
        assert found.places["alpha"].mention_count == 2
        assert found.places["alpha"].mentions == ("open-0",)
        assert "gamma" not in found.places, "another name of an entity that shares one is not a name of the passage"
        assert store.passage_names(PUBLIC, ["staff-0"], most=9).places == {}
        assert store.passage_names(PUBLIC, [], most=9).mentioned == {}

    def test_names_go_with_their_passages(self, store: GraphStore) -> None:
        fill_with_shared_names(store)
        store.delete_documents("default", ["staff"])
        assert store.name_places(STAFF, ["alpha", "omega"], most=9).keys() == {"alpha"}
        assert store.passage_names(STAFF, ["staff-0"], most=9).mentioned == {}
        store.publish(generation_of([]))
        assert store.name_places(STAFF, ["alpha"], most=9) == {}

    def test_within_one_piece_of_work_names_and_passages_are_the_same(self, store: GraphStore) -> None:
        fill_with_shared_names(store)
        ids = ["open-0", "staff-0", "open-1", "foreign-0"]
        read = (
            lambda: store.passage_names(STAFF, ids[:1], most=9),
            lambda: store.passage_names(STAFF, ids, most=9),
            lambda: store.passage_names(PUBLIC, ids, most=1),
            lambda: store.chunks(STAFF, ids),
            lambda: store.chunks(PUBLIC, ids),
            lambda: store.documents(STAFF, ["staff", "open"]),
            lambda: store.sentences(STAFF, ids).sentences,
            lambda: {key: vector.tolist() for key, vector in store.chunk_vectors(STAFF, ids).items()},
        )
        assert store.in_one_state(lambda: [one() for one in read]) == [one() for one in read]

    @pytest.mark.parametrize("access", [PUBLIC, STAFF, OTHER, NOBODY])
    def test_what_is_read_along_with_searches_is_what_is_read_alone(self, store: GraphStore, access: Access) -> None:
        fill_with_shared_names(store)
        keys, ids = frozenset({"alpha", "omega", "beta", "unheard of", ""}), ("staff-0", "open-1", "foreign-0", "none")
        searches = (
            KeywordSearch(text="Alpha treasure", kind="chunk", k=2),
            VectorSearch(vector=vector_of("Alpha"), kind="report", k=2),
            KeywordSearch(text="", kind="chunk", k=2),
        )

        def work(along: Along) -> list[object]:
            return [
                store.search_many(access, searches, along=along),
                store.search_many(access, searches[2:], along=along),
                store.name_places(access, keys, most=2),
                store.name_places(access, ["beta"], most=1),
                {chunk_id: vector.tolist() for chunk_id, vector in store.chunk_vectors(access, ids).items()},
                store.name_places(access, [*keys, "gamma"], most=2),
            ]

        alone = store.in_one_state(lambda: work(NOTHING_ALONG))
        for along in (Along(names=keys, places=2), Along(vectors=ids), Along(names=keys, places=2, vectors=ids)):
            assert store.in_one_state(lambda along=along: work(along)) == alone  # type: ignore[misc]

"""The part of a store's contract that is about the edges of single passages."""

from dataclasses import replace

import pytest

from graph_store.access import Access
from graph_store.records import PassageEdge
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, generation_of
from tests.graph_store.samples import OTHER, PUBLIC, STAFF, fill

EDGES = {
    ("open-0", "open-1"): 0.5,
    ("open-0", "staff-0"): 2.0,
    ("open-1", "open-0"): 0.25,
    ("open-1", "staff-0"): 0.25,
    ("staff-0", "open-0"): 1.0,
}


def fill_with_edges(store: GraphStore) -> None:
    bundles = fill(store)
    edges = tuple(PassageEdge(source_id=a, target_id=b, weight=weight) for (a, b), weight in EDGES.items())
    store.publish(replace(generation_of(bundles), passage_edges=edges))


class PassageGraphContract:
    def test_links_are_the_strongest_edges_with_the_weight_of_all(self, store: GraphStore) -> None:
        fill_with_edges(store)
        links = store.passage_links(STAFF, ["open-0", "open-1"], most=1)
        assert list(links) == ["open-0", "open-1"]
        assert (links["open-0"].targets, links["open-0"].weights.tolist(), links["open-0"].total) == (
            ("staff-0",),
            [2.0],
            2.5,
        )
        assert links["open-1"].targets == ("open-0",), "of equal edges that to the first id"
        assert store.passage_links(STAFF, ["open-0"], most=5)["open-0"].targets == ("staff-0", "open-1")

    def test_links_stay_within_the_audience(self, store: GraphStore) -> None:
        fill_with_edges(store)
        links = store.passage_links(PUBLIC, ["staff-0", "open-0", "foreign-0", "none"], most=5)
        assert list(links) == ["open-0"]
        assert (links["open-0"].targets, links["open-0"].total) == (("open-1",), 0.5)
        assert store.passage_links(OTHER, list(("open-0", "staff-0")), most=5) == {}
        assert store.passage_links(PUBLIC, [], most=5) == {}

    @pytest.mark.parametrize("access", [PUBLIC, STAFF])
    def test_links_are_the_rows_of_the_graph(self, store: GraphStore, access: Access) -> None:
        fill_with_edges(store)
        graph = store.passage_graph(access)
        rows = {}
        for place, chunk_id in enumerate(graph.chunk_ids):
            row = slice(graph.indptr[place], graph.indptr[place + 1])
            if len(graph.indices[row]):
                targets = [graph.chunk_ids[target] for target in graph.indices[row].tolist()]
                rows[chunk_id] = dict(zip(targets, graph.weights[row].tolist(), strict=True))
        links = store.passage_links(access, graph.chunk_ids, most=9)
        assert {
            chunk_id: dict(zip(found.targets, found.weights.tolist(), strict=True)) for chunk_id, found in links.items()
        } == rows

    def test_links_go_with_the_passages_at_either_end(self, store: GraphStore) -> None:
        fill_with_edges(store)
        store.delete_documents("default", ["staff"])
        assert store.passage_links(STAFF, ["open-0", "staff-0"], most=5)["open-0"].targets == ("open-1",)
        store.publish(generation_of([document_bundle("open", ["Alpha meets Beta.", "Gamma sleeps."])][:0]))
        assert store.passage_links(STAFF, ["open-0"], most=5) == {}

"""Edges between chunks: aboutness, shared entities, neighbours."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.bundles import Collection
from graph_store.records import Chunk, Document, HomeKind, Mention, NamedHome
from indexing.passage_graph import NameFinder, build_passage_edges
from indexing.passage_graph_settings import GraphSettings
from indexing.resolution import Resolution

NO_VECTORS = np.zeros((0, 0), dtype=np.float32)
NOTHING = Resolution(entities=(), mentions=(), homes=(), relations=())
SETTINGS = GraphSettings()


def collect(texts: dict[str, str], homes: Sequence[tuple[str, str, HomeKind]] = ()) -> Collection:
    """Make a collection of chunks; "a/1" is chunk 1 of document "a"."""
    chunks = [
        Chunk(
            id=chunk_id,
            document_id=chunk_id.split("/")[0],
            document_version=1,
            text=text,
            heading_path=(),
            char_start=0,
            char_end=len(text),
            position=int(chunk_id.split("/")[1]) if "/" in chunk_id else 0,
        )
        for chunk_id, text in texts.items()
    ]
    documents = [
        Document(id=document_id, source_uri=document_id, title="", media_type="text/plain", content_hash="")
        for document_id in sorted({chunk.document_id for chunk in chunks})
    ]
    return Collection(
        tenant="t",
        documents=tuple(documents),
        chunks=tuple(chunks),
        chunk_vectors=NO_VECTORS,
        sentences=(),
        sentence_vectors=NO_VECTORS,
        mentions=(),
        relations=(),
        homes=tuple(NamedHome(chunk_id=chunk_id, name=name, type="TOPIC", kind=kind) for chunk_id, name, kind in homes),
    )


def edges(collection: Collection, resolution: Resolution = NOTHING, **settings: float) -> dict[tuple[str, str], float]:
    chosen = replace(SETTINGS, **settings)  # type: ignore[arg-type]  # tests name fields of the settings
    found = build_passage_edges(collection, resolution, chosen)
    return {(edge.source_id, edge.target_id): edge.weight for edge in found}


def shared(*chunk_ids: str, entity_id: str = "e") -> Resolution:
    mentions = tuple(
        Mention(entity_id=entity_id, chunk_id=chunk_id, char_start=0, char_end=1) for chunk_id in chunk_ids
    )
    return replace(NOTHING, mentions=mentions)


def test_a_name_leads_to_the_chunk_that_is_about_it_and_half_as_strongly_back() -> None:
    collection = collect({"a": "He worked at Bell Labs.", "b": "A laboratory."}, [("b", "Bell Labs", "title")])
    assert edges(collection) == {("a", "b"): 1.0, ("b", "a"): 0.5}


def test_a_chunk_does_not_lead_to_itself() -> None:
    assert edges(collect({"a": "Bell Labs is here."}, [("a", "Bell Labs", "title")])) == {}


def test_the_longest_name_counts() -> None:
    texts = {"a": "He left Paris, Texas.", "b": "A town.", "c": "A city."}
    found = edges(collect(texts, [("b", "Paris, Texas", "title"), ("c", "Paris", "title")]))
    assert set(found) == {("a", "b"), ("b", "a")}


@pytest.mark.parametrize("text", ["he wanted order", "in Disorder", "Bell, Labs and Orders"])
def test_common_words_and_parts_of_words_are_no_names(text: str) -> None:
    assert edges(collect({"a": text, "b": "x"}, [("b", "Order", "title")])) == {}


def test_several_words_match_in_any_case_and_spelling() -> None:
    collection = collect(
        {"a": "the M\u00dcLLER-lyer illusion", "b": "x"}, [("b", "M\u00fcller Lyer Illusion", "title")]
    )
    assert ("a", "b") in edges(collection)


def test_short_names_and_names_with_many_homes_are_not_followed() -> None:
    texts = {"a": "The Rain fell on Springfield", **{f"s{number}": "x" for number in range(4)}}
    homes: list[tuple[str, str, HomeKind]] = [(f"s{number}", "Springfield", "title") for number in range(4)]
    assert edges(collect(texts, [("s0", "Rain", "title"), *homes])) == {}
    assert len(edges(collect(texts, homes[:3]))) == 6


def test_lead_subject_counts_only_without_a_title() -> None:
    texts = {"a": "He met Marie Curie.", "b": "x"}
    lead: tuple[str, str, HomeKind] = ("b", "Marie Curie", "lead_subject")
    assert edges(collect(texts, [lead]))["a", "b"] == SETTINGS.told_home_weight
    assert edges(collect(texts, [lead, ("b", "Polonium", "title")])) == {}


def test_definition_counts_only_without_another_home() -> None:
    texts = {"a": "He met Marie Curie.", "b": "x", "c": "y"}
    definition: tuple[str, str, HomeKind] = ("b", "Marie Curie", "definition")
    assert ("a", "b") in edges(collect(texts, [definition]))
    assert ("a", "b") not in edges(collect(texts, [definition, ("c", "Marie Curie", "title")]))


def test_shared_entity_joins_and_the_rarer_the_stronger() -> None:
    texts = {name: "" for name in "abc"}
    assert edges(collect(texts), shared("a", "b"))["a", "b"] == pytest.approx(0.6)
    assert edges(collect(texts), shared("a", "b", "c"))["a", "b"] == pytest.approx(0.3)


def test_entity_in_one_chunk_or_in_too_many_joins_nothing() -> None:
    names = [f"c{number}" for number in range(SETTINGS.max_entity_chunks + 1)]
    collection = collect(dict.fromkeys(names, ""))
    assert edges(collection, shared(*names)) == {}
    assert edges(collection, shared("c0", "c0")) == {}
    assert len(edges(collection, shared(*names[:-1]))) == SETTINGS.max_entity_chunks * (SETTINGS.max_entity_chunks - 1)


def test_neighbours_join_within_a_document_only() -> None:
    found = edges(collect({"b/0": "", "a/1": "", "a/0": "", "a/2": ""}))
    weight = SETTINGS.neighbour_weight
    expected = [("a/0", "a/1"), ("a/1", "a/0"), ("a/1", "a/2"), ("a/2", "a/1")]
    assert found == dict.fromkeys(expected, weight)


def test_reasons_add_up_and_zero_weights_make_no_edges() -> None:
    collection = collect({"a/0": "Bell Labs", "a/1": "x"}, [("a/1", "Bell Labs", "heading")])
    assert edges(collection, shared("a/0", "a/1"))["a/0", "a/1"] == pytest.approx(1.0 + 0.6 + 0.1)
    off = {"home_weight": 0, "told_home_weight": 0, "entity_weight": 0, "neighbour_weight": 0}
    assert edges(collection, shared("a/0", "a/1"), **off) == {}


def test_nothing_gives_nothing() -> None:
    assert build_passage_edges(collect({}), NOTHING, SETTINGS) == ()
    assert build_passage_edges(collect({"a": ""}, [("a", "", "title")]), NOTHING, SETTINGS) == ()


def test_name_finder_takes_names_one_after_the_other() -> None:
    finder = NameFinder(["new york", "york times", "new york times", "times"])
    assert finder.names_in("New York Times, York Times; new york") == {"new york times", "york times", "new york"}


@given(st.permutations(["a", "b", "c", "d/0", "d/1"]), st.sets(st.sampled_from(["a", "b", "c", "d/0"])))
def test_edges_are_sorted_unique_and_independent_of_order(order: list[str], mentioned: set[str]) -> None:
    texts = {"a": "Bell Labs", "b": "Marie Curie at Bell Labs", "c": "", "d/0": "Bell Labs", "d/1": "Marie Curie"}
    homes: list[tuple[str, str, HomeKind]] = [("c", "Bell Labs", "title"), ("d/1", "Marie Curie", "lead_subject")]
    resolution = shared(*sorted(mentioned))
    found = build_passage_edges(collect({name: texts[name] for name in order}, homes), resolution, SETTINGS)
    assert found == build_passage_edges(collect(texts, homes[::-1]), resolution, SETTINGS)
    pairs = [(edge.source_id, edge.target_id) for edge in found]
    assert pairs == sorted(set(pairs))
    assert all(source != target for source, target in pairs)

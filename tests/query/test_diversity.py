from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Chunk
from query.diversity import DistinctChunk, distinct_chunks
from query.engine import QueryEngine
from query.request import AskOptions
from query.settings import DiversitySettings, QuerySettings
from tests.query.small_store import EMBEDDER, SmallDocument, request_of

StoreOf: TypeAlias = Callable[..., EmbeddedStore]

TEXT = (
    "The ferry to the island leaves the old pier every morning at seven and comes back in the evening when the wind "
    "allows it, for the skipper of the ferry knows the rocks around the island better than anybody else on the coast."
)
DEFAULTS = DiversitySettings()


def document(title: str, text: str = TEXT, groups: tuple[str, ...] = ()) -> SmallDocument:
    return SmallDocument(title=title, paragraphs=(text,), groups=groups)


def chunks_of(store: EmbeddedStore, *ids: str) -> list[Chunk]:
    return list(store.chunks(Access(), [f"default/{name}/0" for name in ids]))


def distinct(store: EmbeddedStore, chunks: list[Chunk], settings: DiversitySettings = DEFAULTS) -> list[DistinctChunk]:
    return distinct_chunks(store, request_of("ferry"), chunks, (), settings)


def test_near_duplicates_become_one_result_that_names_the_others(store_of: StoreOf) -> None:
    copy = TEXT.replace("on the coast", "on that coast")
    store = store_of(document("Ferry"), document("Ferries", copy), document("Rocks", "Rocks stand in the sea."))
    kept = distinct(store, chunks_of(store, "ferry", "rocks", "ferries"))
    assert [(entry.chunk.document_id, entry.duplicates) for entry in kept] == [
        ("ferry", ("default/ferries/0",)),
        ("rocks", ()),
    ]


def test_the_higher_ranked_one_stays(store_of: StoreOf) -> None:
    store = store_of(document("Ferry"), document("Ferries"))
    assert distinct(store, chunks_of(store, "ferries", "ferry"))[0].chunk.document_id == "ferries"


def test_forms_filled_in_with_other_numbers_stay_apart(store_of: StoreOf) -> None:
    store = store_of(document("Ferry", f"{TEXT} It costs 5 crowns."), document("Ferries", f"{TEXT} It costs 6 crowns."))
    assert len(distinct(store, chunks_of(store, "ferry", "ferries"))) == 2


def test_one_text_under_titles_with_other_numbers_stays_apart(store_of: StoreOf) -> None:
    store = store_of(document("Ferry 2019"), document("Ferry 2020"))
    assert len(distinct(store, chunks_of(store, "ferry-2019", "ferry-2020"))) == 2


def test_near_vectors_of_other_words_stay_apart(store_of: StoreOf) -> None:
    words = TEXT.rstrip(".").split()
    store = store_of(document("Ferry"), document("Ferries", " ".join(sorted(words)) + "."))
    assert len(distinct(store, chunks_of(store, "ferry", "ferries"), replace(DEFAULTS, duplicate_cosine=0.5))) == 2


def test_collapsing_can_be_turned_off(store_of: StoreOf) -> None:
    store = store_of(document("Ferry"), document("Ferries"))
    assert len(distinct(store, chunks_of(store, "ferry", "ferries"), replace(DEFAULTS, collapse=False))) == 2


def test_a_search_fills_the_places_of_duplicates_and_hides_forbidden_ones(store_of: StoreOf) -> None:
    store = store_of(
        document("Ferry"),
        document("Ferries"),
        document("Ferry Boat", groups=("staff",)),
        document("Rocks", "The ferry passes the rocks."),
    )
    engine = QueryEngine(store, EMBEDDER)
    outcome = engine.search("When does the ferry leave the old pier?", AskOptions(route="local", k=2))
    assert {result.document_id for result in outcome.results} >= {"rocks"}
    assert [len(result.duplicates) for result in outcome.results] == [1, 0]
    assert "ferry-boat" not in str(outcome)
    ranked = engine.rank_chunks("When does the ferry leave the old pier?", "local", 10)
    assert len(ranked) == 3


def test_marginal_relevance_takes_what_is_unlike_before_what_is_alike(store_of: StoreOf) -> None:
    store = store_of(
        document("Ferry"), document("Ferries", f"{TEXT} It costs 6 crowns."), document("Rocks", "Herring is salted.")
    )
    chunks = chunks_of(store, "ferry", "ferries", "rocks")
    assert [entry.chunk.document_id for entry in distinct(store, chunks)] == ["ferry", "ferries", "rocks"]
    unlike = distinct(store, chunks, replace(DEFAULTS, mmr_lambda=0.4))
    assert [entry.chunk.document_id for entry in unlike] == ["ferry", "rocks", "ferries"]
    pinned = distinct_chunks(
        store, request_of("ferry"), chunks, ("default/ferries/0",), replace(DEFAULTS, mmr_lambda=0.4)
    )
    assert pinned[0].chunk.document_id == "ferries"
    assert distinct(store, [], replace(DEFAULTS, mmr_lambda=0.4)) == []


def test_the_settings_reach_the_search(store_of: StoreOf) -> None:
    settings = QuerySettings(diversity=DiversitySettings(collapse=False))
    engine = QueryEngine(store_of(document("Ferry"), document("Ferries")), EMBEDDER, settings)
    assert len(engine.search("ferry pier", AskOptions(route="local")).results) == 2

"""Contexts packed by the engine, over a small collection."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.filters import parse_filter
from query.chain_ranking.chains import ChainStep
from query.engine import QueryEngine
from query.local import LocalRanking, rank_local
from query.packing.draft import Novelty
from query.packing.packed_context import PackedContext, packed_documents
from query.packing.passage_blocks import PackedRanking, passage_blocks
from query.packing.settings import PackingSettings
from query.request import AskOptions, RouteChoice
from query.settings import LocalSettings, QuerySettings
from query.view_cache import ViewCache
from tests.query.small_store import DOCUMENTS, EMBEDDER, SmallDocument, request_of

StoreOf: TypeAlias = Callable[..., EmbeddedStore]
ROUTES: tuple[RouteChoice, ...] = ("auto", "local", "community", "tree")
QUESTIONS = ("Who built Skerry Rock Lighthouse?", "What are the main themes?", "Summarise the Pump Manual.")


def verify(context: PackedContext, store: EmbeddedStore, access: Access) -> None:
    assert context.tokens == len(EMBEDDER.token_spans(context.text)) <= context.budget
    spans = set()
    for source in context.sources:
        text = store.document_text(access, source.document_id)
        assert text is not None
        for sentence in source.sentences:
            assert text[sentence.char_start : sentence.char_end] == sentence.text
            spans.add((source.document_id, sentence.char_start))
    assert len(spans) == sum(len(source.sentences) for source in context.sources)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("budget", [1, 20, 60, 3000])
def test_contexts_of_all_routes_hold_together(
    engine: QueryEngine, small_store: EmbeddedStore, route: RouteChoice, question: str, budget: int
) -> None:
    context = engine.context(question, AskOptions(route=route), budget=budget)
    verify(context, small_store, Access())
    assert context.counted_by == EMBEDDER.model_id
    if budget == 3000:
        assert context.sources
        assert context.left_out == 0


def test_the_strongest_passage_stands_first(engine: QueryEngine) -> None:
    context = engine.context("Who built Skerry Rock Lighthouse?", AskOptions(route="local"))
    first = context.sources[0]
    assert (first.number, first.document_id) == (1, "skerry-rock-lighthouse")
    assert context.text.startswith("[1] Skerry Rock Lighthouse\nSkerry Rock Lighthouse was built in 1874 by Ida Holm.")
    assert context.blocks[-1].strength == 2


def test_chunks_of_one_section_are_one_source(engine: QueryEngine) -> None:
    context = engine.context("How is the pump greased?", AskOptions(route="local"))
    pump = [source for source in context.sources if source.document_id == "pump-manual"]
    assert len(pump) == 1
    assert pump[0].chunk_ids == ("default/pump-manual/0", "default/pump-manual/1", "default/pump-manual/2")


def test_a_small_budget_tells_of_more_documents_than_whole_passages_would(engine: QueryEngine) -> None:
    context = engine.context(
        "Which herring did the engineer of the lighthouse eat?", AskOptions(route="local"), budget=70
    )
    assert len(packed_documents(context)) >= 3
    assert context.left_out > 0


def test_reports_are_packed_with_the_places_that_they_quote(engine: QueryEngine) -> None:
    context = engine.context("What are the main themes?", AskOptions(route="community"))
    titles = [block.title for block in context.blocks]
    assert {"Lighthouses", "Towns", "Machines"} <= set(titles)
    assert "## Lighthouses" in context.text
    assert {block.kind for block in context.blocks} <= {"digest", "report"}


def test_nodes_are_packed_with_the_places_that_they_quote(engine: QueryEngine) -> None:
    context = engine.context("Summarise the whole collection.", AskOptions(route="tree"))
    assert packed_documents(context) == {"skerry-rock-lighthouse", "bergvik", "pump-manual"}


@pytest.mark.parametrize("route", ROUTES)
def test_what_a_caller_may_not_read_is_never_packed(engine: QueryEngine, route: RouteChoice) -> None:
    for question in ("How much is the platinum of the reef worth?", *QUESTIONS):
        assert "platinum" not in engine.context(question, AskOptions(route=route)).text
        theirs = engine.context(question, AskOptions(route=route, access=Access(tenant="rival")))
        assert packed_documents(theirs) <= {"demolition-plan"}


def test_filters_hold(engine: QueryEngine) -> None:
    options = AskOptions(route="local", filters=(parse_filter("place=land"),))
    assert packed_documents(engine.context("pump oil lighthouse", options)) <= {"ida-holm", "bergvik"}


def test_k_limits_what_is_packed_from(store_of: StoreOf) -> None:
    settings = QuerySettings(packing=PackingSettings(grown=0))
    engine = QueryEngine(store_of(*DOCUMENTS), EMBEDDER, settings)
    context = engine.context("Who built Skerry Rock Lighthouse?", AskOptions(route="local", k=1))
    assert [source.chunk_ids for source in context.sources] == [("default/skerry-rock-lighthouse/0",)]


def test_a_found_passage_is_read_on_in_its_section(store_of: StoreOf) -> None:
    engine = QueryEngine(store_of(*DOCUMENTS), EMBEDDER)
    context = engine.context("Who built Skerry Rock Lighthouse?", AskOptions(route="local", k=1))
    assert [source.chunk_ids for source in context.sources] == [
        ("default/skerry-rock-lighthouse/0", "default/skerry-rock-lighthouse/1")
    ]
    assert "herring" in context.text


def test_filters_and_access_hold_for_what_is_read_on(store_of: StoreOf) -> None:
    secret = SmallDocument(
        title="Log", paragraphs=("The log tells of gulls.", "The log tells of platinum."), groups=("staff",)
    )
    engine = QueryEngine(store_of(secret, *DOCUMENTS), EMBEDDER)
    assert "platinum" not in engine.context("What does the log tell of gulls?").text
    staff = AskOptions(route="local", access=Access(groups=frozenset({"staff"})))
    assert "platinum" in engine.context("What does the log tell of gulls?", staff).text


def test_passages_of_a_trusted_chain_stand_together_in_the_order_of_the_hops(
    small_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = ViewCache(small_store).view(Access())
    request = request_of("In which year did the engineer who built Skerry Rock Lighthouse die?")
    ranking = rank_local(small_store, request, view, LocalSettings())
    ids = ["default/ida-holm/0", "default/bergvik/0", "default/skerry-rock-lighthouse/0"]
    ranking = replace(ranking, chunks=tuple(small_store.chunks(Access(), ids)))
    steps = (
        ChainStep(
            chunk_id=ids[2], document_id="skerry-rock-lighthouse", title="", bridge="", sentence=None, explains=()
        ),
        ChainStep(chunk_id=ids[0], document_id="ida-holm", title="", bridge="ida holm", sentence=(0, 55), explains=()),
    )
    monkeypatch.setattr(LocalRanking, "chain", lambda _, chunk_id: steps if chunk_id == ids[0] else ())
    found = PackedRanking(request=request, ranking=ranking, rarity=view.rarity)
    blocks = passage_blocks(small_store, found, Novelty(), PackingSettings())
    assert [block.kind for block in blocks] == ["chain", "passage"]
    assert [source.first.document.id for source in blocks[0].sources] == ["skerry-rock-lighthouse", "ida-holm"]
    still = passage_blocks(small_store, found, Novelty(), PackingSettings(bridge_gain=0.0))
    assert blocks[0].sources[0].first.worth == pytest.approx(still[0].sources[0].first.worth + 0.5)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("question", ["", "?!", "x" * 5000, "谁建造了灯塔"])
def test_any_text_is_a_question(engine: QueryEngine, question: str, route: RouteChoice) -> None:
    context = engine.context(question, AskOptions(route=route))
    assert context.question == question


@pytest.mark.parametrize("route", ROUTES)
def test_an_empty_store_packs_nothing(store_of: StoreOf, route: RouteChoice) -> None:
    context = QueryEngine(store_of(), EMBEDDER).context("Who built it?", AskOptions(route=route))
    assert (context.text, context.tokens, context.blocks, context.left_out) == ("", 0, (), 0)


def test_the_configured_budget_is_the_default_and_none_below_one_is_taken(engine: QueryEngine) -> None:
    assert engine.context("herring").budget == PackingSettings().budget
    with pytest.raises(ValueError, match="the budget must be 1 or more"):
        engine.context("herring", budget=0)


def test_two_runs_pack_the_same(engine: QueryEngine, small_store: EmbeddedStore) -> None:
    other = QueryEngine(small_store, EMBEDDER)
    for question in QUESTIONS:
        one, two = engine.context(question, budget=80), other.context(question, budget=80)
        assert (one.text, one.blocks) == (two.text, two.blocks)

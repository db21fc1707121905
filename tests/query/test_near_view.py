"""Questions to a collection that is taken to be large, beside the same ones to the same collection as a small one."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from graph_store.access import Access
from graph_store.bundles import PassageGraph
from graph_store.embedded.embedded_store import EmbeddedStore
from query.engine import QueryEngine
from query.local import rank_local
from query.near_view import NearView
from query.readable_view import WholeView
from query.request import AskOptions
from query.settings import LocalSettings, QuerySettings, WalkBounds
from query.view_cache import ViewCache
from tests.query.small_store import DOCUMENTS, EMBEDDER, request_of

QUESTIONS = (
    "Who built Skerry Rock Lighthouse?",
    "Who built the tower of Skerry Rock Lighthouse, beside the reef with platinum?",
    "Skerry Rock Lighthouse was built by whom?",
    "herring market",
    "Where was Ida Holm born?",
)
LARGE = LocalSettings(bounds=WalkBounds(whole_graph=0, hops=20, passages=100, edges=100))


def near_view(store: EmbeddedStore, access: Access | None = None) -> NearView:
    view = ViewCache(store, LARGE).view(access or Access())
    assert isinstance(view, NearView)
    return view


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("groups", [(), ("staff",)])
def test_a_large_store_ranks_as_a_small_one(small_store: EmbeddedStore, question: str, groups: tuple[str, ...]) -> None:
    access = Access(groups=frozenset(groups))
    near = rank_local(small_store, request_of(question, access=access), near_view(small_store, access), LARGE)
    whole = rank_local(small_store, request_of(question, access=access), ViewCache(small_store).view(access), LARGE)
    assert [chunk.id for chunk in near.chunks] == [chunk.id for chunk in whole.chunks]
    assert near.ppr == pytest.approx(whole.ppr, abs=1e-3)
    assert [(name.key, len(name.homes)) for name in near.names] == [(name.key, len(name.homes)) for name in whole.names]
    assert near.chains is not None
    assert whole.chains is not None
    assert near.chains.trust == pytest.approx(whole.chains.trust, abs=1e-3)
    assert near.chains.score_of() == pytest.approx(whole.chains.score_of(), abs=1e-3)


def test_a_large_store_is_answered_as_a_small_one(small_store: EmbeddedStore) -> None:
    options = AskOptions(route="local")
    for question in QUESTIONS:
        near = QueryEngine(small_store, EMBEDDER, QuerySettings(local=LARGE)).ask(question, options)
        whole = QueryEngine(small_store, EMBEDDER).ask(question, options)
        assert (near.answer, near.abstained) == (whole.answer, whole.abstained)
        assert near.trace.support_features == pytest.approx(whole.trace.support_features, abs=1e-3)


def test_the_bounds_tell_what_is_large(small_store: EmbeddedStore) -> None:
    count = len(small_store.passage_graph(Access()).chunk_ids)
    at, below = (replace(LARGE, bounds=WalkBounds(whole_graph=number)) for number in (count, count - 1))
    assert isinstance(ViewCache(small_store, at).view(Access()), WholeView)
    assert isinstance(ViewCache(small_store, below).view(Access()), NearView)
    assert ViewCache(small_store, below).view(Access()).count == count


def test_the_engine_reads_no_whole_graph_where_the_collection_is_large(
    store_of: Callable[..., EmbeddedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> PassageGraph:
        raise AssertionError("the whole graph is read")

    monkeypatch.setattr("graph_store.embedded.passage_graph.read_graph", refuse)
    store = store_of(*DOCUMENTS)
    large = QuerySettings(local=LocalSettings(bounds=WalkBounds(whole_graph=3)))
    assert QueryEngine(store, EMBEDDER, large).ask(QUESTIONS[0], AskOptions(route="local")).results
    with pytest.raises(AssertionError, match="the whole graph"):
        QueryEngine(store, EMBEDDER).ask(QUESTIONS[0])


def test_tables_are_kept_for_each_caller_and_names_for_one_question(small_store: EmbeddedStore) -> None:
    views, staff = ViewCache(small_store, LARGE), Access(groups=frozenset({"staff"}))
    first, again = views.view(Access()), views.view(Access())
    assert first is not again
    assert first.tables is again.tables
    assert views.view(staff).tables is not first.tables
    first.names_among(["ida holm"])
    assert first.names.holder_count("ida holm") > 0
    assert again.names.holder_count("ida holm") == 0


def test_a_name_that_a_passage_told_of_is_asked_for_again_where_its_homes_are_wanted(
    small_store: EmbeddedStore,
) -> None:
    view = near_view(small_store)
    (home,) = small_store.name_places(Access(), ["ida holm"], most=9)["ida holm"].homes
    names = view.names_of([view.place(home)])
    assert "ida holm" in names.about(view.place(home))
    assert (names.home_count("ida holm"), names.homes("ida holm")) == (1, [])
    assert view.names_among(["ida holm"]).homes("ida holm") == [view.place(home)]
    assert view.names_of([view.place(home)]).homes("ida holm") == [view.place(home)], "not forgotten"


def test_edges_are_those_that_the_latest_walk_read(small_store: EmbeddedStore) -> None:
    view, graph = near_view(small_store), small_store.passage_graph(Access())
    links = small_store.passage_links(Access(), graph.chunk_ids, most=100)
    start = next(iter(links))
    assert view.edges(view.place(start)).targets.tolist() == []
    view.walk(LARGE.bounds).rank({view.place(start): 1.0}, damping=0.5, steps=2)
    edges = view.edges(view.place(start))
    assert [view.chunk_ids[place] for place in edges.targets.tolist()] == list(links[start].targets)
    assert edges.weights.tolist() == links[start].weights.tolist()


def test_passages_that_a_caller_may_not_read_have_no_names(small_store: EmbeddedStore) -> None:
    staff = small_store.passage_graph(Access(groups=frozenset({"staff"}))).chunk_ids
    hidden = set(staff) - set(small_store.passage_graph(Access()).chunk_ids)
    assert hidden
    view = near_view(small_store)
    names = view.names_of([view.place(chunk_id) for chunk_id in sorted(hidden)])
    assert not any(names.about(view.place(item)) | names.mentioned(view.place(item)) for item in hidden)

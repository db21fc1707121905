from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.filters import parse_filter
from graph_store.records import Hit
from query.chain_ranking.pool import Candidates, choose_pool, hop_vectors, most_holders, strongest
from query.chain_ranking.settings import ChainSettings
from query.local import search_first_stage, walk_candidates
from query.readable_view import ReadableView, WholeView
from query.request import Request
from query.settings import LocalSettings
from tests.query.small_store import RIVAL, SmallDocument, request_of

QUESTION = "Who built the tower of Skerry Rock Lighthouse, beside the reef with platinum?"
STAFF = Access(groups=frozenset({"staff"}))


def view_of(store: EmbeddedStore, access: Access) -> ReadableView:
    return WholeView(store, access, store.passage_graph(access))


def found_by(store: EmbeddedStore, request: Request, view: ReadableView) -> Candidates:
    settings = LocalSettings()
    return walk_candidates(request, view, search_first_stage(store, request, settings), settings)[1]


def pool_of(store: EmbeddedStore, request: Request, settings: ChainSettings | None = None) -> tuple[str, ...]:
    view = view_of(store, request.access)
    found = found_by(store, request, view)
    return choose_pool(store, request, view, found=found, settings=settings or ChainSettings())


def test_the_pool_has_each_passage_once(small_store: EmbeddedStore) -> None:
    pool = pool_of(small_store, request_of(QUESTION))
    assert len(pool) == len(set(pool)) > 3
    assert pool[0].startswith("default/skerry-rock-lighthouse")


def test_a_forbidden_passage_never_joins_the_pool(small_store: EmbeddedStore) -> None:
    secret = "default/reef-survey/0"
    assert secret not in pool_of(small_store, request_of(QUESTION))
    assert secret in pool_of(small_store, request_of(QUESTION, access=STAFF))
    assert not any(RIVAL.id in chunk_id for chunk_id in pool_of(small_store, request_of(QUESTION, access=STAFF)))


def test_filters_bind_the_whole_pool(small_store: EmbeddedStore) -> None:
    pool = pool_of(small_store, request_of(QUESTION, filters=(parse_filter("place=land"),)))
    assert pool
    assert {chunk_id.split("/")[1] for chunk_id in pool} <= {"ida-holm", "bergvik"}


def test_a_filter_that_nothing_passes_leaves_no_pool(small_store: EmbeddedStore) -> None:
    assert pool_of(small_store, request_of(QUESTION, filters=(parse_filter("year>3000"),))) == ()


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_pool_has_a_limit(small_store: EmbeddedStore, limit: int) -> None:
    everything = pool_of(small_store, request_of(QUESTION))
    assert pool_of(small_store, request_of(QUESTION), ChainSettings(pool=limit)) == everything[:limit]


def test_what_is_not_in_the_graph_yet_stays_out(small_store: EmbeddedStore) -> None:
    request, view = request_of(QUESTION), view_of(small_store, Access())
    found = found_by(small_store, request, view)
    unpublished = replace(
        found, fused=(Hit(id="default/reef-survey/0", score=9.0), Hit(id="new", score=8.0), *found.fused)
    )
    pool = choose_pool(small_store, request, view, found=unpublished, settings=ChainSettings())
    assert set(pool) <= set(view.chunk_ids)
    assert pool


def test_a_shared_name_brings_in_what_no_search_found(store_of: Callable[..., EmbeddedStore]) -> None:
    store = store_of(
        SmallDocument(title="Old Mill", paragraphs=("The old mill was run by Gerda Quist.",)),
        SmallDocument(title="Gerda Quist", paragraphs=("Her sheep won prizes.",)),
        SmallDocument(title="Harbour", paragraphs=("Gerda Quist bought herring.",)),
        SmallDocument(title="Grass", paragraphs=("It is green.",)),
    )
    request, view = request_of("Who ran the old mill?"), view_of(store, Access())
    mass = np.zeros(view.count)
    mass[store.passage_graph(Access()).chunk_ids.index("default/old-mill/0")] = 1.0
    alone = (Hit(id="default/old-mill/0", score=1.0),)
    found = Candidates(bm25=alone, dense=alone, fused=alone, mass=mass)
    # One hop hit: the search beyond the anchor finds the anchor again, and nothing else.
    settings = ChainSettings(hop_hits=1, pool_hops=1)
    pool = choose_pool(store, request, view, found=found, settings=settings)
    assert set(pool) == {"default/old-mill/0", "default/gerda-quist/0", "default/harbour/0"}
    strict = replace(settings, link_spread=1, link_share=0.0)
    assert "default/harbour/0" not in choose_pool(store, request, view, found=found, settings=strict)


def test_hop_vectors_are_the_question_carried_on() -> None:
    question, passages = np.array([1.0, 0.0], dtype=np.float32), np.array([[0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    hops = hop_vectors(question, passages)
    np.testing.assert_allclose(hops, [[1 / np.hypot(1, 0.7), 0.7 / np.hypot(1, 0.7)], [1.0, 0.0]], rtol=1e-6)
    assert hop_vectors(question, passages[:0]).shape == (0, 2)


def test_a_passage_opposite_to_the_question_gives_no_division_by_nothing() -> None:
    question = np.array([0.7], dtype=np.float32)
    assert np.isfinite(hop_vectors(question, np.array([[-1.0]], dtype=np.float32))).all()


@given(st.lists(st.integers(0, 4), max_size=15), st.integers(1, 6))
def test_the_strongest_agree_with_sorting(mass: list[int], count: int) -> None:
    expected = sorted((place for place, own in enumerate(mass) if own), key=lambda place: (-mass[place], place))
    assert strongest(np.array(mass, dtype=np.float64), count) == expected[:count]


def test_a_name_may_be_in_more_passages_of_a_larger_collection() -> None:
    settings = ChainSettings(link_spread=40, link_share=0.03)
    assert [most_holders(passages, settings) for passages in (0, 1_000, 10_000)] == [40, 40, 300]

from collections.abc import Callable

import numpy as np
import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from query.chain_ranking.explanation import explain_ranking
from query.chain_ranking.ranker import RankedChains
from query.chain_ranking.settings import ChainSettings
from query.chain_ranking.weights import WeightsUnusable
from query.engine import QueryEngine
from query.local import LocalRanking, rank_local
from query.readable_view import WholeView
from query.request import AskOptions
from query.settings import LocalSettings
from tests.query.small_store import DOCUMENTS, EMBEDDER, SmallDocument, request_of

QUESTION = "Where does the engineer of Skerry Rock Lighthouse come from?"
STAFF = Access(groups=frozenset({"staff"}))
StoreOf = Callable[..., EmbeddedStore]

BELL = SmallDocument(title="Marrow Bell", paragraphs=("The Marrow Bell was cast in 1702 by Tilda Vesper.",))
CASTER = SmallDocument(title="Tilda Vesper", paragraphs=("Tilda Vesper was born in Quarnholm. She cast bells.",))
DISTRACTORS = tuple(
    SmallDocument(
        title=f"{place} Weir", paragraphs=(f"The {place} Weir holds back a river. Trout live below {place} Weir.",)
    )
    for place in ("Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir", "Gorse", "Hazel")
)
JOIN = "Where was the caster of the Marrow Bell born?"


def ranking(store: EmbeddedStore, question: str, access: Access | None = None, **settings: object) -> LocalRanking:
    request = request_of(question, access=access)
    view = WholeView(store, request.access, store.passage_graph(request.access))
    return rank_local(store, request, view, LocalSettings(chains=ChainSettings(**settings)))  # type: ignore[arg-type]  # any setting


def chains(store: EmbeddedStore, question: str, access: Access | None = None, **settings: object) -> RankedChains:
    ranked = ranking(store, question, access, **settings).chains
    assert ranked is not None
    return ranked


def test_two_runs_rank_alike(small_store: EmbeddedStore) -> None:
    first, second = (chains(small_store, QUESTION) for _ in range(2))
    assert first.order() == second.order()
    np.testing.assert_array_equal(first.scores, second.scores)
    assert first.trust == second.trust


def test_the_order_of_writing_makes_no_difference(store_of: StoreOf) -> None:
    one, other = (chains(store_of(*documents), QUESTION) for documents in (DOCUMENTS, DOCUMENTS[::-1]))
    assert one.order() == other.order()
    assert one.trust == pytest.approx(other.trust)
    by_id = {chunk.id: score for chunk, score in zip(other.evidence.chunks, other.scores, strict=True)}
    assert [by_id[chunk.id] for chunk in one.evidence.chunks] == pytest.approx(one.scores.tolist())


def test_a_forbidden_passage_is_neither_ranked_nor_linked_nor_told(small_store: EmbeddedStore) -> None:
    question = "Which reef beside the tower of Skerry Rock Lighthouse hides platinum?"
    open_to_all, of_staff = chains(small_store, question), chains(small_store, question, STAFF)
    assert "default/reef-survey/0" in of_staff.order()
    assert not any("reef-survey" in chunk_id for chunk_id in open_to_all.order())
    assert all("reef" not in bridge for bridge in open_to_all.links.bridges)
    assert open_to_all.steps("default/reef-survey/0") == ()


def test_what_others_may_not_read_changes_nothing(small_store: EmbeddedStore, store_of: StoreOf) -> None:
    without = store_of(*(document for document in DOCUMENTS if not document.groups))
    one, other = chains(small_store, QUESTION), chains(without, QUESTION)
    assert one.order() == other.order()
    for name in ("coverage", "sentence_coverage", "dense", "lexical", "vectors"):
        np.testing.assert_allclose(getattr(one.evidence, name), getattr(other.evidence, name), err_msg=name)
    assert one.links.bridges == other.links.bridges


def test_a_question_without_words_and_an_empty_collection_have_no_chains(
    small_store: EmbeddedStore, store_of: StoreOf
) -> None:
    assert ranking(small_store, "what is it").chains is None
    assert ranking(store_of(), QUESTION).chains is None


def test_one_passage_is_ranked(store_of: StoreOf) -> None:
    ranked = chains(store_of(BELL), JOIN)
    assert ranked.order() == ["default/marrow-bell/0"]
    assert np.isfinite(ranked.scores).all()
    assert 0.0 <= ranked.trust <= 1.0


def test_without_chains_the_walk_ranks(small_store: EmbeddedStore) -> None:
    found = ranking(small_store, QUESTION, enabled=False)
    assert found.chains is None
    assert found.chunks
    assert found.chain(found.chunks[0].id) == ()


def test_weights_that_cannot_be_used_are_told_at_the_question(small_store: EmbeddedStore) -> None:
    with pytest.raises(WeightsUnusable, match=r"query\.local\.chains\.weights"):
        ranking(small_store, QUESTION, weights="nowhere.json")


def test_places_and_chains_of_what_is_outside_the_pool(small_store: EmbeddedStore) -> None:
    ranked = chains(small_store, QUESTION, pool=2)
    assert len(ranked.order()) == 2
    assert ranked.place("nowhere") is None
    assert ranked.steps("nowhere") == ()


def test_the_passage_of_the_second_hop_ranks_above_what_looks_like_the_question(store_of: StoreOf) -> None:
    store = store_of(BELL, CASTER, *DISTRACTORS)
    found = ranking(store, JOIN)
    by_search = [hit.id for hit in found.first_stage.fused]
    second = "default/tilda-vesper/0"
    assert found.chains is not None
    by_chains = [found.chains.evidence.chunks[place].id for place in np.argsort(-found.chains.chain_scores)]
    assert by_search.index(second) > 1
    assert set(by_chains[:2]) == {"default/marrow-bell/0", second}
    steps = found.chains.steps(second)
    assert [step.chunk_id for step in steps] == ["default/marrow-bell/0", second]
    assert steps[1].bridge == "tilda vesper"


def test_an_explanation_tells_scores_reasons_and_gate(store_of: StoreOf) -> None:
    engine = QueryEngine(store_of(BELL, CASTER, *DISTRACTORS), EMBEDDER)
    told = engine.explain_ranking(JOIN, 3, AskOptions())
    assert told.question == JOIN
    assert [result.score for result in told.results] == sorted((result.score for result in told.results), reverse=True)
    assert len(told.results) == 3
    for reasons in (told.gate, *(result.reasons for result in told.results)):
        sizes = [abs(value) for _, value in reasons]
        assert sizes == sorted(sizes, reverse=True)
        assert 0 < len(sizes) <= 6
    assert all(result.chain[-1].chunk_id == result.chunk_id for result in told.results)


def test_reasons_and_bias_make_the_score_of_the_chains(small_store: EmbeddedStore) -> None:
    ranked = chains(small_store, QUESTION)
    added = ranked.model.contributions(ranked.columns)
    np.testing.assert_allclose(added.sum(axis=1) + ranked.model.bias, ranked.chain_scores)


def test_nothing_ranked_is_nothing_explained() -> None:
    told = explain_ranking("of", None, k=3)
    assert (told.trust, told.gate, told.results) == (0.0, (), ())

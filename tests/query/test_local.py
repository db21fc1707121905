from collections.abc import Callable
from typing import TypeAlias

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from query.chain_ranking.settings import ChainSettings
from query.engine import QueryEngine
from query.local import rank_local
from query.readable_view import ReadableView
from query.request import AskOptions
from query.settings import LocalSettings
from query.view_cache import ViewCache
from tests.query.small_store import DOCUMENTS, EMBEDDER, SmallDocument, request_of

NO_CHAINS = ChainSettings(enabled=False)
StoreOf: TypeAlias = Callable[..., EmbeddedStore]


def view(store: EmbeddedStore) -> ReadableView:
    return ViewCache(store).view(Access())


def ranked(store: EmbeddedStore, text: str, settings: LocalSettings | None = None) -> list[str]:
    ranking = rank_local(store, request_of(text), view(store), settings or LocalSettings())
    return [chunk.id for chunk in ranking.chunks]


def test_the_walk_lifts_the_passage_that_a_found_one_leads_to(small_store: EmbeddedStore) -> None:
    question = "Skerry Rock Lighthouse was built by whom?"
    walked = ranked(small_store, question, LocalSettings(chains=NO_CHAINS))
    still = ranked(small_store, question, LocalSettings(chains=NO_CHAINS, damping=0.0))
    assert walked.index("default/ida-holm/0") < still.index("default/ida-holm/0")


def test_all_readable_passages_are_ranked_once(small_store: EmbeddedStore) -> None:
    chunk_ids = ranked(small_store, "herring pump lighthouse")
    assert len(chunk_ids) == len(set(chunk_ids))
    assert all("reef-survey" not in chunk_id for chunk_id in chunk_ids)


def test_a_name_with_too_many_homes_starts_no_walk(small_store: EmbeddedStore) -> None:
    text = "What is told of Bergvik?"
    ranking = rank_local(small_store, request_of(text), view(small_store), LocalSettings(most_homes=0))
    assert [name.key for name in ranking.names] == ["bergvik"]


def test_an_identifier_that_many_passages_hold_tells_nothing(small_store: EmbeddedStore) -> None:
    asked = request_of("What is said of PMP-2041?")
    assert rank_local(small_store, asked, view(small_store), LocalSettings()).with_codes == ("default/pump-manual/0",)
    assert rank_local(small_store, asked, view(small_store), LocalSettings(rarest_code=0)).with_codes == ()


def test_signals_name_each_list_that_has_the_passage(small_store: EmbeddedStore) -> None:
    ranking = rank_local(small_store, request_of("herring market"), view(small_store), LocalSettings())
    told = ranking.signals("default/bergvik/0")
    assert told["bm25_rank"] == told["dense_rank"] == told["ppr_rank"] == 1.0
    assert told["ppr"] == 1.0
    assert ranking.signals("nowhere") == {}


def test_the_view_of_a_caller_is_kept_until_the_store_changes(small_store: EmbeddedStore) -> None:
    views = ViewCache(small_store)
    assert views.view(Access()) is views.view(Access())
    assert views.view(Access()) is not views.view(Access(groups=frozenset({"staff"})))


def test_rarity_of_words_comes_from_readable_passages_alone(small_store: EmbeddedStore) -> None:
    assert view(small_store).rarity.weight("platinum") == 1.0
    assert "platinum" not in view(small_store).rarity.frequencies


def test_a_passage_repeating_the_question_does_not_become_the_answer(store_of: StoreOf) -> None:
    spam = SmallDocument(title="Spam", paragraphs=("Who built Skerry Rock Lighthouse? " * 8,))
    engine = QueryEngine(store_of(*DOCUMENTS, spam), EMBEDDER)
    answer = engine.ask("Who built Skerry Rock Lighthouse?", AskOptions(route="local"))
    assert "Ida Holm" in answer.answer

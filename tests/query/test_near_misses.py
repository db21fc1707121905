import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from query.near_misses import NearMisses
from query.question import analyse
from query.readable_view import WholeView
from raptor.text_words import content_stems
from tests.query.small_store import request_of

QUESTION = "Who built Skerry Rock Lighthouse in 1874?"


@pytest.fixture
def near_misses(small_store: EmbeddedStore) -> NearMisses:
    access = Access()
    view = WholeView(small_store, access, small_store.passage_graph(access))
    return NearMisses(small_store, access, view.rarity)


def test_a_near_miss_changes_one_thing_and_is_the_same_for_a_seed(near_misses: NearMisses) -> None:
    request = request_of(QUESTION)
    gold = frozenset({"default/skerry-rock-lighthouse/0"})
    made = {near_misses.make(request, gold, seed=seed) for seed in range(12)}
    assert len(made) > 1
    assert QUESTION not in made
    for text in made - {""}:
        kept = set(content_stems(text)) & set(content_stems(QUESTION))
        assert kept, text
        # Either the name, or the year, or the verb gave way.
        assert sum(part in text for part in ("built", "Skerry Rock Lighthouse", "1874")) == 2, text
    assert near_misses.make(request, gold, seed=3) == near_misses.make(request, gold, seed=3)


def test_what_comes_in_stands_in_no_answering_passage(near_misses: NearMisses, small_store: EmbeddedStore) -> None:
    gold = "default/skerry-rock-lighthouse/0"
    (answering,) = small_store.chunks(Access(), [gold])
    for seed in range(12):
        text = near_misses.make(request_of(QUESTION), frozenset({gold}), seed=seed)
        new = set(content_stems(text)) - set(content_stems(QUESTION))
        assert new.isdisjoint(content_stems(answering.text)), text


def test_a_question_of_stop_words_has_no_near_miss(near_misses: NearMisses) -> None:
    assert not analyse("who is it?").stems
    assert near_misses.make(request_of("who is it?"), frozenset(), seed=0) == ""

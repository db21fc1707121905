from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from query.chain_sentences import follow_chains
from query.local import LocalRanking, rank_local
from query.passages import read_passages, read_sentences
from query.readable_view import WholeView
from query.sentence_selection import ScoredSentence, score_sentences
from query.settings import LocalSettings
from tests.query.small_store import request_of

ASKED = "Where was the builder of Skerry Rock Lighthouse born?"


def ranked(store: EmbeddedStore, odds: Mapping[str, float], *, trust: float = 0.9) -> LocalRanking:
    """Rank the question's passages, with given log odds by document and -3 for the others."""
    view = WholeView(store, Access(), store.passage_graph(Access()))
    ranking = rank_local(store, request_of(ASKED), view, LocalSettings())
    assert ranking.chains is not None
    documents = [chunk.document_id for chunk in ranking.chains.evidence.chunks]
    scores = np.array([odds.get(document, -3.0) for document in documents])
    return replace(ranking, chains=replace(ranking.chains, chain_scores=scores, trust=trust))


def sentences_of(store: EmbeddedStore, ranking: LocalRanking) -> tuple[ScoredSentence, ...]:
    request = request_of(ASKED)
    passages = read_passages(store, request.access, ranking.chunks)
    candidates = read_sentences(store, request.access, passages, request.vector)
    return score_sentences(candidates, request.question, {})


def told(
    store: EmbeddedStore, chosen: Sequence[str], odds: Mapping[str, float], *, trust: float = 0.9, most: int = 4
) -> list[str]:
    """Return the documents of the answer's sentences, where the best sentence of each of ``chosen`` was chosen."""
    ranking = ranked(store, odds, trust=trust)
    scored = sentences_of(store, ranking)
    best = [next(e.candidate for e in scored if e.candidate.passage.document.id == document) for document in chosen]
    return [candidate.passage.document.id for candidate in follow_chains(best, scored, ranking, most=most)]


def test_a_likely_hop_that_lacks_is_told_before_what_it_leads_to(small_store: EmbeddedStore) -> None:
    likely = {"skerry-rock-lighthouse": 2.0, "ida-holm": 1.0}
    assert told(small_store, ["ida-holm"], likely) == ["skerry-rock-lighthouse", "ida-holm"]
    assert told(small_store, ["skerry-rock-lighthouse"], likely) == ["skerry-rock-lighthouse", "ida-holm"]


def test_a_document_that_is_told_of_needs_no_further_sentence(small_store: EmbeddedStore) -> None:
    assert told(small_store, ["ida-holm"], {"ida-holm": 3.0}) == ["ida-holm"]


def test_passages_that_chains_rule_out_are_not_told_unless_nothing_else_is(small_store: EmbeddedStore) -> None:
    odds = {"pump-manual": -9.0, "ida-holm": -2.0}
    assert told(small_store, ["ida-holm", "pump-manual"], odds) == ["ida-holm"]
    assert told(small_store, ["pump-manual"], odds) == ["pump-manual"]


def test_nothing_changes_where_chains_are_not_trusted(small_store: EmbeddedStore) -> None:
    odds = {"pump-manual": -9.0, "skerry-rock-lighthouse": 5.0}
    assert told(small_store, ["ida-holm", "pump-manual"], odds, trust=0.4) == ["ida-holm", "pump-manual"]


def test_the_answer_does_not_grow_beyond_its_limit(small_store: EmbeddedStore) -> None:
    likely = {"skerry-rock-lighthouse": 2.0, "ida-holm": 1.0, "bergvik": 1.0}
    assert len(told(small_store, ["ida-holm"], likely, most=2)) == 2

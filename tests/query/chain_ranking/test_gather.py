import numpy as np
import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Hit
from query.chain_ranking.background import Background
from query.chain_ranking.evidence import Evidence, list_scores
from query.chain_ranking.gather import gather_evidence
from query.chain_ranking.pool import choose_pool
from query.chain_ranking.settings import ChainSettings
from query.local import search_first_stage, walk_candidates
from query.readable_view import WholeView
from query.settings import LocalSettings
from tests.query.small_store import EMBEDDER, request_of

QUESTION = "What did Ida Holm build of herring and platinum?"


def evidence_of(store: EmbeddedStore, question: str = QUESTION, access: Access | None = None) -> Evidence:
    request = request_of(question, access=access)
    view = WholeView(store, request.access, store.passage_graph(request.access))
    settings = LocalSettings()
    _, found = walk_candidates(request, view, search_first_stage(store, request, settings), settings)
    pool = choose_pool(store, request, view, found=found, settings=ChainSettings())
    return gather_evidence(store, request, view, found=found, pool=pool)


def test_every_array_has_its_shape(small_store: EmbeddedStore) -> None:
    evidence = evidence_of(small_store)
    n, m, w, d = evidence.size, len(evidence.sentences), len(evidence.words.stems), EMBEDDER.dimension
    assert n > 3
    assert m > n
    assert w == 5
    assert evidence.vectors.shape == (n, d)
    assert evidence.sentence_vectors.shape == (m, d)
    assert evidence.first_sentence.shape == (n + 1,)
    for name in ("dense", "bm25", "dense_rank", "bm25_rank", "fused", "mass", "title_share", "asked_home"):
        assert getattr(evidence, name).shape == (n,), name
    for name in ("coverage", "lexical", "title_words"):
        assert getattr(evidence, name).shape == (n, w), name
    assert evidence.sentence_coverage.shape == (m, w)
    assert len(evidence.titles) == len(evidence.names) == len(evidence.about) == n


def test_sentences_stand_with_their_passage(small_store: EmbeddedStore) -> None:
    evidence = evidence_of(small_store)
    assert evidence.first_sentence[-1] == len(evidence.sentences)
    for place, chunk in enumerate(evidence.chunks):
        own = evidence.sentences[evidence.first_sentence[place] : evidence.first_sentence[place + 1]]
        assert own
        assert all(sentence.chunk_id == chunk.id for sentence in own)


def test_what_is_measured_of_a_passage_tells_it_apart(small_store: EmbeddedStore) -> None:
    evidence = evidence_of(small_store)
    place = {chunk.id: index for index, chunk in enumerate(evidence.chunks)}
    holm, town = place["default/ida-holm/0"], place["default/bergvik/0"]
    words = dict(zip(evidence.words.stems, range(5), strict=True))
    assert evidence.asked_home[[holm, town]].tolist() == [1.0, 0.0]
    assert evidence.about[holm] == {"ida holm"}
    assert evidence.names[holm] == {"ida holm", "bergvik"}
    assert evidence.lexical[holm, words["holm"]] == evidence.title_words[holm, words["holm"]] == 1.0
    assert evidence.lexical[town, words["holm"]] == 0.0
    assert evidence.coverage[holm, words["holm"]] > evidence.coverage[town, words["holm"]]
    assert evidence.title_share[holm] == 1.0
    assert evidence.bm25.max() == 1.0
    assert 0.0 <= evidence.mass.min() < evidence.mass.max() <= 1.0
    # The walk leads on from Ida Holm to Bergvik, the first passage of the graph.
    assert evidence.mass[town] > 0.0


def test_a_word_that_no_passage_has_is_covered_by_none(small_store: EmbeddedStore) -> None:
    evidence = evidence_of(small_store, "platinum of Ida Holm")
    column = evidence.words.stems.index("platinum")
    assert not evidence.lexical[:, column].any()
    others = [place for place in range(len(evidence.words.stems)) if place != column]
    assert evidence.coverage[:, column].max() < evidence.coverage[:, others].max()


def test_a_store_without_token_vectors_covers_by_words(
    small_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmbeddedStore, "token_vectors", lambda *_: {})
    evidence = evidence_of(small_store)
    np.testing.assert_array_equal(evidence.coverage, 3.0 * evidence.lexical)
    assert set(np.unique(evidence.sentence_coverage)) == {0.0, 3.0}


def test_an_empty_pool_is_no_fault(small_store: EmbeddedStore) -> None:
    request = request_of(QUESTION)
    view = WholeView(small_store, request.access, small_store.passage_graph(request.access))
    _, found = walk_candidates(
        request, view, search_first_stage(small_store, request, LocalSettings()), LocalSettings()
    )
    evidence = gather_evidence(small_store, request, view, found=found, pool=())
    assert evidence.size == 0
    assert evidence.vectors.shape == (0, EMBEDDER.dimension)
    assert evidence.first_sentence.tolist() == [0]


def test_the_background_is_of_readable_passages_alone(
    small_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled: list[str] = []
    read = EmbeddedStore.chunk_vectors

    def watched(self: EmbeddedStore, access: Access, chunk_ids: list[str]) -> object:
        sampled.extend(chunk_ids)
        return read(self, access, chunk_ids)

    monkeypatch.setattr(EmbeddedStore, "chunk_vectors", watched)
    _ = WholeView(small_store, Access(), small_store.passage_graph(Access())).background
    assert sampled
    assert not any("reef-survey" in chunk_id or "demolition" in chunk_id for chunk_id in sampled)


def test_naming_a_forbidden_passage_puts_nothing_of_it_into_the_background(small_store: EmbeddedStore) -> None:
    readable = small_store.passage_graph(Access()).chunk_ids
    plain = Background(small_store, Access(), readable)
    meddled = Background(small_store, Access(), [*readable, "default/reef-survey/0"])
    question = EMBEDDER.embed_question("platinum reef")
    vectors = np.eye(3, EMBEDDER.dimension, dtype=np.float32)
    np.testing.assert_array_equal(
        plain.standard_cosines(vectors, question), meddled.standard_cosines(vectors, question)
    )


def test_cosines_stand_for_themselves_where_there_is_no_sample(small_store: EmbeddedStore) -> None:
    empty = Background(small_store, Access(), [])
    question = EMBEDDER.embed_question("herring")
    assert empty.standard_cosines(question[None, :], question).tolist() == pytest.approx([1.0])
    assert empty.nearness(question[None, :], np.ones((1, 1))).shape == (0, 1)


def test_scores_and_ranks_of_a_list() -> None:
    hits = (Hit(id="a", score=3.0), Hit(id="b", score=1.0))
    scores, ranks = list_scores(hits, ["b", "nowhere", "a"], missing=-1.0)
    assert scores.tolist() == [1.0, -1.0, 3.0]
    assert ranks.tolist() == [1.0, 2.0, 0.0]
    assert [part.shape for part in list_scores(hits, [], missing=0.0)] == [(0,), (0,)]

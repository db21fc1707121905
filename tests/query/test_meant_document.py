from collections.abc import Callable

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.filters import Filters, parse_filter
from query.engine import QueryEngine
from query.meant_document import meant_documents
from query.readable_view import WholeView
from query.request import AskOptions
from tests.query.small_store import EMBEDDER, SmallDocument, request_of

HERRING = SmallDocument(
    title="Herring and its markets in the north",
    topic="Trade",
    paragraphs=(
        "Herring was salted in barrels and sold in every port. The trade fed whole towns.",
        "Boats left for the herring at dawn. The barrels were counted at night.",
    ),
    metadata={"year": 1900},
)
BELLS = SmallDocument(
    title="Bells of the valley churches",
    topic="Bells",
    paragraphs=("The bells were cast in bronze. They rang at noon and in the evening.",),
    metadata={"year": 1910},
)
MARKETS = SmallDocument(
    title="Herring salted on deck",
    topic="Trade",
    paragraphs=("Herring salted on deck keeps for a year. The salt came from the south.",),
    metadata={"year": 1920},
)


def meant(store: EmbeddedStore, question: str, filters: Filters = ()) -> list[str]:
    asked = request_of(question, filters=filters)
    view = WholeView(store, Access(), store.passage_graph(Access()))
    return [document.title for document in meant_documents(store, asked, view)]


def test_the_document_that_fits_the_subject_alone_is_meant(store_of: Callable[..., EmbeddedStore]) -> None:
    store = store_of(HERRING, BELLS)
    assert meant(store, "I have no time for the piece on the herring boats. What does it say?") == [HERRING.title]
    assert meant(store, "Sum up the article about church bells.") == [BELLS.title]


def test_documents_that_fit_alike_leave_a_doubt(store_of: Callable[..., EmbeddedStore]) -> None:
    assert set(meant(store_of(HERRING, BELLS, MARKETS), "Sum up the piece on herring.")) == {
        HERRING.title,
        MARKETS.title,
    }


def test_no_document_is_meant_where_the_question_speaks_of_none(store_of: Callable[..., EmbeddedStore]) -> None:
    store = store_of(HERRING, BELLS)
    assert meant(store, "What do the articles say about herring?") == []
    assert meant(store, "Sum up the piece on volcanoes.") == []
    assert meant(store, "Sum up this article.") == []


def test_documents_outside_the_filter_are_not_meant(store_of: Callable[..., EmbeddedStore]) -> None:
    store = store_of(HERRING, BELLS, MARKETS)
    assert meant(store, "Sum up the piece on herring.", (parse_filter("year<=1900"),)) == [HERRING.title]


def test_a_doubt_is_told_with_a_cited_sentence_of_each(store_of: Callable[..., EmbeddedStore]) -> None:
    engine = QueryEngine(store_of(HERRING, BELLS, MARKETS), EMBEDDER)
    answer = engine.ask("Sum up the piece on herring.", AskOptions(route="tree"))
    titles = [line for line in answer.answer.split("\n") if line.startswith("This document may be meant")]
    assert len(titles) == 2
    assert len(answer.citations) == 2
    assert [result.rank for result in answer.results] == [1, 2]

"""Which version of a document answers."""

from collections.abc import Callable

import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.filters import CURRENT, Versions, parse_filter
from query.engine import QueryEngine
from query.request import AskOptions, RouteChoice
from tests.query.small_store import EMBEDDER, LIGHTHOUSE, SmallDocument

ROUTES: tuple[RouteChoice, ...] = ("auto", "local", "community", "tree")
OLD = SmallDocument(
    title="Harbour Dues",
    topic="Dues",
    paragraphs=("The harbour dues of Bergvik are forty crowns a boat.", "Boats of the pilots pay no harbour dues."),
    effective_to="2022-12-31",
    metadata={"year": 2020},
)
NEW = SmallDocument(
    title="Harbour Dues Again",
    topic="Dues",
    paragraphs=("The harbour dues of Bergvik are seventy crowns a boat.", "Boats of the pilots pay half the dues."),
    effective_from="2023-01-01",
    metadata={"supersedes": "harbour-dues", "year": 2023},
)
SECRET = SmallDocument(
    title="Harbour Dues Draft",
    paragraphs=("The harbour dues of Bergvik will be ninety crowns a boat.",),
    groups=("staff",),
    metadata={"supersedes": "harbour-dues-again"},
)
QUESTION = "How many crowns are the harbour dues of Bergvik a boat?"
STAFF = Access(groups=frozenset({"staff"}))


@pytest.fixture
def engine(store_of: Callable[..., EmbeddedStore]) -> QueryEngine:
    return QueryEngine(store_of(OLD, NEW, SECRET, LIGHTHOUSE), EMBEDDER)


def shown(engine: QueryEngine, options: AskOptions) -> set[str]:
    """Return which of the dues are told by an answer, its evidence, its results and its context."""
    told = repr((engine.ask(QUESTION, options), engine.context(QUESTION, options), engine.search(QUESTION, options)))
    return {amount for amount in ("forty", "seventy", "ninety") if amount in told}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("versions", "access", "expected"),
    [
        (CURRENT, Access(), {"seventy"}),
        (CURRENT, STAFF, {"ninety"}),
        (Versions(as_of="2021-05-01"), Access(), {"forty"}),
        (Versions(as_of="2023-05-01"), Access(), {"seventy"}),
        (Versions(all_versions=True), Access(), {"forty", "seventy"}),
    ],
)
def test_only_versions_that_count_are_told(
    engine: QueryEngine, route: RouteChoice, versions: Versions, access: Access, expected: set[str]
) -> None:
    found = shown(engine, AskOptions(route=route, versions=versions, access=access))
    # A report over several versions is hidden where one of them is, so the community route may tell none.
    assert found <= expected
    assert found == expected or route in {"community", "tree"}


def test_a_filter_does_not_bring_an_old_version_back(engine: QueryEngine) -> None:
    old = (parse_filter("year=2020"),)
    assert shown(engine, AskOptions(filters=old)) == set()
    assert shown(engine, AskOptions(filters=old, versions=Versions(all_versions=True))) == {"forty"}


def test_a_named_document_is_found_in_its_current_version(engine: QueryEngine) -> None:
    asked = "Summarise the document Harbour Dues."
    answer = engine.ask(asked, AskOptions(route="tree"))
    assert {citation.document_id for citation in answer.citations} == {"harbour-dues-again"}


def test_evaluated_rankings_hold_versions_too(engine: QueryEngine) -> None:
    for system in ("bm25", "dense", "hybrid", "ppr", "local"):
        hits = engine.rank_chunks(QUESTION, system, 20, AskOptions(versions=Versions(as_of="2021-05-01")))
        assert not [hit.id for hit in hits if "again" in hit.id]

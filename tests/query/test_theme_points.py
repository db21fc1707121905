from collections.abc import Callable
from dataclasses import replace

import pytest

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from query.engine import QueryEngine
from query.global_finding import search_kinds
from query.readable_view import WholeView
from query.request import AskOptions, Request
from query.settings import CommunitySettings
from query.theme_points import Points, find_points, point_blocks
from tests.query.small_store import EMBEDDER, SmallDocument, request_of

HARVESTS = tuple(
    SmallDocument(
        title=f"Farm {name}",
        topic="Harvests",
        paragraphs=(
            f"In {year} the {crop} harvest of the farm was lost to the frost again. "
            f"The owner kept a {beast} in the yard.",
        ),
    )
    for name, year, crop, beast in (
        ("North", 1931, "barley", "goat"),
        ("South", 1912, "rye", "mule"),
        ("East", 1954, "oat", "horse"),
    )
)
QUESTION = "What do the records say about the harvest lost to frost?"
LOOSE = CommunitySettings(point_share_of_best=-1.0)


def found_points(store: EmbeddedStore, request: Request, view: WholeView, settings: CommunitySettings) -> Points:
    (hits,) = search_kinds(store, request, {"chunk": settings.passages})
    return find_points(store, request, hits, view.rarity, settings)


def points_of(store: EmbeddedStore, question: str, settings: CommunitySettings = LOOSE) -> list[tuple[str, str]]:
    view = WholeView(store, Access(), store.passage_graph(Access()))
    found = found_points(store, request_of(question), view, settings)
    return [(point.passage.document.title, point.text) for point in found.points]


def test_points_come_from_as_many_documents_as_there_are(store_of: Callable[..., EmbeddedStore]) -> None:
    store = store_of(*HARVESTS)
    three = points_of(store, QUESTION, replace(LOOSE, points=3))
    assert {title for title, _ in three} == {"Farm North", "Farm South", "Farm East"}
    assert all("harvest" in text for _, text in three)


def test_a_document_is_told_twice_only_after_all_others(store_of: Callable[..., EmbeddedStore]) -> None:
    told = [title for title, _ in points_of(store_of(*HARVESTS), QUESTION)]
    assert len(told) > 3
    assert len(set(told[:3])) == 3
    assert max(map(told.count, told)) == 2


def test_sentences_far_below_the_nearest_are_no_points(store_of: Callable[..., EmbeddedStore]) -> None:
    near = points_of(store_of(*HARVESTS), QUESTION, CommunitySettings(point_share_of_best=0.8))
    assert near
    assert not any("owner" in text for _, text in near)


def test_what_says_the_same_is_told_once(store_of: Callable[..., EmbeddedStore]) -> None:
    copies = [replace(HARVESTS[0], title=f"Copy {number}") for number in range(3)]
    texts = [text for _, text in points_of(store_of(*copies), QUESTION)]
    assert len(texts) == len(set(texts)) == 2


def test_a_question_about_change_is_told_by_year(store_of: Callable[..., EmbeddedStore]) -> None:
    told = points_of(
        store_of(*HARVESTS), "How did the harvest lost to frost change over the years?", replace(LOOSE, points=3)
    )
    assert [title for title, _ in told] == ["Farm South", "Farm North", "Farm East"]


def test_points_stand_on_lines_of_their_own_under_a_theme_each_with_its_document_and_mark(
    store_of: Callable[..., EmbeddedStore],
) -> None:
    engine = QueryEngine(store_of(*HARVESTS), EMBEDDER)
    answer = engine.ask(QUESTION, AskOptions(route="community"))
    heading, *lines = answer.answer.split("\n")
    assert heading == "Harvests"
    assert len(lines) >= 3
    assert all(line.startswith("- Farm ") and line.endswith("]") for line in lines)
    assert len({citation.document_id for citation in answer.citations}) == 3


def test_points_without_a_theme_have_no_heading(store_of: Callable[..., EmbeddedStore]) -> None:
    store = store_of(*HARVESTS)
    view = WholeView(store, Access(), store.passage_graph(Access()))
    points = found_points(store, request_of(QUESTION), view, LOOSE).points
    (block,) = point_blocks(points, (), {}, chunks=3)
    assert block.title == ""
    assert len(block.sentences) == len(points)
    assert point_blocks((), (), {}, chunks=3) == ()


def test_a_subject_that_nothing_is_about_is_not_answered(store_of: Callable[..., EmbeddedStore]) -> None:
    engine = QueryEngine(store_of(*HARVESTS), EMBEDDER)
    assert engine.ask("What is said of Zanzibar?", AskOptions(route="community")).abstained


def test_points_hold_a_rare_name_that_is_asked_for(store_of: Callable[..., EmbeddedStore]) -> None:
    told = points_of(store_of(*HARVESTS), "What do the records say about the harvest lost to frost in Farm South?")
    assert {title for title, _ in told} == {"Farm South"}


def test_reports_and_passages_are_searched_for_together_and_reports_read_once(
    store_of: Callable[..., EmbeddedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, asked = store_of(*HARVESTS), list[str]()
    for name in ("search_many", "communities"):
        real = getattr(store, name)

        def noted(*given: object, real: Callable[..., object] = real, name: str = name, **named: object) -> object:
            asked.append(name)
            return real(*given, **named)

        monkeypatch.setattr(store, name, noted)
    assert not QueryEngine(store, EMBEDDER).ask(QUESTION, AskOptions(route="community")).abstained
    assert asked == ["search_many", "communities"]

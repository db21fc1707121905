from collections.abc import Callable

import pytest

from graph_store.bundles import PassageGraph
from query.chain_ranking.names import PassageNames
from query.names import find_names, possible_names


@pytest.fixture
def graph(make_graph: Callable[..., PassageGraph]) -> PassageGraph:
    return make_graph(
        "abcdef",
        {},
        homes={
            "new york": "a",
            "new york times": "b",
            "times": "c",
            "müller lyer company": "d",
            "at t": "e",
            "rio": "f",
            "the who": "f",
            "北京": "a",
        },
        mentions={"new york times": "bc", "ada lovelace": "de"},
    )


def found(question: str, graph: PassageGraph) -> list[str]:
    return [name.key for name in find_names(question, PassageNames(graph))]


def test_the_longest_name_wins_and_its_parts_are_dropped(graph: PassageGraph) -> None:
    assert found("Who owns the New York Times?", graph) == ["new york times"]


def test_a_name_and_its_part_elsewhere_are_both_found(graph: PassageGraph) -> None:
    assert found("Is the New York Times printed in New York?", graph) == ["new york times", "new york"]


def test_names_come_with_homes(graph: PassageGraph) -> None:
    (name,) = find_names("the new york times", PassageNames(graph))
    assert name.homes == (1,)
    (name,) = find_names("When was Ada Lovelace born?", PassageNames(graph))
    assert name.homes == (), "mentioned, but told of nowhere"


def test_accents_signs_and_articles_do_not_hide_a_name(graph: PassageGraph) -> None:
    assert found("the MÜLLER-LYER Company and AT&T", graph) == ["müller lyer company", "at t"]


def test_short_names_are_passed_over(graph: PassageGraph) -> None:
    assert found("Rio", graph) == []
    assert [name.key for name in find_names("Rio", PassageNames(graph), shortest=3)] == ["rio"]


def test_nothing_is_found_in_no_words_and_in_an_empty_graph(graph: PassageGraph) -> None:
    assert found("?!", graph) == []


def test_a_very_long_question_is_read_to_its_end(graph: PassageGraph) -> None:
    assert found("word " * 4000 + "New York", graph) == ["new york"]


def test_an_empty_graph_knows_no_names(make_graph: Callable[..., PassageGraph]) -> None:
    assert find_names("New York", PassageNames(make_graph("", {}))) == ()


def test_possible_names_are_all_that_is_looked_up(graph: PassageGraph) -> None:
    assert possible_names("the New York") == {"the", "new", "york", "the new", "new york", "the new york"}
    assert possible_names("?!") == frozenset()
    assert max(len(key.split()) for key in possible_names("a b c d e f g h i j")) == 8
    asked: set[str] = set()

    class Noted(PassageNames):
        def home_count(self, key: str) -> int:
            asked.add(key)
            return super().home_count(key)

    question = "Is the MÜLLER-LYER Company or AT&T as old as the New York Times?"
    assert len(find_names(question, Noted(graph))) == 3
    assert asked <= possible_names(question)

from collections.abc import Callable

import pytest

from graph_store.bundles import PassageGraph
from query.chain_ranking.names import PassageNames, spread, stands_in


@pytest.fixture
def names(make_graph: Callable[..., PassageGraph]) -> PassageNames:
    return PassageNames(
        make_graph(
            ["a", "b", "c"],
            {},
            homes={"ida holm": ["a"], "": ["a", "b"]},
            mentions={"ida holm": ["b", "c"], "oil": ["a", "b"], "bergvik": ["c"]},
        )
    )


def test_names_are_known_by_passage(names: PassageNames) -> None:
    assert names.count == 3
    assert [names.mentioned(place) for place in range(3)] == [set(), {"ida holm"}, {"ida holm", "bergvik"}]
    assert [names.about(place) for place in range(3)] == [{"ida holm"}, set(), set()]


def test_names_of_less_than_four_characters_and_empty_titles_lead_nowhere(names: PassageNames) -> None:
    assert all("oil" not in names.mentioned(place) for place in range(3))
    assert all("" not in names.about(place) for place in range(3))


def test_a_name_is_spread_over_the_passages_that_have_it(names: PassageNames) -> None:
    assert [spread(names, key) for key in ("ida holm", "oil", "bergvik", "nobody")] == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("key", "text", "stands"),
    [
        ("ida holm", "Built by Ida Holm.", True),
        ("ida holm", "IDA-HOLM", True),
        ("holm", "Stockholm", False),
        ("holm", "Holmes", False),
        ("ida holm", "Ida\nHolm died", True),
        ("ida holm", "Ida. Then Holm", False),
        ("holm", "", False),
    ],
)
def test_a_name_stands_in_a_text_as_whole_words(key: str, text: str, *, stands: bool) -> None:
    assert stands_in(key, text) is stands

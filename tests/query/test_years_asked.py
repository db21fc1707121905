import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from query.engine import QueryEngine
from query.question import analyse
from query.settings import AnswerSettings, QuerySettings
from query.years_asked import year_not_told
from tests.query.small_store import EMBEDDER


@pytest.mark.parametrize(
    ("question", "told", "weighed", "year"),
    [
        ("Who won in 1921?", "Bohr won in 1922.", "Bohr won in 1922.", "1921"),
        ("Who won in 1922?", "Bohr won in 1922.", "Bohr won in 1922.", ""),
        ("Who won?", "Bohr won in 1922.", "Bohr won in 1922.", ""),
        # What is told may hold for the year of its heading.
        ("Who won in 1921?", "After 1905, Bohr won.", "Prizes of 1921: After 1905, Bohr won.", ""),
        ("Who won in 1921?", "Bohr won.", "Bohr won.", ""),
        # Amounts, parts of dates and codes are no years.
        ("Who sold 1921 crates?", "He sold 1,922 crates and DSS-1922.", "He sold 1,922 crates.", ""),
        ("Was it sold in 1921 or 1922?", "It was sold in 1923.", "In 1922 it was new. It was sold in 1923.", "1921"),
    ],
)
def test_a_year_that_no_text_has_where_others_are_told(question: str, told: str, weighed: str, year: str) -> None:
    assert year_not_told(analyse(question), told=[told], weighed=[weighed]) == year


def test_an_answer_of_another_year_says_so(small_store: EmbeddedStore) -> None:
    engine = QueryEngine(small_store, EMBEDDER, QuerySettings(answer=AnswerSettings(abstention_margin=-1.0)))
    other = engine.ask("Who built Skerry Rock Lighthouse in 1902?")
    assert other.answer.startswith("The documents do not say this of 1902; the nearest evidence:")
    assert all(entry.weak for entry in other.evidence)
    assert not engine.ask("Who built Skerry Rock Lighthouse in 1874?").answer.startswith("The documents do not")


@pytest.mark.parametrize(
    ("question", "told", "missing"),
    [
        ("Does Acme have 1200 employees?", "Founded in 1987, Acme has 1,200 employees.", ""),
        ("Did Acme have offices in 1985?", "Acme opened offices in 1987.", "1985"),
        ("Who won the 1985 election?", "The 1987 election was won by Acme.", "1985"),
    ],
)
def test_a_number_of_things_is_no_year(question: str, told: str, missing: str) -> None:
    assert year_not_told(analyse(question), told=[told], weighed=[told]) == missing


@pytest.mark.parametrize(
    ("question", "told", "weighed", "missing"),
    [
        # Another year's harvest is told, and what the asked year is told of is no harvest.
        ("How large was the harvest in 1931?", ("In 1933 the harvest was 4 tons.", "Ida came in 1931."), (), "1931"),
        (
            "How large was the harvest in 1931?",
            ("In 1933 the harvest was 4 tons.",),
            ("The harvest of 1931 rose.",),
            "",
        ),
        ("How large was the harvest in 1931?", ("The harvest was 4 tons in 1931, 5 in 1933.",), (), ""),
        ("What happened in 1931?", ("Ida came in 1931.", "She left in 1933."), (), ""),
    ],
)
def test_a_year_of_which_something_else_is_told(
    question: str, told: tuple[str, ...], weighed: tuple[str, ...], missing: str
) -> None:
    assert year_not_told(analyse(question), told=told, weighed=(*told, *weighed)) == missing

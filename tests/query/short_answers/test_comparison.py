from dataclasses import replace

import pytest

from query.question import analyse
from query.short_answers.comparison import decide, is_comparison
from query.short_answers.sides import named_pair, title_fit
from query.short_answers.values import date_key
from tests.query.short_answers.evidence_of import passage_sentences

HOLM = passage_sentences("Ida Holm", "Ida Holm (3 May 1849 \u2013 1911) was a Norwegian engineer and sailor.")
LIND = passage_sentences("Otto Lind", "Otto Lind (born 1861) was a Swedish engineer.", rank=2)
TOWER = passage_sentences("Skerry Rock (lighthouse)", "Skerry Rock is a lighthouse.", "It was opened in 1874.", rank=3)
BEACON = passage_sentences("Gull Beacon", "Gull Beacon was opened in 1902 and is 40 metres tall.", rank=4)
MAST = passage_sentences("Long Mast", "Long Mast is a mast in Vest province that is 25 metres tall.", rank=5)
FORT = passage_sentences("Old Fort", "Old Fort is a fort in Ost province.", rank=6)
EVERYTHING = (*HOLM, *LIND, *TOWER, *BEACON, *MAST, *FORT)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is older, Ida Holm or Otto Lind?", "Ida Holm"),
        ("Who was born later, Ida Holm or Otto Lind?", "Otto Lind"),
        ("Which was opened first, Skerry Rock or Gull Beacon?", "Skerry Rock"),
        ("Which was opened later, Skerry Rock or Gull Beacon?", "Gull Beacon"),
        ("Was Skerry Rock opened before Gull Beacon?", "yes"),
        ("Was Skerry Rock opened after Gull Beacon?", "no"),
        ("Is Long Mast taller than Gull Beacon?", "no"),
        ("Is Ida Holm older than Otto Lind?", "yes"),
        ("Which is taller, Gull Beacon or Long Mast?", "Gull Beacon"),
        ("Which engineer was Swedish, Ida Holm or Otto Lind?", "Otto Lind"),
        ("Are Ida Holm and Otto Lind both engineers?", "yes"),
        ("Are Ida Holm and Otto Lind both Norwegian engineers?", "no"),
        ("Are Ida Holm and Otto Lind both sailors?", "no"),
        ("Are Long Mast and Old Fort in the same province?", "no"),
        ("Are Ida Holm and Otto Lind of the same nationality?", "no"),
        ("Which is older, Skerry Rock or Nowhere Hall?", None),
        ("Which is taller, Skerry Rock or Long Mast?", None),
        ("Are Ida Holm and Otto Lind members of the same band?", None),
        ("Who built Skerry Rock?", None),
    ],
)
def test_what_the_passages_decide(question: str, answer: str | None) -> None:
    verdict = decide(analyse(question), EVERYTHING)
    assert (verdict.text if verdict is not None else None) == answer


BANK = passage_sentences("First Bank", "First Bank was founded in 1990.", rank=1)
ACME = passage_sentences("Acme Widgets", "Acme Widgets is a company founded in 1987.", rank=2)
ZETA = passage_sentences(
    "Zeta Tools", "Zeta Tools closed in 1995.", "The company was founded in 1975.", "It never won a prize.", rank=3
)
ALPHA = passage_sentences("Alpha College", "Alpha College has 50 employees and 900 students.", rank=4)
BETA = passage_sentences("Beta College", "Beta College has 80 employees and 300 students.", rank=5)
COMPANIES = (*BANK, *ACME, *ZETA, *ALPHA, *BETA)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which company was founded first, Acme Widgets or Zeta Tools?", "Zeta Tools"),
        ("Which company went bankrupt first, Acme Widgets or Zeta Tools?", None),
        ("Which company closed first, Acme Widgets or Zeta Tools?", None),
        ("Did Acme Widgets close before Zeta Tools?", None),
        ("Was Acme Widgets founded before Zeta Tools closed?", None),
        ("Which was founded later, First Bank or Zeta Tools?", "First Bank"),
        ("Was First Bank founded after Zeta Tools?", "yes"),
        ("Which has more students, Alpha College or Beta College?", "Alpha College"),
        ("Which has fewer students, Alpha College or Beta College?", "Beta College"),
        ("Which has more employees, Alpha College or Beta College?", "Beta College"),
        ("Which has more patents, Alpha College or Beta College?", None),
        ("Which was not founded first, Acme Widgets or Zeta Tools?", None),
        ("Wasn't Acme Widgets founded before Zeta Tools?", None),
    ],
)
def test_only_the_event_and_the_unit_that_are_asked_for_decide(question: str, answer: str | None) -> None:
    verdict = decide(analyse(question), COMPANIES)
    assert (verdict.text if verdict is not None else None) == answer


def test_the_rule_tells_both_values() -> None:
    verdict = decide(analyse("Who is older, Ida Holm or Otto Lind?"), EVERYTHING)
    assert verdict is not None
    assert verdict.rule == "Ida Holm (3 May 1849) is earlier than Otto Lind (1861)."
    assert [value.sentence for value in verdict.values] == [HOLM[0], LIND[0]]
    assert all(value.text in value.sentence.text for value in verdict.values)


def test_dates_that_are_told_as_exactly_as_they_agree_decide_nothing() -> None:
    same = passage_sentences("Eva Dahl", "Eva Dahl (born 1849) was a pilot.", rank=2)
    assert decide(analyse("Who is older, Ida Holm or Eva Dahl?"), (*HOLM, *same)) is None


def test_pairs_of_names_are_found_in_the_usual_forms() -> None:
    assert named_pair("Which band was formed first The Exies or Circus Diablo ?") == ("The Exies", "Circus Diablo")
    assert named_pair("Between Ida Holm and Otto Lind, who is older?") == ("Ida Holm", "Otto Lind")
    assert named_pair("Was Ida Holm or Otto Lind born first?") == ("Ida Holm", "Otto Lind")
    assert named_pair("Who built the tower?") is None
    assert named_pair("Is Ida Holm older than Otto Lind?") == ("Ida Holm", "Otto Lind")
    assert named_pair("Which is older, A of B or C? " * 40) is None
    assert not is_comparison(analyse(""))


def test_titles_fit_names_without_their_parentheses() -> None:
    assert title_fit("Skerry Rock", "Skerry Rock (lighthouse)") == 1.0
    assert title_fit("Skerry Rock", "Gull Beacon") == title_fit("", "Gull Beacon") == 0.0


def test_dates_compare_by_year_month_and_day() -> None:
    assert date_key("3 May 1849") == date_key("May 3, 1849") == (1849.0, 5.0, 3.0)
    assert date_key("1849") < date_key("June 1849") < date_key("1850")


def test_things_without_a_passage_of_their_own_are_compared_by_the_sentences_that_name_them() -> None:
    staff = passage_sentences(
        "Staff",
        "Priya Raman joined the company on 4 March 2013.",
        "Tomas Lindqvist joined it on 12 September 2015.",
        "Priya Raman and Tomas Lindqvist met in 1999.",
    )
    verdict = decide(analyse("Who joined earlier, Priya Raman or Tomas Lindqvist?"), staff)
    assert verdict is not None
    assert verdict.text == "Priya Raman"
    assert verdict.rule == "Priya Raman (4 March 2013) is earlier than Tomas Lindqvist (12 September 2015)."
    assert decide(analyse("Who retired earlier, Priya Raman or Tomas Lindqvist?"), staff) is None


M3 = passage_sentences(
    "Marlin 3",
    "The Marlin 3 is a pump that costs 640 pounds.",
    "The Marlin 3 weighs 8.1 kilograms.",
    "Its handle weighs 90 grams.",
    rank=1,
)
M5 = passage_sentences(
    "Marlin 5", "The Marlin 5 replaced the Marlin 3.", "It costs 710 pounds and weighs 7,400 grams.", rank=2
)
M7 = passage_sentences("Marlin 7", "The Marlin 7 is a pump.", "It costs 1,020 pounds.", rank=3)
M9 = passage_sentences("Marlin 9", "The Marlin 9 weighs 20 pounds.", "It can lift 5 kg and costs $500.", rank=4)
M4 = passage_sentences("Marlin 4", "The Marlin 4 weighs 9.3 kilograms.", rank=7)
NORTH = passage_sentences("North Yard", "12 people work there.", "It lies 3 km from the sea.", rank=5)
SOUTH = passage_sentences("South Yard", "45 people work at South Yard.", "It is 40 metres long.", rank=6)
PUMPS = (*M3, *M4, *M5, *M7, *M9, *NORTH, *SOUTH)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the Marlin 5 lighter than the Marlin 3?", "yes"),
        ("Is the Marlin 3 lighter than the Marlin 5?", "no"),
        ("Which pump is heavier, the Marlin 3 or the Marlin 5?", "the Marlin 3"),
        ("Which weighs less, the Marlin 3 or the Marlin 5?", "the Marlin 5"),
        ("Does the Marlin 3 weigh more than the Marlin 5?", "yes"),
        ("Is the Marlin 3 more expensive than the Marlin 5?", "no"),
        ("Which costs more, the Marlin 5 or the Marlin 7?", "the Marlin 7"),
        ("Which is cheaper, the Marlin 5 or the Marlin 7?", "the Marlin 5"),
        ("Is the Marlin 4 heavier than the Marlin 3?", "yes"),
        # One is told in pounds of weight, the other in pounds of money, in dollars, or not at all.
        ("Which pump is heavier, the Marlin 7 or the Marlin 9?", None),
        ("Is the Marlin 7 lighter than the Marlin 3?", None),
        ("Is the Marlin 9 cheaper than the Marlin 7?", None),
        ("Is the Marlin 9 heavier than the Marlin 3?", None),
        ("Which is taller, the Marlin 3 or the Marlin 5?", None),
        ("Does South Yard employ more people than North Yard?", "yes"),
        ("Is South Yard longer than North Yard?", None),
        ("Which has the higher turnover, South Yard or North Yard?", None),
    ],
)
def test_a_word_of_comparison_fixes_the_quantity(question: str, answer: str | None) -> None:
    verdict = decide(analyse(question), PUMPS)
    assert (verdict.text if verdict is not None else None) == answer


def test_amounts_that_do_not_agree_decide_nothing() -> None:
    two = passage_sentences("Marlin 8", "The Marlin 8 costs 500 pounds.", "It costs 900 pounds with a hose.", rank=2)
    assert decide(analyse("Which is cheaper, the Marlin 3 or the Marlin 8?"), (*M3, *two)) is None


def test_a_row_of_a_table_is_compared_by_the_asked_column() -> None:
    table = passage_sentences(
        "Pumps",
        "| Model | Range | Price | Weight |\n|---|---|---|---|",
        "| Gannet S | 90 m | 410 pounds | 9 kg |",
        "| Gannet XL | 70 m | 520 pounds | 8 kg |",
    )
    chunk = table[0].passage.chunk
    lined = replace(chunk, text="\n".join(row.text for row in table))
    rows = tuple(replace(row, passage=replace(row.passage, chunk=lined)) for row in table)
    verdict = decide(analyse("Which costs more, the Gannet S or the Gannet XL?"), rows)
    assert verdict is not None
    assert verdict.rule == "the Gannet XL (520 pounds) is dearer than the Gannet S (410 pounds)."
    lighter = decide(analyse("Is the Gannet XL lighter than the Gannet S?"), rows)
    assert lighter is not None
    assert lighter.text == "yes"

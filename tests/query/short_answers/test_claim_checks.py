"""What may be claimed as a short answer, told on made-up sentences."""

from dataclasses import replace

import pytest

from query.passages import CandidateSentence
from query.question import analyse
from query.short_answers.candidates import find_candidates
from query.short_answers.claim_checks import may_ask_for_span
from query.short_answers.draft import draft_short_answer
from tests.query.short_answers.evidence_of import evidence_of, passage_sentences


def claimable(question: str, *sentences: CandidateSentence) -> set[str]:
    """The spans that pass the hard checks."""
    return {found.text for found in find_candidates(evidence_of(question, sentences)) if found.claimable}


def told(text: str, title: str = "Notes") -> CandidateSentence:
    return passage_sentences(title, text)[0]


@pytest.mark.parametrize(
    ("question", "sentence", "right", "wrong"),
    [
        # Places stand where places stand, in a sentence that says what is asked of them.
        ("Where was Nora Quist born?", "Nora Quist was born in Aalborg.", "Aalborg", "Nora Quist"),
        ("Where was the treasurer born?", "Nora Quist is the treasurer of Havn Pumps.", None, "Havn Pumps"),
        ("Where was the treasurer born?", "The treasurer was born in Odense University.", None, "Odense University"),
        # A price is money, a height a length, and both are numbers.
        ("What is the price of the Tern?", "The Tern bears 60 bar and its price is 75 euros.", "75 euros", "60 bar"),
        ("How much did the repair cost?", "The repair of 40 boats cost 9,000 euros.", "9,000 euros", "40 boats"),
        ("What was the turnover of Havn?", "Havn Pumps had a turnover of $9 million.", "$9 million", "Havn Pumps"),
        ("How tall is the Havn mast?", "The Havn mast of 3 tonnes is 25 metres tall.", "25 metres", "3 tonnes"),
        ("How heavy is the Tern?", "The Tern costs £90 and weighs 12 kg.", "12 kg", "£90"),
        ("How many boats were sold?", "In 3 years 40 boats were sold.", "40 boats", "3 years"),
        # Of several years the one that is asked for.
        ("What was the profit in 2019?", "The profit was $5 in 2018, and $7 in 2019.", "$7", "$5"),
        ("What was the profit in 2017?", "The profit was $5 in 2018.", None, "$5"),
        # A list is claimed whole or not at all.
        ("Who founded Havn Pumps?", "Havn Pumps was founded by Nora Quist and Per Dahl.", None, "Nora Quist"),
        ("Who founded Havn Pumps?", "Havn Pumps was founded by Nora Quist, Per Dahl and Ib Riis.", None, "Per Dahl"),
        ("Who founded Havn Pumps?", "Havn Pumps was founded by Nora Quist.", "Nora Quist", None),
    ],
)
def test_a_claim_is_of_the_kind_that_is_asked_for(
    question: str, sentence: str, right: str | None, wrong: str | None
) -> None:
    found = claimable(question, told(sentence))
    assert right is None or right in found
    assert wrong is None or wrong not in found


@pytest.mark.parametrize(
    "question",
    [
        "Who is Nora Quist?",
        "What is DSS-14?",
        "Who was the director before Nora Quist?",
        "What does Nora Quist do?",
        "Who are the directors of Havn Pumps?",
    ],
)
def test_descriptions_neighbours_and_several_are_no_spans(question: str) -> None:
    assert not may_ask_for_span(analyse(question))


@pytest.mark.parametrize(
    "question", ["Who is the director of Havn Pumps?", "When was Nora Quist born?", "What is the price of the Tern?"]
)
def test_one_thing_that_is_asked_for_is_a_span(question: str) -> None:
    assert may_ask_for_span(analyse(question))


def test_in_a_row_of_a_table_the_asked_column_answers() -> None:
    table = passage_sentences(
        "Boats",
        "| Model | Pressure | Price |\n|---|---|---|",
        "| Tern | 60 bar | 75 euros |",
    )
    chunk = replace(table[0].passage.chunk, text="\n".join(row.text for row in table))
    row = replace(table[1], passage=replace(table[1].passage, chunk=chunk))
    assert "75 euros" in claimable("What is the price of the Tern?", row)
    assert "60 bar" not in claimable("What is the price of the Tern?", row)
    assert "60 bar" in claimable("What is the pressure of the Tern?", row)
    assert "75 euros" not in claimable("What is the pressure of the Tern?", row)


def test_rows_with_labels_are_read_as_tables() -> None:
    row = told("name: Nora Quist; role: Treasurer; harbour: Odense")
    assert "Nora Quist" in claimable("Who works at the Odense harbour?", row)
    assert "Treasurer" not in claimable("Who works at the Odense harbour?", row)


def test_what_fails_the_checks_is_not_claimed_however_likely() -> None:
    sentence = told("Nora Quist is the treasurer of Havn Pumps.", title="Nora Quist")
    assert draft_short_answer(evidence_of("Where was the treasurer of Havn Pumps born?", (sentence,))) is None

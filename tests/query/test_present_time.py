"""Words for the present are left out of what is searched for."""

import pytest

from query.engine import QueryEngine
from query.present_time import analyse_asked
from query.question import analyse


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("Who leads the company now?", "Who leads the company?"),
        ("Who currently leads the company?", "Who leads the company?"),
        ("Who is the director at the moment, and since when?", "Who is the director and since when?"),
        ("Today, who leads the company?", "Today, who leads the company?"),
        ("Who owns USA Today today?", "Who owns USA Today?"),
        ("Which lamp burns there these days?", "Which lamp burns there?"),
        ("What is today's rate?", "What is today's rate?"),
        ("What was built until now?", "What was built until now?"),
        ('Who sang "here and now" first?', 'Who sang "here and now" first?'),
        ("now", "now"),
        ("Which bank was founded first ?", "Which bank was founded first ?"),
        ("How have presses changed from the first to those of today?",) * 2,
        ("What is now?", "What is now?"),
        ("Which now-defunct bank was it?", "Which now-defunct bank was it?"),
    ],
)
def test_words_for_the_present_ask_for_nothing(text: str, searched: str) -> None:
    question = analyse_asked(text)
    assert question.text == text
    assert question.searched == searched
    assert analyse(searched).stems == question.stems


def test_a_question_about_now_is_answered_as_without_it(engine: QueryEngine) -> None:
    plain = engine.ask("Who built Skerry Rock Lighthouse?")
    present = engine.ask("Who built currently Skerry Rock Lighthouse?")
    assert present.answer == plain.answer
    assert not present.abstained
    assert present.question == "Who built currently Skerry Rock Lighthouse?"

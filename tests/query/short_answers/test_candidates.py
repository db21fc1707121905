from hypothesis import given
from hypothesis import strategies as st

from query.short_answers.candidates import answer_key, find_candidates
from query.short_answers.model import SpanModel, choose
from query.short_answers.words import stems_of
from tests.query.short_answers.evidence_of import evidence_of, passage_sentences

TOWER = passage_sentences(
    "Skerry Rock", "Skerry Rock was built in 1874 by Ida Holm.", "Its lamp burned fourteen tonnes of oil."
)
MODEL = SpanModel(weights={"person: name": 1.0, "after by": 2.0, "date: date": 1.0}, none=0.0, threshold=0.5)
WORDS = st.sampled_from(["Ida", "Holm", "Skerry", "Rock", "1874", "in", "the", "of", "built", "tower", "twelve", "by"])
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


def texts(question: str) -> set[str]:
    return {candidate.text for candidate in find_candidates(evidence_of(question, TOWER))}


def test_spans_of_the_kind_that_is_asked_for_are_candidates() -> None:
    assert "Ida Holm" in texts("Who built Skerry Rock?")
    assert "1874" not in texts("Who built Skerry Rock?")
    assert texts("When was Skerry Rock built?") == {"1874"}
    assert "fourteen tonnes" in texts("How many tonnes of oil did the lamp burn?")


def test_the_words_of_the_question_answer_nothing() -> None:
    assert "Skerry Rock" not in texts("Who built Skerry Rock?")


def test_the_best_span_is_chosen_with_its_probability() -> None:
    choice = choose(MODEL, find_candidates(evidence_of("Who built Skerry Rock?", TOWER)))
    assert choice is not None
    assert choice.candidate.text == "Ida Holm"
    assert 0.5 < choice.confidence < 1.0


def test_without_candidates_nothing_is_chosen() -> None:
    assert choose(MODEL, find_candidates(evidence_of("When did it happen?", ()))) is None


def test_the_same_words_in_two_sentences_speak_for_one_answer() -> None:
    again = passage_sentences("Ida Holm", "Ida Holm built Skerry Rock.", rank=2)
    one = choose(MODEL, find_candidates(evidence_of("Who built Skerry Rock?", TOWER)))
    both = choose(MODEL, find_candidates(evidence_of("Who built Skerry Rock?", (*TOWER, *again))))
    assert one is not None
    assert both is not None
    assert both.candidate.text == "Ida Holm"
    assert both.candidate.features["spread"] > one.candidate.features.get("spread", 0.0)


def test_articles_make_no_other_answer() -> None:
    assert answer_key("the Black Ship") == answer_key("Black ship") != answer_key("Ship")


@given(TEXTS, TEXTS, TEXTS)
def test_candidates_stand_word_by_word_in_their_sentence_and_say_more_than_the_question(
    question: str, one: str, other: str
) -> None:
    evidence = evidence_of(f"Who {question}?", passage_sentences("Tower", f"{one}.", f"{other}."))
    found = find_candidates(evidence)
    asked = frozenset(evidence.question.stems)
    for candidate in found:
        span, source = candidate.span, candidate.source
        assert candidate.text == source.candidate.text[span.start : span.end]
        assert not stems_of(source.words[span.first : span.last + 1]) <= asked
    assert choose(MODEL, found) == choose(MODEL, find_candidates(evidence))


def test_a_date_is_as_fine_as_asked() -> None:
    born = passage_sentences("Ida Holm", "Ida Holm was born on 3 May 1849 in Bergen.")
    asked = {
        question: {candidate.text for candidate in find_candidates(evidence_of(question, born))}
        for question in ("In which year was Ida Holm born?", "When was Ida Holm born?")
    }
    assert asked["In which year was Ida Holm born?"] == {"1849"}
    assert "3 May 1849" in asked["When was Ida Holm born?"]


def test_the_initials_of_an_asked_name_answer_nothing() -> None:
    served = passage_sentences("Lights", "The NLS served the OECD.")
    question = "Whom did the Northern Lighthouse Service serve?"
    assert {candidate.text for candidate in find_candidates(evidence_of(question, served))} == {"OECD"}


def test_patterns_that_say_who_someone_is_are_told() -> None:
    told = passage_sentences("Harbour", "The pier was opened by Ida Holm, the mayor of Bergen.")
    question = "Which mayor opened the pier?"
    found = {candidate.text: candidate for candidate in find_candidates(evidence_of(question, told))}
    assert found["Ida Holm"].features["apposed_noun"] == 1.0
    assert "apposed_noun" not in found["Bergen"].features

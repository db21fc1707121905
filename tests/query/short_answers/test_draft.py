from query.question import analyse
from query.short_answers.draft import draft_short_answer, quote_of, undecided, with_sources
from tests.query.short_answers.evidence_of import evidence_of, passage_sentences

HOLM = passage_sentences("Ida Holm", "Ida Holm (born 1849) was a Norwegian engineer.", "She died of pneumonia.")
LIND = passage_sentences("Otto Lind", "Otto Lind (born 1861) was a Swedish engineer.", rank=2)


def test_a_decided_comparison_quotes_both_sides() -> None:
    short = draft_short_answer(evidence_of("Who is older, Ida Holm or Otto Lind?", (*HOLM, *LIND)))
    assert short is not None
    assert (short.text, short.kind) == ("Ida Holm", "choice")
    assert short.lead.text.startswith("Ida Holm: Ida Holm (1849) is earlier than Otto Lind (1861)")
    assert short.lead.quotes == (quote_of(HOLM[0]), quote_of(LIND[0]))


def test_yes_is_the_first_word_of_its_line() -> None:
    short = draft_short_answer(evidence_of("Are Ida Holm and Otto Lind both engineers?", (*HOLM, *LIND)))
    assert short is not None
    assert (short.text, short.kind) == ("yes", "yes_no")
    assert short.lead.text.startswith("Yes: ")


def test_what_is_not_decided_is_not_claimed_but_said_as_such() -> None:
    question = "Who was more popular, Ida Holm or Otto Lind?"
    assert draft_short_answer(evidence_of(question, (*HOLM, *LIND))) is None
    assert undecided(analyse(question)) == "No rule decides this; compare for yourself:"
    assert undecided(analyse("Did Ida Holm like herring?")).startswith("Neither yes nor no")
    assert undecided(analyse("Why did Ida Holm leave?")) == ""


def test_the_sentence_of_a_short_answer_is_always_told() -> None:
    short = draft_short_answer(evidence_of("Who is older, Ida Holm or Otto Lind?", (*HOLM, *LIND)))
    told = with_sources((HOLM[1], HOLM[0]), short, most=2)
    assert told == (HOLM[0], LIND[0])
    assert with_sources((HOLM[1],), None, most=1) == (HOLM[1],)
    assert with_sources((HOLM[0],), short, most=1) == (HOLM[0], LIND[0])


def test_questions_for_reasons_have_no_short_answer() -> None:
    assert draft_short_answer(evidence_of("Why did Ida Holm die?", HOLM)) is None


def test_where_the_documents_may_not_answer_nothing_is_guessed() -> None:
    assert draft_short_answer(evidence_of("When was Ida Holm born?", HOLM), may_guess=False) is None
    assert draft_short_answer(evidence_of("Who is older, Ida Holm or Otto Lind?", (*HOLM, *LIND)), may_guess=False)
    question = analyse("When was Ida Holm born?")
    assert undecided(question) == ""
    assert undecided(question, is_doubtful=True) == "The documents may not answer this; the nearest evidence:"


def test_only_what_decides_is_told_with_a_decision() -> None:
    short = draft_short_answer(evidence_of("Who is older, Ida Holm or Otto Lind?", (*HOLM, *LIND)))
    assert with_sources((*HOLM, *LIND), short, most=5) == (HOLM[0], LIND[0])


def test_no_span_is_claimed_where_the_question_is_turned_round_or_names_somebody_else() -> None:
    plain = draft_short_answer(evidence_of("When was Ida Holm born?", HOLM))
    assert plain is not None
    assert plain.text == "1849"
    assert draft_short_answer(evidence_of("When was Ida Holm not born?", HOLM)) is None
    assert draft_short_answer(evidence_of("When was Ida Holm born in Quito?", HOLM)) is None

import pytest

from query.question import analyse, capitalised_names, identifiers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does ORA-01555 mean?", ("ORA-01555",)),
        ("Compare E1042, PN 77-B3 and v2.3.1", ("E1042", "77-B3", "v2.3.1")),
        ("Set max_connections to 20", ("max_connections",)),
        ("See 10.1000/182 or call 555-01-22", ("10.1000/182", "555-01-22")),
        ("In the 1990s the 3rd team ran 20km and won 15 medals in 2015", ()),
        ("a well-known man-made thing", ()),
        ("What is error (0x80070057)?", ("0x80070057",)),
        ("", ()),
    ],
)
def test_identifiers_are_told_from_words_and_amounts(text: str, expected: tuple[str, ...]) -> None:
    assert identifiers(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which film did Christopher Nolan direct?", ("Christopher Nolan",)),
        ("Summarise the article on Voyager 1.", ("Voyager 1",)),
        ("Does the Bank of England own Kew Gardens?", ("Bank of England", "Kew Gardens")),
        ("What is Ada Lovelace's birthday?", ("Ada Lovelace",)),
        ("what are the main themes?", ()),
        ("Müller met Élodie Durand.", ("Élodie Durand",)),
    ],
)
def test_capitalised_spans_are_names_but_opening_words_are_not(text: str, expected: tuple[str, ...]) -> None:
    assert capitalised_names(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who wrote it?", "who"),
        ("In what year did it open?", "when"),
        ("Which country won?", "where"),
        ("How many goals were scored?", "how_many"),
        ("Was it raining?", "yes_no"),
        ("Why did it fail?", "why"),
        ("How does it work?", "how"),
        ("What is it?", "what"),
        ("Refactor plan for the billing service", "other"),
    ],
)
def test_the_kind_of_answer_is_read_off_the_question_words(text: str, kind: str) -> None:
    assert analyse(text).kind == kind


def test_quotations_are_kept_whole() -> None:
    assert analyse('What is "The Salt Road" about, and “Night Trains”?').quoted == ("The Salt Road", "Night Trains")


@pytest.mark.parametrize("text", ["", "   ", "?!…", "—\n\t"])
def test_punctuation_alone_has_no_words(text: str) -> None:
    question = analyse(text)
    assert (question.words, question.stems, question.names, question.identifiers) == ((), (), (), ())


def test_a_question_of_four_thousand_words_is_cut() -> None:
    question = analyse("alpha " * 4000)
    assert len(question.words) == 400
    assert question.stems == ("alpha",)


def test_unspaced_scripts_are_read_in_pairs() -> None:
    assert analyse("北京在哪里").words == ("北京", "京在", "在哪", "哪里")


def test_sums_over_records_are_seen_as_aggregates() -> None:
    assert analyse("How many orders shipped late last quarter?").is_aggregate
    assert not analyse("How many moons does Mars have?").is_aggregate


@pytest.mark.parametrize("text", ["a" * 100_000, "A-" * 50_000, "How many " * 20_000, "Xy the " * 20_000, '"' * 50_000])
def test_hostile_texts_are_analysed_quickly(text: str) -> None:
    analyse(text)

"""A claim stands only where what it says stands in its ground."""

import pytest

from raptor.claims.comparison import Ground, Lack, lack

EVIDENCE = Ground(
    sentences=(
        "In 1,932 tonnes of steel the Sydney Harbour Bridge was built by Dorman Long of Middlesbrough.",
        "The physicist's daughter Irène Joliot-Curie opened it on 19 March 1932.",
        "It cost $6.25 million, 5% of it for paint, and was not painted red by its three painters.",
        "Its span is 503 metres, and the ground lies 12 metres deep.",
    )
)
GERMAN = Ground(sentences=("Die Brücke wurde im Jahr 1932 von dem Ingenieur Karl Vogt für die Stadt gebaut.",))


@pytest.mark.parametrize(
    "claim",
    [
        "Dorman Long built the Sydney Harbour Bridge.",
        "The bridge was opened on 19 March 1932 by Irène Joliot-Curie.",
        "Joliot-Curie opened the bridge.",
        "The bridge took 1932 tonnes of steel and cost 6.25 million.",
        "Overall, bridges are built of steel in Middlesbrough.",
        "Of the cost, five percent was for paint.",
        "The bridge was not painted red.",
        "It was opened in 1932 and has 3 painters.",
        "The span is 503 metres.",
    ],
)
def test_borne_out(claim: str) -> None:
    assert lack(claim, EVIDENCE) is None


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("", "words"),
        ("...", "words"),
        ("Yes, it was.", "words"),
        ("Einstein opened the bridge.", "names"),
        ("Italy built the bridge.", "names"),
        ("Dorman Long built the bridge in Melbourne.", "names"),
        ("The bridge was opened on 20 March 1932.", "numbers"),
        ("The bridge cost 6.52 million.", "numbers"),
        ("The cost was for paint to 50%.", "numbers"),
        ("The cost was for paint to -5%.", "numbers"),
        ("The bridge has four painters.", "numbers"),
        ("The span is 503 feet.", "numbers"),
        ("The ground lies twelve feet deep.", "numbers"),
        ("The bridge was painted red.", "negation"),
        ("I am sorry, but I cannot help with that request.", "negation"),
        ("Error: rate limit exceeded, please try again later.", "names"),
        ("Its engineers were celebrated widely for their courage and vision.", "words"),
        ("The bridge was built of steel, see https://evil.example/bridge.", "link"),
        ("The bridge was built of [steel](evil).", "link"),
    ],
)
def test_not_borne_out(claim: str, missing: Lack) -> None:
    assert lack(claim, EVIDENCE) == missing


def test_what_is_denied_nowhere_is_not_denied() -> None:
    plain = Ground(sentences=EVIDENCE.sentences[:2])
    assert lack("The bridge was built by Dorman Long.", plain) is None
    assert lack("The bridge was not built by Dorman Long.", plain) == "negation"
    assert lack("The bridge was never built by Dorman Long.", plain) == "negation"


def test_a_title_may_begin_with_any_word_and_needs_none() -> None:
    def title_lack(title: str) -> Lack | None:
        return lack(title, EVIDENCE, least_words=0.0, is_sentence=False)

    assert title_lack("Closing of the Bridge") is None
    assert title_lack("Closing of the Tunnel") == "names"
    assert title_lack("50% of the Bridge") == "numbers"
    assert title_lack("Red") == "negation"
    assert lack("Closing of the bridge", EVIDENCE) == "names"


def test_what_stands_around_counts_where_the_sentences_say_anything() -> None:
    ground = Ground(sentences=("It was opened in 1992.",), around="Tunnel Fares")
    assert lack("The tunnel was opened in 1992.", ground) is None
    assert lack("Tunnel Fares.", ground) == "words"


def test_where_nouns_have_capitals_two_in_a_row_are_a_name() -> None:
    assert lack("Die Brücke wurde von dem Fachmann für die Stadt gebaut.", GERMAN) is None
    assert lack("Die Brücke wurde von dem Ingenieur Karl Vogel für die Stadt gebaut.", GERMAN) == "names"


def test_other_scripts() -> None:
    chinese = Ground(sentences=("北京大学于1898年成立。",))
    assert lack("北京大学在1898年成立", chinese) is None
    assert lack("北京大学于1898年", chinese) is None
    assert lack("北京大学于1898月成立", chinese) == "numbers"
    assert lack("清华大学很好", chinese) == "words"
    # Half of its pairs stand there: too few where no name has a capital.
    assert lack("北京大学很好", chinese) == "words"
    assert lack("Мост построен в 1932 году", Ground(sentences=("Мост, построенный в 1932 году.",))) is None

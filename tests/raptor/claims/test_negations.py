"""What several sentences deny, and of whom, is neither affirmed of them nor denied of others."""

import pytest

from raptor.claims.comparison import Ground, lack
from raptor.claims.negations import affirms_denied, denies_affirmed

WORKS = (
    "Marta Keld founded the firm Keld Works in 1929.",
    "Otto Brandt never worked for Keld Works.",
    "Ida Holm worked for Keld Works.",
    "She was not paid.",
)
DENYING = (
    "Marta Keld failed to found a firm in Sundby.",
    "Her brother refused to sell the mill.",
    "He died without ever opening the bakery.",
    "The dairy no longer makes cheese.",
    "The council prevented her from building a road.",
    "The painter stopped painting portraits.",
)


@pytest.mark.parametrize(
    "claim",
    [
        "Otto Brandt did not work for Keld Works.",
        "Otto Brandt has never worked for Keld Works.",
        "Keld Works never had Otto Brandt working there.",
        "Ida Holm was not paid.",
        "Marta Keld founded Keld Works.",
        "Ida Holm worked for Keld Works.",
    ],
)
def test_several_sentences_bear_out_what_one_of_them_says(claim: str) -> None:
    assert lack(claim, Ground(sentences=WORKS)) is None


@pytest.mark.parametrize(
    "claim",
    [
        "Marta Keld never founded the firm Keld Works in 1929.",
        "Marta Keld did not found the firm Keld Works in 1929.",
        "Marta Keld failed to found the firm Keld Works.",
    ],
)
def test_no_sentence_is_denied_since_another_denies_something(claim: str) -> None:
    assert lack(claim, Ground(sentences=WORKS)) == "negation"


@pytest.mark.parametrize("claim", ["Ida Holm never worked for Keld Works.", "Marta Keld never worked for Keld Works."])
def test_what_is_denied_of_one_is_not_denied_of_another(claim: str) -> None:
    assert lack(claim, Ground(sentences=WORKS)) == "negation"


def test_what_another_did_is_not_affirmed_of_who_is_said_not_to() -> None:
    assert lack("Otto Brandt worked for Keld Works.", Ground(sentences=WORKS)) == "negation"
    gone = ("Otto Brandt no longer worked for Keld Works.", "Ida Holm worked for Keld Works.")
    assert affirms_denied("Otto Brandt worked for Keld Works.", gone)


def test_a_word_of_a_name_says_nothing() -> None:
    assert affirms_denied("Otto Brandt worked for Keld Works.", WORKS[:2])
    assert not affirms_denied("Marta Keld headed Keld Works.", WORKS[:2])
    assert not affirms_denied("It was painted grey.", ["It was never painted red.", "Painted grey, it shone."])


@pytest.mark.parametrize(
    "claim",
    [
        "Marta Keld founded a firm in Sundby.",
        "Her brother sold or will sell the mill.",
        "He opened the bakery.",
        "The dairy makes cheese.",
        "The council had her build a road.",
        "The painter was painting portraits.",
    ],
)
def test_what_verbs_deny_is_not_affirmed(claim: str) -> None:
    assert lack(claim, Ground(sentences=DENYING)) == "negation"


@pytest.mark.parametrize(
    "claim",
    [
        "Marta Keld did not found a firm in Sundby.",
        "Marta Keld failed to found a firm.",
        "Her brother did not sell the mill.",
        "He never opened the bakery.",
        "The dairy does not make cheese any more.",
        "The council did not let her build a road.",
        "The painter is no longer painting portraits.",
    ],
)
def test_what_verbs_deny_may_be_denied(claim: str) -> None:
    assert lack(claim, Ground(sentences=DENYING)) is None


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("Die Erbin weigerte sich, die alte Mühle zu verkaufen.", "Die Erbin hat die alte Mühle verkauft."),
        ("Le conseil refusa de vendre le moulin.", "Le conseil a fait vendre le moulin."),
        ("El consejo se negó a vender el molino.", "El consejo va a vender el molino."),
        ("Il consiglio rifiutò di vendere il mulino.", "Il consiglio vuole vendere il mulino."),
        ("O conselho deixou de vender o moinho.", "O conselho vai vender o moinho."),
        ("De raad weigerde de molen te verkopen.", "De raad gaat de molen verkopen."),
        ("Rådet vägrade att sälja kvarnen.", "Rådet ska sälja kvarnen."),
    ],
)
def test_verbs_deny_in_other_languages_too(said: str, claim: str) -> None:
    assert affirms_denied(claim, [said])


def test_a_denial_with_a_pronoun_may_be_of_who_was_named_before() -> None:
    assert not denies_affirmed("Anna Lind never married.", ["Anna Lind wrote books.", "She never married."])
    assert denies_affirmed("Anna Lind never married.", ["Anna Lind wrote books.", "Otto Brandt never married."])
    assert not denies_affirmed("Brandt never married.", ["Anna Lind wrote books.", "Otto Brandt never married."])

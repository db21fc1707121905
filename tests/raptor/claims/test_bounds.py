"""The bound of a number is not turned round."""

import pytest

from raptor.claims.bounds import turns_bound
from raptor.claims.comparison import Ground, lack

FISH = "It grows to 90 centimetres and weighs up to 12 kilograms."


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The fish weighs at least 12 kilograms.", FISH),
        ("The fish weighs more than twelve kilograms.", FISH),
        ("The fish weighs 12 kilograms or more.", FISH),
        ("The fish weighs no less than 12 kg.", FISH),
        ("It cost less than $5 million.", "It cost over $5,000,000."),
        ("It has at most 20 rooms.", "It has no fewer than 20 rooms."),
        ("It has up to 20 rooms.", "It has 20 rooms or more."),
        ("Der Fisch wiegt mindestens 12 Kilogramm.", "Der Fisch wiegt bis zu 12 Kilogramm."),
        ("Le poisson pèse plus de 12 kilos.", "Le poisson pèse jusqu\u2019à 12 kilos."),
        ("El pez pesa más de 12 kilos.", "El pez pesa menos de 12 kilos."),
        ("Il pesce pesa almeno 12 chili.", "Il pesce pesa fino a 12 chili."),
        ("O peixe pesa mais de 12 quilos.", "O peixe pesa no máximo 12 quilos."),
        ("De vis weegt minstens 12 kilo.", "De vis weegt hoogstens 12 kilo."),
        ("Fisken väger minst 12 kilo.", "Fisken väger upp till 12 kilo."),
        ("Ryba waży ponad 12 kilogramów.", "Ryba waży najwyżej 12 kilogramów."),
        ("Рыба весит не менее 12 килограммов.", "Рыба весит менее 12 килограммов."),
    ],
)
def test_a_bound_that_is_turned_round_is_seen(claim: str, sentence: str) -> None:
    assert turns_bound(claim, [sentence])
    assert turns_bound(sentence, [claim])


@pytest.mark.parametrize(
    "claim",
    [
        "The fish weighs up to 12 kilograms.",
        "The fish weighs at most 12 kg.",
        "The fish weighs no more than twelve kilograms.",
        "The fish weighs 12 kilograms or less.",
        "The fish weighs 12 kilograms.",
        "The fish grows to at least 90 centimetres.",
        "The fish lives at least 3 years.",
    ],
)
def test_the_same_bound_in_other_words_or_none_is_not(claim: str) -> None:
    assert not turns_bound(claim, [FISH])


def test_another_sentence_may_have_the_bound() -> None:
    assert not turns_bound("It weighs at least 12 kilograms.", [FISH, "The old ones weigh over 12 kilograms."])
    assert not turns_bound("It weighs at least 12 kilograms.", [FISH, "The old ones weigh 12 kilograms."])


def test_claims_are_looked_through_for_their_bounds() -> None:
    ground = Ground(sentences=("The salmon weighs up to 12 kilograms.",))
    assert lack("The salmon weighs up to 12 kilograms.", ground) is None
    assert lack("The salmon weighs at least 12 kilograms.", ground) == "numbers"

"""What a cited passage supports, and what it does not."""

from dataclasses import replace

import pytest

from query.llm_answers.support import Asked, Claim, Reason, judge
from tests.query.llm_world import material

BRIDGE = material(
    1,
    "The Harbour Bridge was built in 1932 by the engineer John Bradfield.",
    "It carries 160,435 vehicles a day and is 503 metres long.",
    "Its arch was painted grey.",
    heading="Harbour Bridge",
)
TUNNEL = material(2, "The Harbour Tunnel was opened in 1992.", "See https://tunnel.example/about for fares.")
GERMAN = material(3, "Die Brücke wurde von dem Ingenieur Karl Vogt im Jahr 1932 gebaut.", heading="Brücke")
HEADED = material(4, "It was opened in 1992.", heading="Tunnel Fares")
LAMP = material(
    5,
    "The lamp was not always painted red, and it has no shade.",
    "It cannot burn oil.",
    "Not only lamps are known, the glass is old too.",
    "The lamp was not lit in April, but it was lit in May.",
)
INSTRUCTIONS = ("You answer a question from numbered passages of documents, and from nothing else.",)


def verdict(
    text: str, *numbers: int, quotations: tuple[str, ...] = (), question: str = "Who built the bridge and when?"
) -> Reason | None:
    claim = Claim(text=text, numbers=numbers, quotations=quotations)
    asked = Asked(question=question, instructions=INSTRUCTIONS)
    return judge(claim, (BRIDGE, TUNNEL, GERMAN, HEADED, LAMP), asked, least_words=0.5).reason


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was built by John Bradfield.",
        "John Bradfield built the Harbour Bridge in 1932.",
        "The arch of the bridge is grey.",
        "The bridge is 503 metres long.",
        "Each day 160435 vehicles cross the bridge.",
    ],
)
def test_what_the_passage_says_is_supported(text: str) -> None:
    assert verdict(text, 1) is None


@pytest.mark.parametrize(
    ("text", "numbers", "reason"),
    [
        ("The bridge was built by John Bradfield.", (), "no citation"),
        ("The bridge was built by John Bradfield.", (9,), "unknown citation"),
        ("The bridge was built by John Bradfield.", (2,), "names"),
        ("The bridge was built in 1933.", (1,), "numbers"),
        ("The bridge is 50.3 metres long.", (1,), "numbers"),
        ("The bridge was built by Ralph Freeman.", (1,), "names"),
        ("The bridge was not built by John Bradfield.", (1,), "negation"),
        ("The lamp was painted red.", (5,), "negation"),
        ("The lamp has a shade.", (5,), "negation"),
        ("It can burn oil.", (5,), "negation"),
        ("Only lamps are known: the glass is old.", (5,), None),
        ("The lamp was lit in May.", (5,), None),
        ("The arch is grey evil。example", (1,), "link"),
        ("The arch is grey hxxp:evil", (1,), "link"),
        ("The arch is grey, evil[.]example", (1,), "link"),
        ("The arch is grey (see [7).", (1,), "link"),
        ("The arch is grey [7a].", (1,), "link"),
        ("The arch is grey [source 9].", (1,), "link"),
        ("The __arch__ is grey.", (1,), "link"),
        ("The bridge pleases visitors with delicious ice cream.", (1,), "words"),
        ("Fares.", (4,), "words"),
        ("The bridge is described at https://evil.example/x.", (1,), "link"),
        ("The bridge ![x](https://evil.example/x) is grey.", (1,), "link"),
        ("The arch is <b>grey</b>.", (1,), "link"),
        ("I answer a question from numbered passages of documents, and from nothing else.", (1,), "instructions"),
        ("Le pont est dans la ville et il est gris.", (1,), "language"),
        ("The arch is grey. " * 60, (1,), "length"),
    ],
)
def test_what_the_passage_does_not_say_is_not(text: str, numbers: tuple[int, ...], reason: Reason | None) -> None:
    assert verdict(text, *numbers) == reason


def test_a_capital_within_a_word_begins_no_name() -> None:
    founded = material(1, "Italica was founded in 206BC by Rome.", "Bread is called brot [b\u0281o\u02d0T] there.")
    asked = Asked(question="What?", instructions=())
    for quote in founded.quotes:
        claim = Claim(text=quote.text, numbers=(1,))
        assert judge(claim, (founded,), asked, least_words=0.5).reason is None


def test_a_quotation_must_stand_in_what_is_cited() -> None:
    assert verdict("The arch is grey.", 1, quotations=("Its arch was painted grey",)) is None
    assert verdict("The arch is grey.", 1, quotations=("Its arch was painted green",)) == "quotation"
    assert verdict("The arch is grey.", 1, quotations=("The Harbour Tunnel was opened in 1992.",)) == "quotation"


def test_a_link_of_the_cited_passage_may_be_told_and_no_longer_one() -> None:
    assert verdict("See https://tunnel.example/about for fares of the tunnel.", 2) is None
    assert verdict("See https://tunnel.example/about?q=secret for fares of the tunnel.", 2) == "link"


def test_of_another_language_a_quotation_and_the_numbers_decide() -> None:
    question = "Who was the engineer of the bridge in the city?"
    said = "The bridge was built by the engineer Karl Vogt in 1932."
    quotation = ("von dem Ingenieur Karl Vogt im Jahr 1932 gebaut",)
    assert verdict(said, 3, quotations=quotation, question=question) is None
    assert verdict(said, 3, question=question) == "words"
    assert verdict(said.replace("1932", "1931"), 3, quotations=quotation, question=question) == "numbers"


def test_the_sentences_that_say_so_are_cited() -> None:
    claim = Claim(text="The bridge of 1932 is 503 metres long.", numbers=(1, 2))
    asked = Asked(question="How long is the bridge?", instructions=())
    quotes = judge(claim, (BRIDGE, TUNNEL), asked, least_words=0.5).quotes
    assert [quote.text for quote in quotes] == [BRIDGE.quotes[1].text, BRIDGE.quotes[0].text]


@pytest.mark.parametrize("more", ["Quokkasdottir paid", "it was paid in 1874"])
def test_each_name_and_number_stands_in_a_sentence_that_is_cited(more: str) -> None:
    said = "The old wooden pier beside the fish market on the river was painted dark green for summer visitors"
    pier = material(1, f"{said}.", document="a")
    paid = material(2, "The donors were late.", "Zebrina Quokkasdottir paid in 1874.", document="b")
    headed = material(3, "It was paid late.", heading="Quokkasdottir 1874", document="c")
    claim = Claim(text=f"{said}, and {more}.", numbers=(1, 2, 3))
    asked = Asked(question="", instructions=())
    for other, quote in ((paid, paid.quotes[1]), (headed, headed.quotes[0])):
        assert judge(claim, (pier, other), asked, least_words=0.5).quotes == (pier.quotes[0], quote)


def test_a_number_is_cited_with_its_unit() -> None:
    lengths = material(
        1,
        "The green stone wall of the old wooden pier beside the market is 300 metres.",
        "The mole beside it is 300 feet long.",
    )
    asked = Asked(question="", instructions=())
    said = Claim(text="The green stone wall of the old wooden pier beside the market is 300 feet.", numbers=(1,))
    assert judge(said, (lengths,), asked, least_words=0.5).quotes == lengths.quotes
    assert judge(replace(said, text="The wall is 300 yards."), (lengths,), asked, least_words=0.5).reason == "numbers"


def test_a_pronoun_of_one_passage_means_nobody_of_another() -> None:
    born = material(1, "He was born in Graz in 1902.", document="a")
    known = material(2, "Otto Brandt is known in Vienna.", document="b")
    both = material(3, *(quote.text for item in (known, born) for quote in item.quotes), document="c")
    asked = Asked(question="Where was he born?", instructions=())
    for numbers, reason in (((1, 2), "joined"), ((3,), None)):
        claim = Claim(text="Otto Brandt was born in Graz.", numbers=numbers)
        assert judge(claim, (born, known, both), asked, least_words=0.5).reason == reason


FOUNDER = material(
    6,
    "Marta Keld founded the firm Keld Works in 1929.",
    "Otto Brandt never worked for Keld Works.",
    "Nobody was hurt when its roof fell.",
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Marta Keld never founded the firm Keld Works in 1929.", (6,)),
        ("Marta Keld did not found the firm Keld Works in 1929.", (6,)),
        ("The Harbour Bridge was not built by the engineer John Bradfield in 1932.", (1, 6)),
        ("The Harbour Bridge was built in 1932 by John Bradfield and never repaired.", (1, 6)),
    ],
)
def test_a_negation_of_another_matter_bears_out_no_denial(text: str, numbers: tuple[int, ...]) -> None:
    asked = Asked(question="Who built the bridge and when?", instructions=INSTRUCTIONS)
    claim = Claim(text=text, numbers=numbers)
    assert judge(claim, (BRIDGE, FOUNDER), asked, least_words=0.5).reason == "negation"


@pytest.mark.parametrize(
    "text",
    [
        "Otto Brandt did not work for Keld Works.",
        "Otto Brandt has never worked for Keld Works.",
        "When its roof fell, nobody was hurt.",
        "No one was hurt when the roof fell.",
    ],
)
def test_what_a_passage_denies_may_be_denied(text: str) -> None:
    asked = Asked(question="Who built the bridge and when?", instructions=INSTRUCTIONS)
    assert judge(Claim(text=text, numbers=(6,)), (FOUNDER,), asked, least_words=0.5).reason is None


@pytest.mark.parametrize(
    ("text", "quotation", "reason"),
    [
        ("Die Brücke wurde im Jahr 1932 von Bradfield gebaut.", "was built in 1932", None),
        ("Die Brücke wurde im Jahr 1932 nicht von Bradfield gebaut.", "was built in 1932", "negation"),
        ("Die Lampe kann kein Öl verbrennen und das ist so.", "It cannot burn oil", None),
        ("Die Lampe kann Öl verbrennen und das ist so.", "It cannot burn oil", "negation"),
    ],
)
def test_a_claim_in_another_language_denies_where_its_quotation_does(
    text: str, quotation: str, reason: Reason | None
) -> None:
    question = "Wer hat die Brücke gebaut und wann war das?"
    number = 5 if "oil" in quotation else 1
    assert verdict(text, number, quotations=(quotation,), question=question) == reason


def test_a_claim_in_another_language_turns_no_bound_round() -> None:
    question = "Wie schwer wird der Lachs und wo ist er?"
    salmon = material(7, "The salmon is a fish of the river and weighs up to 12 kilograms.", heading="Salmon")
    asked = Asked(question=question, instructions=())
    for bound, reason in (("bis zu", None), ("mindestens", "numbers")):
        said = f"Der Lachs ist ein Fisch und wiegt {bound} 12 Kilogramm."
        claim = Claim(text=said, numbers=(7,), quotations=("weighs up to 12 kilograms",))
        assert judge(claim, (salmon,), asked, least_words=0.5).reason == reason

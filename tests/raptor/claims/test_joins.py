"""A claim stands where one sentence says it, or where sentences are linked by what they tell of."""

import pytest

from raptor.claims.comparison import Ground, lack
from raptor.claims.joins import Passage, is_joined
from raptor.claims.replacements import replaces_word

BRIDGE = Passage(
    above="Orlen Bridge",
    sentences=(
        "The Orlen Bridge was built by Marta Keld in 1932.",
        "It spans the river Tavo near Sundby.",
        "A toll was asked of carts.",
    ),
)
BRANDT = Passage(
    above="Otto Brandt",
    sentences=("Otto Brandt was an architect in Vienna.", "He died in 1944 in Graz.", "He built a mill for Ida Holm."),
)
KELD = Passage(
    above="Keld",
    sentences=("Marta Keld founded the firm Keld Works in 1929.", "Otto Brandt never worked for Keld Works."),
)
ALL = (BRIDGE, BRANDT, KELD)


@pytest.mark.parametrize(
    "claim",
    [
        "Marta Keld built the Orlen Bridge in 1932.",
        "The Orlen Bridge spans the Tavo near Sundby.",
        "Otto Brandt died in Graz in 1944.",
        "Otto Brandt built a mill for Ida Holm and died in 1944.",
        "The founder of the firm Keld Works built the Orlen Bridge.",
        "The Orlen Bridge asked a toll of carts.",
        "Otto Brandt, who died in 1944, was an architect in Vienna.",
        "The Orlen Bridge was built in 1932; the firm Keld Works was founded in 1929.",
        "Marta Keld built the Orlen Bridge in 1932, Otto Brandt was an architect in Vienna.",
        "Marta Keld built the Orlen Bridge in 1932 and Otto Brandt was an architect in Vienna.",
        "Bridges are built.",
    ],
)
def test_what_one_sentence_says_or_linked_ones_do_is_not_joined(claim: str) -> None:
    assert not is_joined(claim, ALL)


@pytest.mark.parametrize(
    "claim",
    [
        "Otto Brandt built the Orlen Bridge.",
        "Otto Brandt and Marta Keld built the Orlen Bridge.",
        "The Orlen Bridge was built by Marta Keld and Otto Brandt.",
        "Otto Brandt built the Orlen Bridge in 1944.",
        "The Orlen Bridge was built by Marta Keld in 1944.",
        "Otto Brandt founded the firm Keld Works in 1929.",
        "Marta Keld died in 1944.",
        "Marta Keld was an architect in Vienna.",
        "Otto Brandt asked a toll of carts.",
        "Marta Keld built it, and Ida Holm was an architect in Vienna.",
        "The architect Otto Brandt built the Orlen Bridge.",
    ],
)
def test_the_subject_of_one_and_the_object_of_another_are_joined(claim: str) -> None:
    assert is_joined(claim, ALL)


def test_a_pronoun_means_who_its_passage_names() -> None:
    born = "He was born in Graz in 1902."
    assert not is_joined("Otto Brandt was born in Graz.", [Passage(sentences=("Otto Brandt is known.", born))])
    assert is_joined(
        "Otto Brandt was born in Graz.", [Passage(sentences=("Otto Brandt is known.",)), Passage(sentences=(born,))]
    )
    assert not is_joined(
        "Otto Brandt nació en Graz.",
        [Passage(sentences=("Otto Brandt es de la ciudad.", "Nació en Graz en 1902 y es."))],
    )


KESSELS = Passage(
    above="Harbour Works",
    sentences=(
        "The Harbour Works were founded by Mira Kessel in 1932.",
        "Her son Jonas Kessel led the works from 1967 to 1980.",
        "Kessel sold the quay in 1975.",
        "President Kessel opened the museum.",
    ),
)


@pytest.mark.parametrize(
    "claim",
    [
        "The Harbour Works were founded by Jonas Kessel in 1932.",
        "The Harbour Works were founded by Jonas Kessel.",
        "Jonas Kessel founded the Harbour Works.",
        "Mira Kessel led the works from 1967 to 1980.",
    ],
)
def test_somebody_of_the_same_surname_is_another(claim: str) -> None:
    assert is_joined(claim, [KESSELS])


@pytest.mark.parametrize(
    "claim",
    [
        "Mira Kessel founded the Harbour Works in 1932.",
        "The Harbour Works were founded by Old Mira Kessel.",
        "Mira Anna Kessel founded the Harbour Works in 1932.",
        "Kessel founded the Harbour Works in 1932.",
        "Mrs Kessel founded the Harbour Works in 1932.",
        "Jonas Kessel led the works from 1967 to 1980.",
        "Jonas Kessel sold the quay in 1975.",
        "Jonas Kessel opened the museum.",
    ],
)
def test_a_surname_alone_may_be_anybody_of_it(claim: str) -> None:
    assert not is_joined(claim, [KESSELS])


def test_an_initial_may_be_a_first_name() -> None:
    ruth = Passage(sentences=("The quay was sold by Ruth Kessel.", "R Kessel and P Kessel died in 1980."))
    assert not is_joined("R Kessel sold the quay.", [ruth])
    assert is_joined("P Kessel sold the quay.", [ruth])


def test_first_names_may_share_a_surname() -> None:
    shared = Passage(sentences=("The quay was sold by Jonas and Mira Kessel.", "Jonas Kessel died in 1980."))
    assert not is_joined("Jonas Kessel sold the quay.", [shared])
    assert is_joined("Otto Kessel sold the quay.", [shared, Passage(sentences=("Otto Kessel died.",))])


def test_one_pronoun_means_one() -> None:
    met = Passage(sentences=("Anna Lind met Otto Brandt.", "He died in Graz in 1944."))
    assert is_joined("Anna Lind and Otto Brandt died in Graz.", [met])


def test_a_sentence_that_names_nobody_may_be_of_who_its_passage_names() -> None:
    mill = Passage(sentences=("Otto Brandt was an architect.", "The mill was built of stone."))
    assert not is_joined("Otto Brandt built the mill of stone.", [mill])
    headed = Passage(above="Orlen Bridge", sentences=("Built by Marta Keld in 1932.", "Closed in 1950."))
    assert not is_joined("The Orlen Bridge was built by Marta Keld.", [headed])


def test_claims_that_rest_on_several_sentences_are_looked_through() -> None:
    ground = Ground(sentences=(*BRIDGE.sentences, *KELD.sentences))
    assert lack("Otto Brandt built the Orlen Bridge.", ground) == "joined"
    assert lack("Marta Keld built the Orlen Bridge.", ground) is None
    assert lack("Otto Brandt building the Orlen Bridge", ground, least_words=0.0, is_sentence=False) is None


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The plan was accepted by the town council.", "The plan was rejected by the town council."),
        ("It is the smallest antenna in the hemisphere.", "It is the largest antenna in the hemisphere."),
        ("The bridge was unsafe.", "The bridge was safe."),
        ("The plan was accepted.", "The plan was rejected by the town council."),
        ("The museum holds 4200 fish.", "The museum holds 4,200 objects."),
        ("The museum holds 12 boats.", "The museum holds twelve kites."),
        ("In 1.5 million years the rock melted.", "In 1,500,000 years the rock froze."),
    ],
)
def test_a_word_in_the_place_of_another_is_seen(claim: str, sentence: str) -> None:
    assert replaces_word(claim, [sentence])
    assert lack(claim, Ground(sentences=(sentence,))) == "words"


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The plan was rejected by the town council.", "The plan was rejected by the town council."),
        ("The town council turned the plan down.", "The plan was rejected by the town council."),
        ("The plan was rejecting the town.", "The plan was rejected by the town council."),
        ("It was hers.", "It was his."),
        ("It was then made by him.", "It was then sold by him."),
        ("The road was painted.", "A road was built."),
        ("The museum holds the B52 plane.", "The museum holds the B52 plane."),
        ("The museum holds 4300 fish.", "The museum holds 4,200 objects."),
        ("The plan was probably rejected by the town council.", "The plan was rejected by the town council."),
    ],
)
def test_other_wording_is_no_replaced_word(claim: str, sentence: str) -> None:
    assert not replaces_word(claim, [sentence])


def test_a_word_that_another_sentence_has_replaces_none() -> None:
    said = ["The plan was rejected by the town council.", "It was accepted by the county."]
    assert not replaces_word("The plan was accepted by the town council.", said)

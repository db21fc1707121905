import pytest
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from query.rarity import WordRarity, count_rarity
from raptor.text_words import content_stems, stem, tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cities", "city"),
        ("orbits", "orbiting"),
        ("planned", "plan"),
        ("directing", "direction"),
        ("classes", "class"),
        ("boxes", "box"),
    ],
)
def test_stems_join_the_forms_of_a_word(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["status", "bus", "string", "müller", "東京"])
def test_a_word_that_ends_like_a_form_of_another_stays(word: str) -> None:
    assert stem(word) == word


def test_stems_are_those_of_the_keyword_index() -> None:
    analyzer = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.stemmer("english")).build()
    words = tokens("analysis directors generously cities planned organisation bring 1990s skies dying news")
    assert [stem(word) for word in words] == analyzer.analyze(" ".join(words))


def test_forms_of_one_word_share_a_stem() -> None:
    assert stem("released") == stem("releases") == stem("release") == stem("releasing")


def test_stop_words_are_left_out_of_content() -> None:
    assert content_stems("What is the name of the ships?") == ["name", "ship"]


def test_tokens_are_folded_and_compatible_forms_joined() -> None:
    assert tokens("Straße ﬁn CAFÉ") == ["strasse", "fin", "café"]


def test_rarity_is_one_for_unseen_words_and_nothing_for_words_everywhere() -> None:
    rarity = count_rarity(["the ship sails", "a ship sinks", "one ship"])
    assert rarity.weight("ship") == 0.0
    assert rarity.weight("zeppelin") == 1.0
    assert 0.0 < rarity.weight("sail") < 1.0


def test_shares_sum_to_one() -> None:
    rarity = count_rarity(["the ship sails", "a ship sinks"])
    assert sum(rarity.shares(["ship", "sail", "zeppelin"]).values()) == pytest.approx(1.0)
    assert rarity.shares(["ship"]) == {"ship": 1.0}
    assert rarity.shares([]) == {}


def test_an_empty_collection_makes_every_word_rare() -> None:
    assert WordRarity(frequencies={}, sampled=0).weight("ship") == 1.0

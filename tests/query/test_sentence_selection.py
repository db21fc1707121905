from collections.abc import Sequence

from graph_store.records import Chunk, Document, Sentence
from query.answer_types import has_expected_type
from query.passages import CandidateSentence, Passage
from query.question import analyse
from query.rarity import WordRarity
from query.sentence_selection import choose_sentences, documents_ahead, score_sentences
from query.settings import AnswerSettings
from raptor.text_words import content_stems

RARITY = WordRarity(frequencies={"engin": 20, "town": 20, "year": 80}, sampled=100)


def sentence(title: str, text: str, *, rank: int, cosine: float, start: int = 0) -> CandidateSentence:
    document = Document(id=title, source_uri="", title=title, media_type="text/plain", content_hash="")
    chunk = Chunk(
        id=f"{title}/{start}",
        document_id=title,
        document_version=1,
        text=text,
        heading_path=(),
        char_start=start,
        char_end=start + len(text),
        position=start,
    )
    context = frozenset(content_stems(title))
    stems = frozenset(content_stems(text))
    return CandidateSentence(
        passage=Passage(chunk=chunk, document=document, rank=rank, context_stems=context),
        sentence=Sentence(chunk_id=chunk.id, position=0, char_start=0, char_end=len(text)),
        text=text,
        cosine=cosine,
        stems=stems,
        known_stems=stems | context,
    )


def answer(question: str, candidates: Sequence[CandidateSentence]) -> list[str]:
    analysed = analyse(question)
    scored = score_sentences(candidates, analysed, RARITY.shares(analysed.stems))
    return [candidate.text for candidate in choose_sentences(scored, analysed, RARITY, AnswerSettings())]


TOWER = sentence("Skerry Rock", "Skerry Rock was built by Ida Holm.", rank=1, cosine=0.7)
HOLM = sentence("Ida Holm", "She was born in Bergvik, a fishing town.", rank=3, cosine=0.3)
STRANGER = sentence("Otto Lind", "Otto Lind was born in Oslo.", rank=2, cosine=0.35)


def test_a_fact_needs_one_sentence() -> None:
    other = sentence("Skerry Rock", "The rock is visited by seals every year.", rank=1, cosine=0.2, start=60)
    assert answer("Who built Skerry Rock?", [TOWER, other, STRANGER]) == [TOWER.text]


def test_a_join_follows_the_name_that_bridges_the_documents() -> None:
    assert answer("Where was the builder of Skerry Rock born?", [STRANGER, HOLM, TOWER]) == [TOWER.text, HOLM.text]


def test_sentences_of_one_document_come_in_reading_order() -> None:
    late = sentence("Skerry Rock", "Its lamp burned whale oil.", rank=1, cosine=0.8, start=90)
    early = sentence("Skerry Rock", "The tower was built by Ida Holm.", rank=2, cosine=0.5, start=10)
    assert answer("Who was the builder of the tower with a whale oil lamp?", [late, early]) == [early.text, late.text]


def test_the_same_words_are_not_said_twice() -> None:
    twin = sentence("Copy", "Skerry Rock was built by Ida Holm.", rank=2, cosine=0.7)
    assert answer("Who built Skerry Rock?", [TOWER, twin]) == [TOWER.text]


def test_an_echo_of_the_question_does_not_answer_it() -> None:
    echo = sentence("Spam", "Who built Skerry Rock? Skerry Rock built, built Skerry Rock!", rank=1, cosine=0.99)
    assert answer("Who built Skerry Rock?", [echo, TOWER])[0] == TOWER.text


def test_an_echo_may_affirm_a_question_for_yes_or_no() -> None:
    echo = sentence("Skerry Rock", "Holm built Skerry Rock.", rank=1, cosine=0.9)
    assert answer("Did Holm build Skerry Rock?", [echo, HOLM])[0] == echo.text


def test_no_sentence_gives_no_answer() -> None:
    assert answer("Who built Skerry Rock?", []) == []


def test_the_number_of_sentences_is_limited() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    candidates = [sentence(word, f"Fact {word} stands.", rank=place, cosine=0.5) for place, word in enumerate(words, 1)]
    assert len(answer(" ".join(words), candidates)) == AnswerSettings().most_sentences


def test_the_kind_of_answer_is_looked_for() -> None:
    for question, text, expected in (
        ("How many keepers lived there?", "Two keepers lived there.", True),
        ("How many keepers lived there?", "Keepers lived there.", False),
        ("When was it built?", "It was built in 1874.", True),
        ("When was it built?", "It was built by Holm.", False),
        ("Who built Skerry Rock?", "It was built by Ida Holm.", True),
        ("Who built Skerry Rock?", "The builder of Skerry Rock is unknown.", False),
        ("Why did it fall?", "It fell because of the storm.", True),
        ("What is it?", "It is a tower.", True),
    ):
        assert has_expected_type(text, analyse(question)) == expected


def test_the_document_that_a_sentence_names_by_title_is_followed_for_the_kind_of_thing_asked() -> None:
    rock = sentence("Skerry Rock", "The engineer of the year at Skerry Rock was Ida Holm.", rank=1, cosine=0.7)
    date = sentence("Ida Holm", "That was on 4 May 1931.", rank=2, cosine=0.2)
    plain = sentence("Ida Holm", "That was a surprise.", rank=2, cosine=0.2, start=40)
    asked = "When was the engineer of the year at Skerry Rock born?"
    assert answer(asked, [rock, plain, date]) == [rock.text, date.text]
    assert answer(asked, [rock, sentence("Otto Lind", date.text, rank=2, cosine=0.2)]) == [rock.text]


def test_documents_ahead_are_those_that_chosen_sentences_of_others_name() -> None:
    question = analyse("Where was the builder of Skerry Rock born?")
    documents = [entry.passage.document for entry in (STRANGER, HOLM, TOWER)]
    assert documents_ahead([TOWER], documents, question, RARITY) == (HOLM.passage.document,)
    assert documents_ahead([TOWER, HOLM], documents, question, RARITY) == (HOLM.passage.document,)
    assert documents_ahead([], documents, question, RARITY) == ()


def test_of_two_sentences_the_one_of_the_asked_year_answers_whatever_the_year_of_the_title() -> None:
    own = sentence("Harvest Report 1931", "The harvest was 4 tons in 1931.", rank=1, cosine=0.55)
    other = sentence(
        "Harvest Report 1931", "For 1932 the farmers expect a harvest of 6 tons.", rank=1, cosine=0.7, start=60
    )
    assert answer("How large was the harvest in 1931?", [other, own]) == [own.text]

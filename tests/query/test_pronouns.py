"""Sentences that begin with a pronoun bring the sentence that says who is meant."""

from collections.abc import Callable

import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from query.engine import QueryEngine
from query.pronouns import lead_in, with_antecedents
from query.request import AskOptions
from tests.query.short_answers.evidence_of import passage_sentences
from tests.query.small_store import EMBEDDER, SmallDocument

NAMED = "Anna Tamm came to the works of Norby in 1999."


@pytest.mark.parametrize("pronoun", ["She", "He", "They", "It", "Her", "Its"])
def test_the_sentence_before_is_quoted_with_a_pronoun(pronoun: str) -> None:
    sentences = passage_sentences("Works", NAMED, f"{pronoun} leads the foundry.", "It makes bells.")
    (wide,) = with_antecedents(sentences[1:2], sentences)
    chunk = wide.passage.chunk
    assert wide.text == f"{NAMED} {pronoun} leads the foundry."
    assert chunk.text[wide.sentence.char_start : wide.sentence.char_end] == wide.text


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (NAMED, "Anna leads the foundry."),
        (NAMED, "Items are cast there."),
        (NAMED, "It's cast there."),
        ("She came to the works.", "She leads the foundry."),
        ("Anna Tamm " + "came and went again " * 20 + "at last.", "She leads the foundry."),
    ],
)
def test_other_sentences_stay_as_they_are(before: str, told: str) -> None:
    sentences = passage_sentences("Works", before, told)
    assert with_antecedents(sentences[1:], sentences) == sentences[1:]


def test_what_is_told_before_is_not_told_twice() -> None:
    sentences = passage_sentences("Works", NAMED, "She leads the foundry.")
    assert with_antecedents(sentences, sentences) == sentences
    assert with_antecedents(sentences[1:], ()) == sentences[1:]
    others = passage_sentences("Other works", NAMED, "She leads the foundry.")
    assert with_antecedents(sentences[1:], others) == sentences[1:]


def test_a_sentence_of_another_paragraph_is_left_out() -> None:
    sentences = passage_sentences("Works", f"{NAMED}\n", "She leads the foundry.")
    before, told = sentences
    first = type(before)(
        passage=before.passage,
        sentence=type(before.sentence)(chunk_id="Works/0", position=0, char_start=0, char_end=len(NAMED)),
        text=NAMED,
        cosine=0.5,
        stems=before.stems,
        known_stems=before.known_stems,
    )
    assert "\n" in told.passage.chunk.text
    (wide,) = with_antecedents((told,), (first,))
    assert wide.text.startswith(NAMED)
    broken = passage_sentences("Works", f"{NAMED}\n\nx", "She leads the foundry.")
    assert with_antecedents(broken[1:], (first,)) == broken[1:]


def test_an_answer_says_who_is_meant(store_of: Callable[..., EmbeddedStore]) -> None:
    works = SmallDocument(
        title="Norby Works",
        paragraphs=("Anna Tamm came to Norby Works in 1999. She directs the bell foundry and its forty casters.",),
    )
    engine = QueryEngine(store_of(works), EMBEDDER)
    answer = engine.ask("Who directs the bell foundry of Norby Works?", AskOptions(route="local"))
    assert not answer.abstained
    (citation,) = answer.citations
    assert citation.quote.startswith("Anna Tamm came to Norby Works in 1999. She directs")
    if answer.short_answer is not None:
        assert answer.short_answer.citations == (1,)


def test_the_title_leads_a_pronoun_whose_sentence_before_is_not_told() -> None:
    (heron,) = passage_sentences("Heron", "The Heron sails to Eider Island.")
    kestrel = passage_sentences("Kestrel", "It has toilets.", "Her captain is Tomas Lind.", "Tomas Lind is old.")
    assert lead_in(kestrel[1], heron) == "Kestrel: "
    assert lead_in(kestrel[1], None) == "Kestrel: "
    assert lead_in(kestrel[1], kestrel[0]) == ""
    assert lead_in(kestrel[2], heron) == ""


def test_an_answer_leaves_no_pronoun_to_the_document_before(store_of: Callable[..., EmbeddedStore]) -> None:
    ferries = [
        SmallDocument(title=name, paragraphs=(f"It sails daily.\n\nHer captain is {captain}.",))
        for name, captain in (("Heron", "Amina Yusuf"), ("Kestrel", "Tomas Lind"))
    ]
    answer = QueryEngine(store_of(*ferries), EMBEDDER).ask(
        "Who is the captain of the Heron and of the Kestrel?", AskOptions(route="local")
    )
    quoted = [citation for citation in answer.citations if citation.quote.startswith("Her captain")]
    assert quoted
    for citation in quoted:
        assert f"{citation.title}: {citation.quote}" in answer.answer

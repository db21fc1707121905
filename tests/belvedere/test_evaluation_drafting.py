import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from belvedere.evaluation.draft_clauses import without_brackets
from belvedere.evaluation.draft_combined import joins, unanswerable
from belvedere.evaluation.draft_facts import Fact, sentence_facts
from belvedere.evaluation.draft_reading import FoundFact, load_parser
from belvedere.evaluation.draft_soundness import gives_away, is_sound
from graph_store.bundles import PassageGraph
from indexing.extraction.settings import ExtractionSettings
from tests.belvedere.small_store import Belvedere, Place

Asked = Callable[[str], dict[str, str]]


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def asked() -> Asked:
    """Return a function from a sentence to its sound questions with their answers."""
    parser = load_parser(ExtractionSettings().spacy_model)

    def questions(sentence: str) -> dict[str, str]:
        (span,) = parser(without_brackets(sentence)).sents
        facts = sentence_facts(span, sentence, lambda name, label: (name, label))
        return {fact.question: fact.answer for fact in facts if is_sound(fact.question, fact.answer)}

    return questions


@pytest.mark.model
@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        (
            "Marie Curie founded the Radium Institute in Paris.",
            "Who founded the Radium Institute in Paris?",
            "Marie Curie",
        ),
        ("Marie Curie moved to Paris in 1891.", "When did Marie Curie move to Paris?", "1891"),
        ("In 1891 Marie Curie moved to Paris.", "When did Marie Curie move to Paris?", "1891"),
        ("Marie Curie was born in Warsaw in 1867.", "Where was Marie Curie born in 1867?", "Warsaw"),
        ("Marie Curie was born in Warsaw in 1867.", "When was Marie Curie born in Warsaw?", "1867"),
        ("Marie Curie (born 7 November 1867) was a Polish chemist.", "When was Marie Curie born?", "7 November 1867"),
        ("The Radium Institute was founded by Marie Curie.", "Who was the Radium Institute founded by?", "Marie Curie"),
    ],
)
def test_a_part_of_the_sentence_is_asked_for(asked: Asked, sentence: str, question: str, answer: str) -> None:
    assert asked(sentence).get(question) == answer


@pytest.mark.model
@pytest.mark.parametrize(
    "sentence",
    [
        "The company was sold to Erik Holm in 1902.",
        "She moved to Paris in 1891.",
        "Marie Curie did not move to Paris in 1891.",
        "Heron Works is the main factory of the Radium Institute.",
        "Did Marie Curie move to Paris in 1891?",
        "He said that Marie Curie moved to Paris in 1891.",
    ],
)
def test_what_leans_on_other_sentences_is_not_asked(asked: Asked, sentence: str) -> None:
    assert asked(sentence) == {}


@pytest.mark.parametrize(
    ("question", "answer", "sound"),
    [
        ("When was Anna Lind born?", "1840", True),
        ("Who founded the Lind Company?", "Anna Lind", False),
        ("When did he move to Bergen?", "1890", False),
        ("When did this Lind move to Bergen?", "1890", False),
        ('What did Anna Lind call "the lens?', "Lamp", False),
        ("when was it?", "1890", False),
        ("Who was the lamp designed with?", "Anna Lind", False),
    ],
)
def test_a_sound_question_stands_alone(question: str, answer: str, *, sound: bool) -> None:
    assert is_sound(question, answer) is sound


def test_short_words_of_the_answer_give_nothing_away_alone() -> None:
    assert not gives_away("When did the war of Hven end?", "end of May 1871")
    assert gives_away("When was the fire of 1871?", "1871")
    assert gives_away("When was the fire of 1871-72?", "June 1871")
    assert not gives_away("When was the fire of 1871?", "1872")


def found(question: str, answer: str, document: str, **more: str) -> FoundFact:
    fact = Fact(
        kind="when",
        question=question,
        answer=answer,
        sentence=f"{answer}.",
        subject=more.get("subject", ""),
        subject_label="PERSON",
        description=more.get("description", ""),
        definition=more.get("definition", ""),
    )
    return FoundFact(
        fact=fact,
        chunk_id=f"{document}-chunk",
        document_id=document,
        title=more.get("subject", ""),
        subject_key=more.get("subject", "").casefold(),
        answer_key=answer.casefold(),
    )


BORN = found("When was Anna Lind born?", "1840", "anna", subject="Anna Lind")


def test_a_join_calls_the_bridge_by_what_another_document_tells() -> None:
    built = found(
        "Who built the tower of Norby?", "Anna Lind", "tower", description="the person who built the tower of Norby"
    )
    (joined,) = joins([built, BORN])
    assert joined.text == "When was the person who built the tower of Norby born?"
    assert (joined.answer, joined.documents, joined.kind) == ("1840", ("tower", "anna"), "join")


def test_a_join_calls_a_subject_by_its_definition() -> None:
    moved = found("When did Erik Holm meet Anna Lind?", "1860", "erik", subject="Erik Holm")
    defined = found(
        "Who was Anna Lind?", "a lens maker", "anna", subject="Anna Lind", definition="the lens maker of Ribe"
    )
    (joined,) = joins([moved, defined])
    assert joined.text == "When did Erik Holm meet the lens maker of Ribe?"


def test_one_document_gives_no_join() -> None:
    built = found(
        "Who built the tower of Norby?", "Anna Lind", "anna", description="the person who built the tower of Norby"
    )
    assert list(joins([built, BORN])) == []


def graph(mentions: Mapping[str, tuple[int, ...]]) -> PassageGraph:
    empty = np.zeros(0, dtype=np.int64)
    return PassageGraph(
        chunk_ids=("a", "b", "c"),
        indptr=np.zeros(4, dtype=np.int64),
        indices=empty,
        weights=np.zeros(0, dtype=np.float32),
        homes={},
        mentions=mentions,
    )


def test_an_unanswerable_question_puts_names_together_that_no_passage_does() -> None:
    anna = found("When did Anna Lind move to Bergen?", "1890", "anna", subject="Anna Lind")
    erik = found("When did Erik Holm move to Oslo?", "1902", "erik", subject="Erik Holm")
    apart = {"anna lind": (0,), "bergen": (0,), "erik holm": (1,), "oslo": (1,)}
    made = list(unanswerable([anna, erik], graph(apart)))
    assert [question.text for question in made] == [
        "When did Erik Holm move to Bergen?",
        "When did Anna Lind move to Oslo?",
    ]
    assert {(question.documents, question.answer) for question in made} == {((), None)}
    beside = {**apart, "bergen": (0, 1), "oslo": (0, 1)}
    assert list(unanswerable([anna, erik], graph(beside))) == []


@pytest.mark.model
def test_a_draft_is_a_data_set_that_runs(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    out = tmp_path / "draft"
    outcome = belvedere("eval-init", *indexed_place.options, "--out", out, "--count", "4")
    assert outcome.code == 0
    assert "a person must go through them" in " ".join(outcome.out.split())
    documents, questions = rows(out / "corpus.jsonl"), rows(out / "questions.jsonl")
    assert len(documents) == 3
    assert 1 <= len(questions) <= 4
    kinds = {row["type"] for row in questions}
    told = " ".join(outcome.out.split())
    assert (f"{len(questions)} of the 4 questions asked for" in told) == (len(questions) < 4)
    for kind in ("unanswerable", "join", "theme"):
        assert (f"None of the type {kind}: " in told) == (kind not in kinds)
    texts = {row["id"]: " ".join(str(row["text"]).split()) for row in documents}
    for row in questions:
        assert row["draft"] is True
        assert str(row["question"]).endswith("?")
        gold, made_from = row["gold_ids"], row["made_from"]
        assert isinstance(gold, list)
        assert isinstance(made_from, list)
        if gold and row["type"] != "theme":
            assert str(row["answer"]) in texts[gold[-1]]
            assert made_from[-1] in texts[gold[-1]]
    measured = belvedere(
        "eval", out, "--config", indexed_place.config, "--cache", tmp_path / "cache", "--compare", "bm25", "--json"
    )
    assert measured.json()["run"]["questions"] == len(questions)
    assert measured.json()["run"]["gold_not_in_corpus"] == 0
    assert "are drafts that nobody has checked" in measured.err


@pytest.mark.model
def test_the_same_store_and_seed_give_the_same_draft(
    belvedere: Belvedere, indexed_place: Place, tmp_path: Path
) -> None:
    texts = []
    for name in ("one", "two"):
        # The two words that one would try first mean the same command.
        outcome = belvedere("eval", "init", *indexed_place.options, "--out", tmp_path / name, "--seed", "3", "--json")
        assert outcome.json()["documents"] == 3
        texts.append([(tmp_path / name / file).read_bytes() for file in ("corpus.jsonl", "questions.jsonl")])
    assert texts[0] == texts[1]


@pytest.mark.model
def test_edited_questions_are_never_written_over(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("mine", encoding="utf-8")
    outcome = belvedere("eval-init", *indexed_place.options, "--out", tmp_path)
    assert outcome.code == 2
    assert "may hold your edits" in outcome.err
    assert (tmp_path / "questions.jsonl").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "corpus.jsonl").exists()


@pytest.mark.model
def test_a_store_without_sentences_gives_no_draft(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Hello world.\n", encoding="utf-8")
    options = ("--store", tmp_path / "store", "--config", indexed_place.config)
    assert belvedere("index", tmp_path / "words.txt", *options).code == 0
    outcome = belvedere("eval-init", *options, "--out", tmp_path / "draft")
    assert outcome.code == 2
    assert "no sentence that a question can be made from" in outcome.err
    assert not (tmp_path / "draft").exists()


@pytest.mark.model
def test_another_tenant_has_nothing_to_draft_from(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    outcome = belvedere("eval-init", *indexed_place.options, "--tenant", "other", "--out", tmp_path / "draft")
    assert outcome.code == 2
    assert "the tenant 'other' without a group has no documents to read here" in outcome.err


@pytest.mark.model
@pytest.mark.parametrize("below", ["drafts", "drafts/deeper", "drafts/much/deeper"])
def test_a_folder_that_cannot_be_made_is_told_before_drafting(
    belvedere: Belvedere, indexed_place: Place, tmp_path: Path, below: str
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    outcome = belvedere("eval-init", *indexed_place.options, "--out", tmp_path / "file" / below)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"'{tmp_path / 'file'}' is no folder; name another" in outcome.err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder here that takes no others")
@pytest.mark.model
def test_a_folder_that_takes_no_other(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("eval-init", *indexed_place.options, "--out", "/proc/drafts")
    assert (outcome.code, outcome.out) == (2, "")
    assert "cannot make the folder '/proc/drafts'" in outcome.err

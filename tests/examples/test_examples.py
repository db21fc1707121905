"""The example corpus and its labelled questions hold what examples/README.md promises."""

import re
from collections import Counter
from pathlib import Path
from typing import TypedDict, cast

import pytest
import yaml

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CORPUS = EXAMPLES / "corpus"
MINIMUM = {"fact": 22, "join": 20, "theme": 10, "document_summary": 12, "unanswerable": 12}
KEYS = {"id", "question", "type", "gold", "answer"}
SHORT_ANSWER_WORDS = 6

# Per join: a pattern for the bridge fact, which must stand in the first gold document alone, then for each
# step to the next document the name that both documents share.
BRIDGES: dict[str, tuple[str, list[str]]] = {
    "join-01": (r"24 December 1963", ["Pickering"]),
    "join-02": (r"received the last signal", ["DSS-43"]),
    "join-03": (r"principal ground station for the encounter", ["Parkes"]),
    "join-04": (r"Green Machine", ["Mariner 9"]),
    "join-05": (r"10 March 1961", ["Golomb"]),
    "join-06": (r"Delta-DOR was brought back", ["2001 Mars Odyssey"]),
    "join-07": (r"first planned gravity assist", ["Mariner 10"]),
    "join-08": (r"primary receiver failed", ["Voyager"]),
    "join-09": (r"9 March 1979", ["Voyager 1"]),
    "join-10": (r"175 years", ["Voyager 2", "DSS-43"]),
    "join-11": (r"Marc Rayman", ["Dawn"]),
    "join-12": (r"landed safely at Woomera", ["Woomera"]),
    "join-13": (r"first customer in regular service", ["Hayabusa2"]),
    "join-14": (r"DSS-62", ["Cebreros"]),
    "join-15": (r"1977-084A", ["Voyager 1"]),
    "join-16": (r"Crosses the heliopause", ["Ed Stone"]),
    "join-17": (r"last flight of a GPHS-RTG", ["New Horizons"]),
    "join-18": (r"last flight of a GPHS-RTG", ["New Horizons", "LORRI"]),
    "join-19": (r"way of encoding run lengths", ["Rice algorithm"]),
    "join-20": (r"Electra", ["Proximity-1"]),
    "join-21": (r"crippled orbiter", ["Galileo"]),
    "join-22": (r"task of building that network", ["Eberhardt Rechtin"]),
    "join-23": (r"\(7,1/2\) convolutional inside", ["Andrew Viterbi"]),
    "join-24": (r"VVEJGA", ["Cassini", "Carolyn Porco"]),
    "join-25": (r"first probe to come back from deep space", ["Giotto", "Parkes"]),
    "join-26": (r"first mission to use microwave discharge", ["Hayabusa"]),
    "join-27": (r"25 August 1989", ["Neptune"]),
    "join-28": (r"sky crane", ["Curiosity"]),
}


class Question(TypedDict):
    """One entry of questions.yaml."""

    id: str
    question: str
    type: str
    gold: list[str]
    answer: str


QUESTIONS = cast("list[Question]", yaml.safe_load((EXAMPLES / "questions.yaml").read_text(encoding="utf-8")))
ARTICLES = {path.relative_to(CORPUS).as_posix(): path.read_text(encoding="utf-8") for path in CORPUS.rglob("*.md")}
JOINS = [question for question in QUESTIONS if question["type"] == "join"]


def occurs(needle: str, text: str) -> bool:
    """Whether the needle stands in the text as whole words, in any case."""
    pattern = r"\s+".join(re.escape(word) for word in needle.split())
    return re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE) is not None


def kebab(title: str) -> str:
    """Return the file name that belongs to an article's title."""
    return "-".join(re.findall(r"[a-z0-9]+", title.lower())) + ".md"


def test_at_least_thirty_articles() -> None:
    assert len(ARTICLES) >= 30


@pytest.mark.parametrize("name", sorted(ARTICLES))
def test_article_form(name: str) -> None:
    text = ARTICLES[name]
    first_line = text.splitlines()[0]
    assert first_line.startswith("# ")
    assert name == kebab(first_line[2:])
    assert 300 <= len(text.split()) <= 800
    assert len(re.findall(r"^#{2,3} ", text, re.MULTILINE)) >= 3


def test_at_least_ten_articles_have_a_table() -> None:
    assert sum(re.search(r"^\|(?:---\|)+$", text, re.MULTILINE) is not None for text in ARTICLES.values()) >= 10


def test_tables_are_rectangular() -> None:
    for name, text in ARTICLES.items():
        for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
            assert len({line.count("|") for line in block.splitlines()}) == 1, name


def test_question_counts() -> None:
    counts = Counter(question["type"] for question in QUESTIONS)
    assert set(counts) == set(MINIMUM)
    for kind, least in MINIMUM.items():
        assert counts[kind] >= least, kind


def test_ids_and_questions_are_unique() -> None:
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question["question"] for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=[question["id"] for question in QUESTIONS])
def test_question_form(question: Question) -> None:
    assert set(question) == KEYS
    assert isinstance(question["answer"], str)
    assert question["question"].strip()
    assert len(set(question["gold"])) == len(question["gold"])
    assert set(question["gold"]) <= set(ARTICLES)
    unanswerable = question["type"] == "unanswerable"
    assert (question["gold"] == []) is unanswerable
    assert (question["answer"] == "") is unanswerable


def test_gold_sizes() -> None:
    sizes = {"fact": (1, 1), "document_summary": (1, 1), "join": (2, 4), "theme": (3, 38), "unanswerable": (0, 0)}
    for question in QUESTIONS:
        least, most = sizes[question["type"]]
        assert least <= len(question["gold"]) <= most, question["id"]
    assert sum(len(question["gold"]) >= 3 for question in JOINS) >= 3


def test_short_answers_occur_in_the_last_gold_document() -> None:
    checked = 0
    for question in QUESTIONS:
        if question["type"] in {"fact", "join"} and len(question["answer"].split()) <= SHORT_ANSWER_WORDS:
            assert occurs(question["answer"], ARTICLES[question["gold"][-1]]), question["id"]
            checked += 1
    assert checked >= 40


def test_every_join_has_its_bridge_listed() -> None:
    assert set(BRIDGES) == {question["id"] for question in JOINS}


@pytest.mark.parametrize("question", JOINS, ids=[question["id"] for question in JOINS])
def test_join_needs_its_documents(question: Question) -> None:
    pattern, links = BRIDGES[question["id"]]
    gold = question["gold"]
    # The bridge fact stands in the first document and in no other one.
    assert [name for name, text in ARTICLES.items() if re.search(pattern, text)] == [gold[0]]
    # Each step is made over a name that stands on both sides of it and is not given away by the question.
    assert len(links) == len(gold) - 1
    for link, here, there in zip(links, gold, gold[1:], strict=False):
        assert occurs(link, ARTICLES[here]), link
        assert occurs(link, ARTICLES[there]), link
        assert not occurs(link, question["question"]), link
    # The answer cannot be read before the last step.
    for name in gold[:-1]:
        assert not occurs(question["answer"], ARTICLES[name]), name
    assert not occurs(question["answer"], question["question"])

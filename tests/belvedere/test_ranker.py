"""Training and explaining chain ranking, from the command line, without an embedding model."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from belvedere.cli.main import run
from belvedere.errors import user_sentence
from belvedere.evaluation.ranker_training import TrainingFolders, TrainingMistake, check_writable, train_ranker
from belvedere.settings import Settings
from query.chain_ranking.weights import WEIGHTS_FILE, WeightsUnusable, chain_weights
from tests.belvedere.small_store import Belvedere, Outcome, Place, make_place

QUESTION = "Where was the builder of the lighthouse of Norby born?"
FIRST = ("Anna", "Boris", "Clara", "Doris", "Edgar", "Fiona", "Gustav", "Helen", "Igor", "Julia", "Karl", "Laura")
LAST = ("Lind", "Marsh")
PLACES = ("Norby", "Hven")
PEOPLE = [(first, last) for last in LAST for first in FIRST]


def assert_mistake(outcome: Outcome, *parts: str) -> None:
    """Check exit code 2, nothing on stdout, and one line on stderr with all ``parts``."""
    assert outcome.code == 2, outcome.err
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1, outcome.err
    for part in parts:
        assert part in outcome.err


def write_data(folder: Path, *, questions: int) -> Path:
    """Write a data set whose questions each join a bridge and the person who built it."""
    corpus, asked = [], []
    for number, (first, last) in enumerate(PEOPLE[: max(questions, 4)]):
        bridge, person = f"{first} {PLACES[number % 2]} Bridge", f"{first} {last}"
        corpus += [
            {"id": f"b{number}", "title": bridge, "text": f"The {bridge} was built by {person} in {1800 + number}."},
            {
                "id": f"p{number}",
                "title": person,
                "text": f"{person} was an engineer. {first} was born in a harbour town.",
            },
            {
                "id": f"x{number}",
                "title": f"Engineers {number}",
                "text": "Where engineers are born, bridges are built.",
            },
        ]
        question = f"Where was the engineer who built the {bridge} born?"
        asked.append({"id": str(number), "question": question, "gold_ids": [f"b{number}", f"p{number}"]})
    folder.mkdir(parents=True)
    for name, rows in (("corpus", corpus), ("questions", asked[:questions])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("training") / "bridges", questions=24)


@pytest.fixture(scope="session")
def options(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("options")
    (folder / "settings.yaml").write_text('embedder: {model: "hashing:64"}\n', encoding="utf-8")
    return ("--config", str(folder / "settings.yaml"), "--cache", str(folder / "cache"))


@pytest.fixture(scope="session")
def trained(data: Path, options: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights that the command has trained."""
    out = tmp_path_factory.mktemp("trained") / "weights.json"
    assert run(["ranker", "train", str(data), *options, "--out", str(out)]) == 0
    return out


def shipped() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files("query").joinpath(WEIGHTS_FILE).read_text(encoding="utf-8"))
    return content


def with_settings(place: Place, folder: Path, chains: str) -> tuple[str, ...]:
    """Return options by which the store of ``place`` is asked with other settings of chains."""
    config = folder / "chains.yaml"
    text = f'embedder: {{model: "hashing:64"}}\nquery: {{local: {{chains: {{{chains}}}}}}}\n'
    config.write_text(text, encoding="utf-8")
    return ("--store", str(place.store), "--config", str(config))


@pytest.mark.model
def test_training_writes_weights_that_can_be_used(trained: Path) -> None:
    weights = chain_weights(str(trained))
    assert len(weights.rounds) == 2
    assert json.loads(trained.read_text(encoding="utf-8"))["questions"] == {"bridges": 24}


@pytest.mark.model
def test_training_again_writes_the_same_bytes(
    belvedere: Belvedere, data: Path, options: tuple[str, ...], trained: Path, tmp_path: Path
) -> None:
    out = tmp_path / "again.json"
    told = belvedere("ranker", "train", data, *options, "--out", out, "--json").json()
    assert told == {"file": str(out), "questions": {"bridges": 24}, "seed": 0}
    assert out.read_bytes() == trained.read_bytes()


def test_too_few_questions_are_refused(belvedere: Belvedere, options: tuple[str, ...], tmp_path: Path) -> None:
    few = write_data(tmp_path / "few", questions=19)
    outcome = belvedere("ranker", "train", few, *options, "--out", tmp_path / "weights.json")
    assert_mistake(outcome, str(few), "has 19 questions with gold; training needs 20")
    assert not (tmp_path / "weights.json").exists()


def test_too_few_questions_for_the_gate_are_refused(
    belvedere: Belvedere, data: Path, options: tuple[str, ...], tmp_path: Path
) -> None:
    few = write_data(tmp_path / "few", questions=2)
    assert_mistake(belvedere("ranker", "train", data, "--gate", few, *options, "--out", tmp_path / "w.json"), "has 2 ")


def test_folders_that_are_missing_or_hold_no_data(
    belvedere: Belvedere, data: Path, options: tuple[str, ...], tmp_path: Path
) -> None:
    out = ("--out", str(tmp_path / "weights.json"))
    for given in ([tmp_path / "nothing"], [tmp_path], [data, "--texts", tmp_path], [data, "--gate", tmp_path]):
        assert_mistake(belvedere("ranker", "train", *given, *options, *out), "corpus.jsonl")
    assert_mistake(belvedere("ranker", "train", *options, *out), "Missing argument")


def test_a_place_that_cannot_be_written_is_told_before_training(
    belvedere: Belvedere, data: Path, options: tuple[str, ...], tmp_path: Path
) -> None:
    outcome = belvedere("ranker", "train", data, *options, "--out", tmp_path / "no" / "weights.json")
    assert_mistake(outcome, str(tmp_path / "no"), "make it first")
    check_writable(tmp_path / "weights.json")
    with pytest.raises(TrainingMistake):
        check_writable(tmp_path / "no" / "weights.json")


def test_two_data_sets_of_one_name_are_refused(
    belvedere: Belvedere, data: Path, options: tuple[str, ...], tmp_path: Path
) -> None:
    other = write_data(tmp_path / "bridges", questions=20)
    for more in ([other], ["--gate", other], ["--texts", other, "--texts", data]):
        assert_mistake(belvedere("ranker", "train", data, *more, *options, "--out", tmp_path / "w.json"), "'bridges'")


def test_questions_that_teach_nothing_are_a_mistake_of_the_user(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from belvedere.evaluation import ranker_training  # noqa: PLC0415  # patched here alone

    empty = ranker_training.TrainingPools(chains={"bridges": []}, gate={})
    monkeypatch.setattr(ranker_training, "gather_training_pools", lambda *_, **__: empty)
    with pytest.raises(ranker_training.TooFewQuestions, match="cannot be learnt") as caught:
        train_ranker(TrainingFolders(chains=(data,)), settings=Settings(), cache=tmp_path, seed=0)
    assert user_sentence(caught.value)


def test_unusable_weights_are_the_users_to_mend() -> None:
    assert user_sentence(WeightsUnusable("one sentence")) == "one sentence"


@pytest.mark.model
def test_an_explanation_in_json(belvedere: Belvedere, indexed_place: Place) -> None:
    told = belvedere("ranker", "explain", QUESTION, "-k", "2", "--json", *indexed_place.options).json()
    assert set(told) == {"question", "trust", "gate", "results"}
    assert told["question"] == QUESTION
    assert 0.0 <= told["trust"] <= 1.0
    assert [result["rank"] for result in told["results"]] == [1, 2]
    for result in told["results"]:
        fields = {"rank", "chunk_id", "document_id", "title", "score", "chain_score", "chain", "reasons"}
        assert set(result) == fields
        assert result["chain"][-1]["chunk_id"] == result["chunk_id"]
        for step in result["chain"]:
            assert set(step) == {"chunk_id", "document_id", "title", "bridge", "sentence", "explains"}
            assert all(word in QUESTION for word in step["explains"])


@pytest.mark.model
def test_an_explanation_for_people(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("ranker", "explain", QUESTION, *indexed_place.options)
    assert outcome.code == 0
    assert outcome.out.startswith("1. ")
    assert "    from " in outcome.out
    assert "chains say " in outcome.out
    assert "chains count " in outcome.out


@pytest.mark.model
@pytest.mark.parametrize("question", ["?!", "of the"])
def test_a_question_without_words_has_nothing_to_explain(
    belvedere: Belvedere, indexed_place: Place, question: str
) -> None:
    outcome = belvedere("ranker", "explain", *indexed_place.options, "--", question)
    assert (outcome.code, outcome.out) == (0, "Nothing found.\n")


@pytest.mark.parametrize("command", [["ranker", "explain"], ["context"], ["ask"], ["search"]])
def test_an_empty_question_is_refused(belvedere: Belvedere, tmp_path: Path, command: list[str]) -> None:
    outcome = belvedere(*command, "--store", str(tmp_path / "none"), "--", " ")
    assert (outcome.code, outcome.out) == (2, "")
    assert "the question is empty" in outcome.err


@pytest.mark.model
def test_chains_switched_off_cannot_be_explained(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    options = with_settings(indexed_place, tmp_path, "enabled: false")
    assert_mistake(belvedere("ranker", "explain", QUESTION, *options), "query.local.chains.enabled is false")
    found = belvedere("search", QUESTION, "--route", "local", "--json", *options).json()
    assert found["results"]
    assert all(result["chain"] == [] and "chain" not in result["signals"] for result in found["results"])


@pytest.mark.model
@pytest.mark.parametrize(
    "command", [("ranker", "explain"), ("search", "--route", "local"), ("ask", "--route", "local")]
)
def test_weights_that_cannot_be_read_end_in_one_sentence(
    belvedere: Belvedere, indexed_place: Place, tmp_path: Path, command: tuple[str, ...]
) -> None:
    options = with_settings(indexed_place, tmp_path, f"weights: '{tmp_path / 'nothing.json'}'")
    outcome = belvedere(*command, QUESTION, *options)
    assert_mistake(outcome, "query.local.chains.weights", str(tmp_path / "nothing.json"), "No such file")


@pytest.mark.model
def test_the_weights_of_the_settings_are_used(
    belvedere: Belvedere, indexed_place: Place, trained: Path, tmp_path: Path
) -> None:
    own = with_settings(indexed_place, tmp_path, f"weights: '{trained}'")
    told, packaged = (
        belvedere("ranker", "explain", QUESTION, "--json", *options).json() for options in (own, indexed_place.options)
    )
    assert told["trust"] != packaged["trust"]
    assert {result["chunk_id"] for result in told["results"]} <= {
        result["chunk_id"]
        for result in belvedere("ranker", "explain", QUESTION, "-k", "99", "--json", *indexed_place.options).json()[
            "results"
        ]
    }


@pytest.mark.model
def test_a_search_shows_the_chain_with_its_bridge(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(
        tmp_path / "place",
        {
            "bell.md": "# Marrow Bell\n\nThe Marrow Bell was cast in 1702 by Clara Vesper.\n",
            "vesper.md": "# Clara Vesper\n\nClara Vesper was born in Copenhagen. She cast bells.\n",
            **{
                f"{name}.md": f"# {name} Weir\n\nThe {name} Weir holds back a river. Trout live below the weir.\n"
                for name in ("Alder", "Birch", "Cedar", "Elder", "Hazel")
            },
        },
    )
    assert belvedere("index", place.corpus, *place.options).code == 0
    # Chains are shown where the gate trusts them; here it is made to, whatever it was trained on.
    content = shipped()
    content["gate"]["bias"] = 100.0
    (tmp_path / "weights.json").write_text(json.dumps(content), encoding="utf-8")
    options = with_settings(place, tmp_path, f"weights: '{tmp_path / 'weights.json'}'")
    question = "Where was the caster of the Marrow Bell born?"
    found = belvedere("search", question, "--route", "local", "--json", *options).json()
    assert {result["document_id"] for result in found["results"][:2]} == {"bell.md", "vesper.md"}
    (person,) = (result for result in found["results"] if result["document_id"] == "vesper.md")
    first, second = person["chain"]
    assert (first["document_id"], first["bridge"], first["sentence"]) == ("bell.md", "", None)
    assert (second["document_id"], second["bridge"]) == ("vesper.md", "clara vesper")
    (bell,) = (result for result in found["results"] if result["document_id"] == "bell.md")
    start, end = second["sentence"]
    assert bell["text"][start:end] == "The Marrow Bell was cast in 1702 by Clara Vesper."
    assert person["signals"]["chain_trust"] > 0.99
    assert '-> by "clara vesper" to ' in belvedere("search", question, "--route", "local", "--explain", *options).out

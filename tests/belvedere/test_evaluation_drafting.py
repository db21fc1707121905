import json
from pathlib import Path

import pytest

from tests.belvedere.small_store import Belvedere, Place

pytestmark = pytest.mark.model


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_draft_is_a_data_set_that_runs(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    out = tmp_path / "draft"
    outcome = belvedere("eval-init", *indexed_place.options, "--out", out, "--count", "4")
    assert outcome.code == 0
    assert "a person must go through them" in " ".join(outcome.out.split())
    documents, questions = rows(out / "corpus.jsonl"), rows(out / "questions.jsonl")
    assert len(documents) == 3
    assert 1 <= len(questions) <= 4
    texts = {row["id"]: str(row["text"]) for row in documents}
    for row in questions:
        assert row["type"] == "drafted"
        assert str(row["question"]).endswith("?")
        gold = row["gold_ids"]
        assert isinstance(gold, list)
        assert str(row["made_from"]).split()[-1] in texts[gold[0]]
    measured = belvedere(
        "eval", out, "--config", indexed_place.config, "--cache", tmp_path / "cache", "--compare", "bm25", "--json"
    )
    assert measured.json()["run"]["questions"] == len(questions)
    assert measured.json()["run"]["gold_not_in_corpus"] == 0
    assert measured.json()["systems"]["bm25"]["measures"]["R@5"]["value"] == 1.0
    assert "are drafts" in measured.err


def test_the_same_store_gives_the_same_draft(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        # The two words that one would try first mean the same command.
        outcome = belvedere("eval", "init", *indexed_place.options, "--out", tmp_path / name, "--json")
        assert outcome.json()["documents"] == 3
        texts.append([(tmp_path / name / file).read_bytes() for file in ("corpus.jsonl", "questions.jsonl")])
    assert texts[0] == texts[1]


def test_edited_questions_are_never_written_over(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("mine", encoding="utf-8")
    outcome = belvedere("eval-init", *indexed_place.options, "--out", tmp_path)
    assert outcome.code == 2
    assert "may hold your edits" in outcome.err
    assert (tmp_path / "questions.jsonl").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "corpus.jsonl").exists()


def test_a_store_without_sentences_gives_no_draft(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Hello world.\n", encoding="utf-8")
    options = ("--store", tmp_path / "store", "--config", indexed_place.config)
    assert belvedere("index", tmp_path / "words.txt", *options).code == 0
    outcome = belvedere("eval-init", *options, "--out", tmp_path / "draft")
    assert outcome.code == 2
    assert "no sentence that a question can be made from" in outcome.err
    assert not (tmp_path / "draft").exists()

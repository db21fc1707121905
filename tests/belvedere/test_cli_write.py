"""Commands that write: each test has a store of its own."""

from pathlib import Path

import pytest

from tests.belvedere.small_store import ARTICLES, Belvedere, Place, make_place

pytestmark = pytest.mark.model


def test_indexing_again_changes_nothing(belvedere: Belvedere, own_place: Place, indexed_place: Place) -> None:
    before = belvedere("export", "--format", "jsonl", *own_place.options).out
    # The corpus of the copied store is the one that was indexed.
    report = belvedere("index", indexed_place.corpus, "--json", *own_place.options).json()
    assert set(report) == {
        *("documents", "chunks", "entities", "relations", "communities", "tree_nodes", "seconds"),
        *("usage", "usage_by_unit", "failed_calls", "done_without_model", "not_borne_out"),
    }
    assert report["documents"] == {
        "added": 0,
        "updated": 0,
        "unchanged": 3,
        "deleted": 0,
        "gone": 0,
        "gone_outside": 0,
        "failed": [],
    }
    assert belvedere("export", "--format", "jsonl", *own_place.options).out == before


def test_a_change_a_new_file_and_a_lost_one(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    added = belvedere("index", place.corpus, "--json", *place.options).json()
    assert added["documents"]["added"] == 3
    (place.corpus / "anna-lind.md").write_text("# Anna Lind\n\nAnna Lind was born in 1841.\n", encoding="utf-8")
    (place.corpus / "new.md").write_text("# Hven\n\nHven is an island.\n", encoding="utf-8")
    (place.corpus / "lens-company.md").unlink()
    report = belvedere("index", place.corpus, "--json", "--prune", *place.options).json()
    assert report["documents"] == {
        "added": 1,
        "updated": 1,
        "unchanged": 1,
        "deleted": 1,
        "gone": 0,
        "gone_outside": 0,
        "failed": [],
    }
    assert report["chunks"] > 0
    exported = belvedere("export", "--format", "jsonl", *place.options).out
    assert "1841" in exported
    for gone in ("1840", "Erik Holm"):
        assert gone not in exported


def test_a_lost_source_is_told_where_it_is_not_pruned(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    belvedere("index", place.corpus, *place.options)
    (place.corpus / "lens-company.md").unlink()
    assert (
        "1 documents stay although their source is gone; --prune"
        in belvedere("index", place.corpus, *place.options).err
    )


def test_what_cannot_be_read_is_named_and_the_rest_is_indexed(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    (place.corpus / "noise.bin").write_bytes(b"\x00\x01")
    (place.corpus / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    outcome = belvedere("index", place.corpus, *place.options)
    assert outcome.code == 0
    assert "3 added" in outcome.out
    assert "2 failed" in outcome.out
    assert "left out" in outcome.err
    assert "noise.bin" in outcome.err
    assert "broken.pdf" in outcome.err
    failed = belvedere("index", place.corpus, "--json", *place.options).json()["documents"]["failed"]
    assert {Path(failure["uri"]).name for failure in failed} == {"noise.bin", "broken.pdf"}
    assert all(set(failure) == {"uri", "error"} and failure["error"] for failure in failed)


@pytest.mark.parametrize("text", [None, "", " \n\t", "word"])
def test_next_to_nothing_to_index(belvedere: Belvedere, tmp_path: Path, text: str | None) -> None:
    place = make_place(tmp_path / "place", {} if text is None else {"a.txt": text})
    assert belvedere("index", place.corpus, *place.options).code == 0
    held = belvedere("status", "--json", *place.options).json()["documents"]
    assert held == (text == "word")
    for command in (["ask", "what?"], ["search", "what?"], ["communities"], ["tree"]):
        outcome = belvedere(*command, *place.options)
        assert outcome.code == (0 if held else 2)
        assert ("run `belvedere index`" in outcome.err) is not bool(held)


def test_delete(belvedere: Belvedere, own_place: Place) -> None:
    report = belvedere("delete", "anna-lind.md", "nobody.md", "--json", *own_place.options).json()
    assert report == {
        "deleted": ["anna-lind.md"],
        "missing": ["nobody.md"],
        "returning": report["returning"],
        "untold": 0,
        "documents": len(ARTICLES) - 1,
    }
    assert [Path(source).name for source in report["returning"]] == ["anna-lind.md"]
    assert "School of Navigation" not in belvedere("export", "--format", "jsonl", *own_place.options).out
    assert belvedere("status", "--json", *own_place.options).json()["up_to_date"] is True


def test_delete_for_people(belvedere: Belvedere, own_place: Place) -> None:
    outcome = belvedere("delete", "anna-lind.md", "nobody.md", *own_place.options)
    assert outcome.code == 2
    assert "deleted 1: anna-lind.md; 2 documents are left" in outcome.out
    assert "no document has the id 'nobody.md'" in outcome.err


def test_delete_tells_what_will_come_back(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place", {f"{name}.md": f"# Title of {name}\n\n{name}.\n" for name in "abcdefg"})
    belvedere("index", place.corpus, *place.options)
    (place.corpus / "a.md").unlink()
    assert "come back" not in belvedere("delete", "a.md", *place.options).err
    assert "come back" not in belvedere("delete", "nobody.md", *place.options).err
    one = belvedere("delete", "b.md", *place.options)
    assert one.code == 0
    assert one.err.rstrip().endswith(f"next index of its source, which is still there: {place.corpus / 'b.md'}")
    assert "d.md, " in (err := belvedere("delete", *(f"{name}.md" for name in "cdefg"), *place.options).err)
    assert "and 2 more" in err


def test_delete_of_nothing_that_exists(belvedere: Belvedere, own_place: Place) -> None:
    outcome = belvedere("delete", "nobody.md", *own_place.options)
    assert outcome.code == 2
    assert "nothing was deleted" in outcome.err
    assert belvedere("status", "--json", *own_place.options).json()["documents"] == len(ARTICLES)


def test_groups_restrict_who_reads(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    assert belvedere("index", place.corpus, "--groups", "staff,board", *place.options).code == 0

    def documents(*options: str) -> object:
        return belvedere("status", "--json", *options, *place.options).json()["documents"]

    assert documents() == 0
    assert documents("--groups", "guests") == 0
    assert documents("--groups", "guests, board") == len(ARTICLES)
    assert documents("--groups", "guests", "--groups", "staff") == len(ARTICLES)
    question = "When was the lighthouse of Norby built by Anna Lind?"
    refused = belvedere("ask", question, "--json", *place.options)
    assert (refused.code, refused.out) == (2, "")
    assert "without a group has no documents to read" in refused.err
    assert belvedere("ask", question, "--json", "--groups", "staff", *place.options).json()["abstained"] is False


def test_only_what_may_be_read_can_be_deleted(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    belvedere("index", place.corpus, "--groups", "staff", *place.options)
    hidden = belvedere("delete", "anna-lind.md", *place.options)
    missing = belvedere("delete", "anna-lund.md", *place.options)
    assert hidden.code == missing.code == 2
    assert hidden.err == missing.err.replace("lund", "lind")
    assert belvedere("delete", "anna-lind.md", "--groups", "staff", *place.options).code == 0


def test_tenants_are_apart(belvedere: Belvedere, own_place: Place) -> None:
    other = make_place(own_place.folder / "other", {"only.md": "# Only\n\nOnly the other tenant reads this.\n"})
    assert belvedere("index", other.corpus, "--tenant", "other", *own_place.options).code == 0
    assert belvedere("status", "--json", *own_place.options).json()["documents"] == len(ARTICLES)
    assert belvedere("status", "--json", "--tenant", "other", *own_place.options).json()["documents"] == 1


def test_rows_of_a_corpus_file(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place", {})
    rows = tmp_path / "corpus.jsonl"
    rows.write_text(
        '{"id": "a", "title": "Aa", "text": "The otter swims.", "year": 2001}\n'
        '{"id": "b", "title": "Bb", "text": "The otter sleeps.", "year": 2015}\n',
        encoding="utf-8",
    )
    assert belvedere("index", rows, *place.options).code == 0
    found = belvedere("search", "otter", "--filter", "year>=2010", "--json", *place.options).json()
    assert {result["document_id"] for result in found["results"] if result["kind"] == "chunk"} == {"b"}
    unknown = belvedere("search", "otter", "--filter", "yaer>=2010", *place.options)
    assert unknown.code == 2
    assert "'year'" in unknown.err


def test_a_store_among_sources_is_told(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    options = ("--store", place.corpus, "--config", place.config)
    belvedere("index", place.corpus, *options)
    (place.corpus / "belvedere.sqlite").touch()
    for given in (place.corpus, place.folder):
        outcome = belvedere("index", given, *options)
        assert f"left out {place.corpus}: It is the folder of a store" in outcome.err


def test_a_store_within_the_indexed_folder_is_no_source(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    options = ("--store", place.corpus / "belvedere-store", "--config", place.config, "--json")
    assert belvedere("index", place.corpus, *options).json()["documents"]["added"] == len(ARTICLES)
    again = belvedere("index", place.corpus, *options).json()["documents"]
    assert again == {
        "added": 0,
        "updated": 0,
        "unchanged": len(ARTICLES),
        "deleted": 0,
        "gone": 0,
        "gone_outside": 0,
        "failed": [],
    }

"""A disk that is full, a clock that went wrong: one sentence, and nothing lost."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.belvedere.small_store import Belvedere, make_place


@pytest.mark.model
def test_indexing_goes_on_once_a_full_disk_has_room_again(
    belvedere: Belvedere, tmp_path: Path, small_disk: Path
) -> None:
    line = "Captain Ada Byrne sailed ship {0} to Bergen in 18{1}. Erik Holm built ship {0} in Genoa.\n"
    articles = {f"{n:02}.md": f"# Ship {n}\n\n" + line.format(n, n % 90 + 10) * 25 for n in range(24)}
    place = make_place(tmp_path / "place", articles)
    place.config.write_text('embedder: {model: "hashing:64"}\nindexing: {batch_chunks: 1}\n', encoding="utf-8")
    options = ("--store", small_disk / "store", "--config", place.config)
    outcome = belvedere("index", place.corpus, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert "space" in outcome.err.splitlines()[-1]
    assert "Traceback" not in outcome.err
    subprocess.run(["mount", "-o", "remount,size=400m", str(small_disk)], check=True)
    report = belvedere("index", place.corpus, "--json", *options).json()["documents"]
    assert report["unchanged"] > 0, "what was acknowledged is kept"
    assert report["added"] + report["unchanged"] == len(articles)
    assert belvedere("doctor", *options).code == 0
    assert belvedere("index", place.corpus, *place.options).code == 0
    exports = [
        belvedere("export", "--format", "jsonl", "--store", store, "--config", place.config).out
        for store in (small_disk / "store", place.store)
    ]
    assert exports[0] == exports[1]


@pytest.mark.model
def test_times_of_files_decide_nothing(belvedere: Belvedere, tmp_path: Path) -> None:
    """A clock that goes backwards, or far ahead, neither hides a change nor makes one."""
    own_place = make_place(tmp_path / "place")

    def documents() -> dict[str, int]:
        report = belvedere("index", own_place.corpus, "--json", *own_place.options).json()["documents"]
        return {name: report[name] for name in ("added", "updated", "unchanged")}

    assert documents()["added"] == 3
    lighthouse, anna = own_place.corpus / "lighthouse.md", own_place.corpus / "anna-lind.md"
    lighthouse.write_text("# Lighthouse of Norby\n\nIt was torn down in 1999.\n", encoding="utf-8")
    os.utime(lighthouse, (1, 1))
    os.utime(anna, (4_000_000_000, 4_000_000_000))
    assert documents() == {"added": 0, "updated": 1, "unchanged": 2}
    assert documents() == {"added": 0, "updated": 0, "unchanged": 3}
    lighthouse.write_text("# Lighthouse of Norby\n\nIt was built again in 2001.\n", encoding="utf-8")
    os.utime(lighthouse, (-1, -1))
    assert documents() == {"added": 0, "updated": 1, "unchanged": 2}
    shutil.copy(anna, own_place.corpus / "new.md")
    os.utime(own_place.corpus / "new.md", (10**12, 10**12))
    assert documents()["added"] == 1

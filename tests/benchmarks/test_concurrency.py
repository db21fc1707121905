"""Three seconds of the long test (``python -m benchmarks.concurrency``)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.concurrency import _READS, _numbers, _write_state
from benchmarks.concurrency_world import open_writer, state_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.crash
def test_readers_see_whole_states_while_one_writes() -> None:
    command = [sys.executable, "-m", "benchmarks.concurrency", "--seconds", "3"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"8 readers: (\d+) commits, (\d+) reads, .* 0 failures", done.stdout)
    assert found is not None, done.stdout
    assert int(found[1]) >= 2
    assert int(found[2]) >= 8


def test_every_read_tells_its_state(tmp_path: Path) -> None:
    with open_writer(tmp_path / "store") as store:
        for number in (0, 1):
            _write_state(store, number)
            for name, read in _READS.items():
                assert read(store) == {number}, name


def test_a_mixture_is_seen() -> None:
    bundles, _ = state_of(3)
    others, _ = state_of(4)
    assert _numbers([bundles[0].text, others[1].text]) == {3, 4}

"""A few kills of the long test (``python -m benchmarks.crash``), and its parts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.crash_checks import Snapshot
from benchmarks.crash_world import STORE_SETTINGS, first_sources, last_sources, scenarios
from benchmarks.forked import Child, Tell, run_whole

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.model
@pytest.mark.crash
def test_twenty_kills_lose_nothing() -> None:
    # A process of its own: forking one that has threads, as other tests may have left here, can hang.
    command = [sys.executable, "-m", "benchmarks.crash", "--kills", "20", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 kills" in done.stdout
    assert "0 rounds failed" in done.stdout
    for scenario in scenarios():
        assert f"{scenario.name} " in done.stdout


def test_the_two_states_differ_in_every_way() -> None:
    first, last = first_sources(), last_sources()
    assert first.keys() - last.keys() == {"d4.md", "old-name.md"}
    assert last.keys() - first.keys() == {"d5.md", "new-name.md"}
    assert first["old-name.md"] == last["new-name.md"]
    assert {name for name in first.keys() & last.keys() if first[name] != last[name]} == {"d0.md", "d1.md"}


def test_nothing_is_a_snapshot_too(tmp_path: Path) -> None:
    assert Snapshot.of(tmp_path, STORE_SETTINGS[0]) == Snapshot(digest="", documents={}, parts={})


def sleeping(tell: Tell) -> None:
    tell("before")
    time.sleep(60)


def failing(_: Tell) -> None:
    raise ValueError("x")


@pytest.mark.parametrize(("work", "code"), [(lambda tell: tell({"a": 1}), 0), (failing, 1)])
def test_how_a_child_ended_is_told(work: Callable[[Tell], object], code: int) -> None:
    assert Child(work).wait().code == code


def test_what_a_killed_child_told_is_heard() -> None:
    child = Child(sleeping)
    while not os.path.exists(f"/proc/{child.pid}"):
        time.sleep(0.001)
    time.sleep(0.2)
    child.kill()
    ended = child.wait()
    assert ended.code == -signal.SIGKILL
    assert ended.told == ["before"]


def test_a_child_that_fails_is_an_error() -> None:
    with pytest.raises(ChildProcessError, match="ended with 1"):
        run_whole(failing)

import io
import sys
import time
from dataclasses import dataclass
from itertools import pairwise

import pytest

from belvedere.cli import progress
from belvedere.cli.progress import ProgressBar


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    step: str
    done: int
    total: int | None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run_bar(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, delay: float, wait: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY_SECONDS", delay)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar("getting ready") as bar:
        for done in range(3):
            bar(Event(step="embed_summaries", done=done, total=3))
        time.sleep(wait)
        bar(Event(step="publish", done=0, total=None))
    return stream.getvalue()


def test_a_slow_run_shows_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run_bar(Terminal(), monkeypatch, delay=0.0, wait=0.6)
    assert "embed summaries" in shown
    assert "2/3" in shown


def test_a_quick_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_bar(Terminal(), monkeypatch, delay=60.0, wait=0.0) == ""


def test_a_file_gets_plain_lines_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.05)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.05)
    # The last event comes after the wait, and ends before another line is due.
    assert run_bar(io.StringIO(), monkeypatch, delay=0.0, wait=0.4) == "belvedere: embed summaries ... 2 of 3\n"


def test_a_file_gets_nothing_of_a_quick_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_bar(io.StringIO(), monkeypatch, delay=0.0, wait=0.1) == ""


def test_a_file_gets_at_most_a_line_for_each_twentieth_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.001)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.001)
    with ProgressBar("getting ready") as bar:
        for done in range(200):
            bar(Event(step="asking_local", done=done, total=200))
            time.sleep(0.002)
    told = [
        int(line.split()[-3]) for line in stream.getvalue().splitlines() if "asking local" in line and " of " in line
    ]
    assert 1 < len(told) <= progress.LINES_PER_STEP + 1
    assert all(later - earlier >= 10 for earlier, later in pairwise(told))


def test_the_first_step_is_told_while_nothing_else_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.02)
    with ProgressBar("loading the model X"):
        time.sleep(0.3)
    assert stream.getvalue() == "belvedere: loading the model X ...\n"

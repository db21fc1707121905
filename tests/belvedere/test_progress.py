import io
import sys
import time
from dataclasses import dataclass

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


def test_a_file_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_bar(io.StringIO(), monkeypatch, delay=0.0, wait=0.1) == ""

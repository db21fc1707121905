"""`belvedere search` and `context` show reports that an answer had told, and ask no model."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.belvedere.small_store import Belvedere, Place, make_place
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, says, scripted_server

pytestmark = pytest.mark.model

THEMES = "What are the main themes?"
COMMUNITIES = ("--route", "community")
ARTICLES = {
    "a.md": "# Harbour\n\nAnna Lind met Karl Berg in Oslo. Anna Lind built the harbour of Oslo. Karl Berg left Oslo.\n",
    "b.md": "# Port\n\nKarl Berg sold the harbour of Oslo to Anna Lind. Karl Berg was a captain from Oslo.\n",
}
SECRETS = {
    "c.md": "# Vault\n\nAnna Lind keeps the zircon vault in Oslo. Karl Berg has the key of the zircon vault.\n",
    "d.md": "# Key\n\nKarl Berg lost the key of the zircon vault in Oslo. Anna Lind found the zircon key.\n",
}


def telling(asked: Asked) -> Replied:
    """Tell of each report its last piece of evidence; find nothing in reports."""
    pieces = re.split(r"^evidence \d+ [0-9a-f]{16}.*\n", asked.text, flags=re.MULTILINE)[1:]
    if not pieces:
        return says(json.dumps({"relevance": 0, "sentences": []}))(asked)
    last = " ".join(line.removeprefix("| ") for line in pieces[-1].split("\n") if line.startswith("| "))
    return says(json.dumps({"title": "", "claims": [{"text": last, "evidence": [len(pieces)]}]}))(asked)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedOpenAiServer]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted_server(telling) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path, server: ScriptedOpenAiServer, belvedere: Belvedere) -> Place:
    """A store of two documents for all and two for staff, whose reports are told when they are touched."""
    made = make_place(tmp_path / "all", ARTICLES)
    secret = make_place(tmp_path / "staff", SECRETS)
    llm = {"base_url": server.base_url, "model": "m", "lazy": True}
    made.config.write_text(json.dumps({"embedder": {"model": "hashing:64"}, "llm": llm}), encoding="utf-8")
    assert belvedere("index", made.corpus, *made.options).code == 0
    assert belvedere("index", secret.corpus, "--groups", "staff", *made.options).code == 0
    return made


def told_by(belvedere: Belvedere, place: Place, *options: str) -> dict[str, str]:
    """Return the texts of the reports that a model told, as this caller is shown them."""
    found = belvedere("search", THEMES, *COMMUNITIES, "--json", "-k", "9", *options, *place.options).json()
    assert found["results"]
    return {item["id"]: item["text"] for item in found["results"] if item.get("made_by") == "llm:m"}


def test_reports_of_an_earlier_answer_are_shown(
    belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer
) -> None:
    assert told_by(belvedere, place, "--llm", "reports") == {}
    assert server.asked == []
    assert belvedere("ask", THEMES, *COMMUNITIES, "--llm", "answers,reports", *place.options).code == 0
    asked = len(server.asked)
    assert asked > 0
    assert told_by(belvedere, place, "--llm", "reports")
    assert told_by(belvedere, place) == {}, "the task is off in the settings"
    assert told_by(belvedere, place, "--llm", "none") == {}
    people = belvedere("search", THEMES, *COMMUNITIES, "--llm", "reports", *place.options)
    assert "[report by m]" in people.out
    packed = belvedere("context", THEMES, *COMMUNITIES, "--llm", "reports", "--json", *place.options).json()
    assert any(block["kind"] == "report" for block in packed["blocks"])
    assert len(server.asked) == asked


def test_what_was_told_to_some_is_shown_to_them_alone(belvedere: Belvedere, place: Place) -> None:
    staff = ("--llm", "reports", "--groups", "staff")
    asking = ("--llm", "answers,reports", "--groups", "staff")
    assert belvedere("ask", THEMES, *COMMUNITIES, *asking, *place.options).code == 0
    assert "zircon" in " ".join(told_by(belvedere, place, *staff).values())
    for options in (("--llm", "reports"), ("--llm", "reports", "--groups", "guests")):
        assert "zircon" not in " ".join(told_by(belvedere, place, *options).values())
        shown = belvedere("search", THEMES, *COMMUNITIES, *options, *place.options)
        assert shown.code == 0
        assert "zircon" not in shown.out


@pytest.mark.parametrize("command", ["search", "context"])
@pytest.mark.parametrize("task", ["answers", "reports,rewriting", "judge"])
def test_tasks_that_are_never_done_are_refused(belvedere: Belvedere, tmp_path: Path, command: str, task: str) -> None:
    outcome = belvedere(command, THEMES, "--llm", task, "--store", tmp_path)
    assert outcome.code == 2
    assert f"never does the task {task.rsplit(',', maxsplit=1)[-1]}, only reports" in outcome.err
    assert outcome.err.count("\n") == 1

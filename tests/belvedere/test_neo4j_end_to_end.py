"""The whole product on a store in Neo4j: what it says is what it says on a store in a folder."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from belvedere.knowledge_base import KnowledgeBase
from graph_store.errors import StoreMissing
from tests.belvedere.small_store import Belvedere
from tests.neo4j.cutting_proxy import Cut, cutting_proxy
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.model]

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "harbour.md": "# Harbour\n\nAnna Lind built the harbour of Bergen in 1901. The harbour holds ninety ships.\n",
    "lind.md": "# Anna Lind\n\nAnna Lind was born in Oslo in 1870. She studied engineering with Karl Berg.\n",
    "berg.md": "# Karl Berg\n\nKarl Berg taught engineering in Trondheim. Karl Berg wrote a book about bridges.\n",
}
Run: TypeAlias = Callable[..., dict[str, Any]]

SETTINGS = "embedder:\n  model: hashing:64\n"


@pytest.fixture
def places(neo4j_server: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A folder with documents and settings to work in, and two places for a store: a folder and an empty database."""
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", neo4j_server.password)
    empty_database(neo4j_server, indexes=True)
    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    (tmp_path / "config.yaml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield [str(tmp_path / "store"), f"{neo4j_server.uri}/neo4j"]
    empty_database(neo4j_server, indexes=True)


@pytest.fixture
def run(belvedere: Belvedere) -> Run:
    """Return a function that runs one command and reads the JSON that it prints."""

    def run_command(*arguments: str) -> dict[str, Any]:
        done = belvedere(*arguments, "--json")
        assert done.code == 0, done.err
        found: dict[str, Any] = json.loads(done.out)
        return found

    return run_command


def without(found: object, *names: str) -> object:
    """Return JSON without what differs between any two runs."""
    if isinstance(found, dict):
        return {key: without(value, *names) for key, value in found.items() if key not in names}
    return [without(item, *names) for item in found] if isinstance(found, list) else found


# The scores of the two keyword indexes differ by what they count beside the texts themselves; the ranks do not.
VARYING = ("timings_ms", "seconds", "store", "store_bytes", "score", "signals", "support")


def test_both_stores_say_the_same(places: list[str], run: Run) -> None:
    for place in places:
        run("index", "docs", "--store", place)
    for command in (
        ["status"],
        ["communities"],
        ["tree"],
        ["graph", "Anna Lind"],
        ["search", "Who built the harbour of Bergen?"],
        ["ask", "Where was the builder of the harbour of Bergen born?"],
        ["ask", "Who taught in Trondheim?", "--route", "local"],
    ):
        folder, server = (without(run(*command, "--store", place), *VARYING) for place in places)
        assert server == folder, command
    with KnowledgeBase.open(places[0]) as folder_kb, KnowledgeBase.open(places[1]) as server_kb:
        assert server_kb.store.content_digest("default") == folder_kb.store.content_digest("default")


def test_a_changed_and_a_deleted_document(places: list[str], run: Run) -> None:
    server = places[1]
    run("index", "docs", "--store", server)
    again = run("index", "docs", "--store", server)["documents"]
    assert (again["added"], again["updated"], again["unchanged"]) == (0, 0, 3)
    Path("docs/berg.md").write_text("# Karl Berg\n\nKarl Berg moved to Tromsø and sang there.\n", encoding="utf-8")
    assert run("index", "docs", "--store", server)["documents"]["updated"] == 1
    assert run("status", "--store", server)["up_to_date"] is True
    found = run("search", "Who sang in Tromsø?", "--store", server)["results"]
    gone = found[0]["document_id"]
    assert run("delete", gone, "--store", server)["deleted"] == [gone]
    left = run("search", "Who sang in Tromsø?", "--store", server)["results"]
    assert gone not in {result["document_id"] for result in left}


@pytest.mark.crash
def test_a_command_that_is_killed_is_run_again(places: list[str], run: Run, neo4j_server: Neo4jServer) -> None:
    command = [sys.executable, "-c", "from belvedere.cli.main import main; main()", "index", "docs", "--store"]
    with cutting_proxy(neo4j_server.port) as proxy:
        indexing = subprocess.Popen([*command, f"{proxy.uri}/neo4j"], env={**os.environ, "PYTHONPATH": str(ROOT)})

        def kill(step: str, number: int) -> Cut:
            if step == "COMMIT" and number == 16:
                indexing.kill()
            return "pass"

        proxy.decide = kill
        assert indexing.wait(120) == -9
    half = run("status", "--store", places[1])
    assert (half["documents"], half["up_to_date"]) == (3, False)
    for place in places:
        run("index", "docs", "--store", place)
    with KnowledgeBase.open(places[0]) as folder_kb, KnowledgeBase.open(places[1]) as server_kb:
        assert server_kb.store.content_digest("default") == folder_kb.store.content_digest("default")


def test_doctor_finds_nothing_wrong(places: list[str], run: Run) -> None:
    run("index", "docs", "--store", places[1])
    found = run("doctor", "--store", places[1])
    assert {finding["check"] for finding in found["findings"]} >= {"server", "indexes", "writer", "generations"}
    assert not [finding for finding in found["findings"] if finding["level"] == "problem"]


def test_the_settings_name_the_place(places: list[str], run: Run) -> None:
    Path("config.yaml").write_text(f"{SETTINGS}store:\n  location: {places[1]}\n", encoding="utf-8")
    run("index", "docs")
    assert run("status")["store"] == places[1]
    assert not Path("belvedere-store").exists()


def test_mistakes_are_told_in_a_sentence(
    places: list[str], belvedere: Belvedere, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = places[1]
    Path("hasty.yaml").write_text(f"{SETTINGS}neo4j:\n  retry_s: 0.1\n", encoding="utf-8")
    cases = {
        ("status", "--store", server): "there is no store",
        ("ask", "Who?", "--store", server): "there is no store",
        ("search", "Who?", "--store", server): "there is no store",
        ("status", "--store", server.replace("neo4j", "elsewhere")): "database",
        ("status", "--store", "bolt://127.0.0.1:9/neo4j", "--config", "hasty.yaml"): "nobody listens",
        ("status", "--store", "bolt://user:secret@127.0.0.1/neo4j"): "must not hold credentials",
    }
    for command, sentence in cases.items():
        done = belvedere(*command)
        assert done.code == 2, done.err
        assert sentence in done.err
        assert "Traceback" not in done.err
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", "wrong-password")
    done = belvedere("status", "--store", server)
    assert "refuses the user" in done.err
    assert "wrong-password" not in done.err
    monkeypatch.delenv("BELVEDERE_NEO4J_PASSWORD")
    done = belvedere("status", "--store", server)
    assert "no password" in done.err


def test_a_database_that_was_filled_anew_is_asked_anew(places: list[str], neo4j_server: Neo4jServer) -> None:
    def index_years(first: int, second: int) -> None:
        for name, year in (("a", first), ("b", second)):
            text = f"---\nyear: {year}\n---\n# Fees {name}\n\nThe fee of the harbour club is {year - 2000} crowns.\n"
            Path(f"{name}.md").write_text(text, encoding="utf-8")
        with KnowledgeBase.open(places[1], config="config.yaml") as writer:
            writer.index("a.md")
            writer.index("b.md")

    index_years(2020, 2024)
    with KnowledgeBase.open(places[1], config="config.yaml") as asked:
        question = "What is the fee of the harbour club?"
        assert {item.document_id for item in asked.search(question, filters=["year>=2023"]).results} == {"b.md"}
        empty_database(neo4j_server)
        with pytest.raises(StoreMissing, match="run `belvedere index`"):
            asked.search(question)
        index_years(2024, 2020)
        assert {item.document_id for item in asked.search(question, filters=["year>=2023"]).results} == {"a.md"}
        assert asked.status().counts.documents == 2

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from neo4j import GraphDatabase

from belvedere.cli.main import run
from belvedere.config import read_config
from belvedere.settings import Settings
from graph_store.neo4j.address import SCHEMES, ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import DIMENSION, MODEL
from tests.graph_store.samples import fill
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer
from tests.neo4j.shared import SharedServers

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "neo4j.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```cypher\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLE = (ROOT / "examples" / "neo4j.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ belvedere (.*)$", EXAMPLE, re.MULTILINE)
ABOUT_THE_EXAMPLE = {5, 6}
"""They name entities of the example corpus, so that they are asked where some of it was indexed."""


def test_there_are_ten_queries() -> None:
    assert [int(query.split(".")[0].removeprefix("// ")) for query in QUERIES] == list(range(1, 11))


@pytest.mark.neo4j
def test_every_query_finds_something(neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", neo4j_server.password)
    empty_database(neo4j_server)
    address = ServerAddress(uri=neo4j_server.uri, database="neo4j")
    with Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION) as store:
        fill(store)
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as driver:
        for number, query in enumerate(QUERIES, 1):
            found = driver.execute_query(query).records
            assert found or number in ABOUT_THE_EXAMPLE, query


@pytest.fixture
def new_server(neo4j_servers: SharedServers, monkeypatch: pytest.MonkeyPatch) -> Iterator[Neo4jServer]:
    """A server with neither data nor indexes."""
    server = neo4j_servers.running("5")
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", server.password)
    empty_database(server, indexes=True)
    yield server
    empty_database(server, indexes=True)


@pytest.mark.neo4j
@pytest.mark.model
def test_the_five_commands_of_the_example_run(
    new_server: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples" / "corpus").mkdir(parents=True)
    for name in ("voyager-1.md", "ion-propulsion.md", "maser-amplifiers.md"):
        shutil.copy(ROOT / "examples" / "corpus" / name, tmp_path / "examples" / "corpus")
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) == 5
    printed = []
    for command in COMMANDS:
        arguments = shlex.split(command.replace("neo4j://localhost:7687", f"neo4j://127.0.0.1:{new_server.port}"))
        assert run(arguments) == 0, capfd.readouterr()
        printed.append(capfd.readouterr().out)
    assert "1977" in printed[1]
    assert "maser" in printed[3].lower()
    with GraphDatabase.driver(new_server.uri, auth=(USER, new_server.password)) as driver:
        for number in ABOUT_THE_EXAMPLE:
            assert driver.execute_query(QUERIES[number - 1]).records, QUERIES[number - 1]


def test_the_settings_of_the_example_are_settings(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", EXAMPLE, re.MULTILINE | re.DOTALL)
    (tmp_path / "config.yaml").write_text(block, encoding="utf-8")
    assert read_config(tmp_path / "config.yaml", Settings).store.location == "neo4j://localhost:7687"


def test_the_server_for_docker_takes_the_password_from_the_same_place() -> None:
    service = yaml.safe_load((ROOT / "docker-compose.yaml").read_text(encoding="utf-8"))["services"]["neo4j"]
    assert service["environment"]["NEO4J_AUTH"].startswith("neo4j/${BELVEDERE_NEO4J_PASSWORD:?")
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_the_page_names_every_setting_by_its_default() -> None:
    named = re.findall(r"`neo4j\.(\w+)` \((\d+)\)", PAGE)
    assert len(named) >= 5
    for name, value in named:
        assert getattr(Neo4jSettings(), name) == float(value), name


def test_the_page_tells_of_every_scheme() -> None:
    assert set(re.findall(r"`((?:bolt|neo4j)(?:\+s(?:sc)?)?)`", PAGE)) == set(SCHEMES)

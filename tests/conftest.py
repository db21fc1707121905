"""What every test may rely on: no network, the evaluation corpora where they exist, a disk that is soon full, Neo4j."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

from tests.neo4j.control import running
from tests.neo4j.releases import RELEASES, CannotStart, find_java
from tests.neo4j.server import Neo4jServer, start_server

CORPORA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def pytest_runtest_setup() -> None:
    """Refuse every connection that leaves the machine; loopback and Unix sockets stay open."""
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Return the folder of the evaluation corpora, which continuous integration must have and others may lack."""
    if CORPORA.is_dir():
        return CORPORA
    if os.environ.get("CI") == "true":
        pytest.fail("evaluation corpora not found beside the checkout")
    pytest.skip("evaluation corpora not found beside the checkout")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of 3 MB; only the superuser can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("no small file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)  # files may still be mapped


@pytest.fixture(scope="session")
def start_neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Neo4jServer]]:
    """Return what starts the server of a release at its first call, and gives the same one to all who ask after that.

    Where it cannot be started the test is skipped. Continuous integration must not skip: there only a release that
    needs a Java which the machine does not have may be missing, as long as another release is tested. With
    BELVEDERE_NEO4J_TESTS=running the servers of ``make neo4j-start`` are used, and emptied.
    """
    servers: dict[str, Neo4jServer] = {}
    failures: dict[str, str] = {}

    def start(name: str) -> Neo4jServer:
        ready = running(name) if os.environ.get("BELVEDERE_NEO4J_TESTS") == "running" else None
        if ready is not None:
            return ready
        if name not in servers and name not in failures:
            try:
                servers[name] = start_server(RELEASES[name], tmp_path_factory.mktemp("neo4j"))
            except CannotStart as error:
                failures[name] = str(error)
        if name in servers:
            return servers[name]
        if os.environ.get("CI") == "true" and (name == "5" or _has_java(name)):
            pytest.fail(failures[name])
        pytest.skip(f"the tests with a Neo4j server: {failures[name]}")

    yield start
    for server in servers.values():
        server.stop()


def _has_java(name: str) -> bool:
    try:
        find_java(RELEASES[name])
    except CannotStart:
        return False
    return True


@pytest.fixture(params=sorted(RELEASES))
def neo4j_server(request: pytest.FixtureRequest, start_neo4j: Callable[[str], Neo4jServer]) -> Neo4jServer:
    """Return a running server of each release in turn; what is in it may come from other tests."""
    name: str = request.param
    return start_neo4j(name)

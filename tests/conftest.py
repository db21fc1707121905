"""What every test may rely on: no network, the evaluation corpora where they exist, a disk that is soon full, Neo4j."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

from tests.llm.small_model import CannotServe, SmallModel, small_model
from tests.neo4j.releases import RELEASES
from tests.neo4j.server import Neo4jServer
from tests.neo4j.shared import SharedServers
from tests.processes import process_count, slow_tests

CORPORA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Tell how many processes ``-n auto`` means."""
    return process_count()


@pytest.hookimpl(trylast=True)  # after ``-m`` has left out what is not to run
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where several processes share the tests, let slow modules begin; the others keep their order."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        slow = slow_tests((item.path, [mark.name for mark in item.iter_markers()]) for item in items)
        items.sort(key=lambda item: -slow[item.path])


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


@pytest.fixture(scope="session")
def small_chat_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallModel]:
    """Return a small real language model on loopback; continuous integration must have it and others may lack it."""
    with ExitStack() as stack:
        try:
            running_model = stack.enter_context(small_model(tmp_path_factory.mktemp("llm") / "log.txt"))
        except CannotServe as error:
            if os.environ.get("CI") == "true":
                pytest.fail(str(error))
            pytest.skip(str(error))
        yield running_model


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
def neo4j_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServers]:
    """Return the servers that all tests share; each is started when the first test asks for it."""
    servers = SharedServers(tmp_path_factory.mktemp("neo4j"))
    yield servers
    servers.stop()


@pytest.fixture(params=sorted(RELEASES))
def neo4j_server(request: pytest.FixtureRequest, neo4j_servers: SharedServers) -> Neo4jServer:
    """Return a running server of each release in turn; what is in it may come from other tests."""
    name: str = request.param
    return neo4j_servers.running(name)

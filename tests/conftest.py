"""What every test may rely on: no network, and the evaluation corpora where they exist."""

import os
from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

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

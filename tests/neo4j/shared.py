"""The Neo4j servers that all tests of a session share, one of each release."""

import os
from pathlib import Path

import pytest

from tests.neo4j import control
from tests.neo4j.releases import RELEASES, CannotStart, find_java
from tests.neo4j.server import Neo4jServer, restart_server, start_server


class SharedServers:
    """Starts the server of a release at the first call, and gives the same one to all who ask after that.

    Where it cannot be started the test is skipped. Continuous integration must not skip: there only a release that
    needs a Java which the machine does not have may be missing, as long as another release is tested. With
    BELVEDERE_NEO4J_TESTS=running the servers of ``make neo4j-start`` are used, emptied, and killed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: dict[str, Neo4jServer] = {}
        self._failures: dict[str, str] = {}

    def running(self, name: str) -> Neo4jServer:
        """Return the server of a release; skip or fail the test where there is none."""
        given = self._given(name)
        if given is not None:
            return given
        if name not in self._started and name not in self._failures:
            try:
                self._started[name] = start_server(RELEASES[name], self._folder / name)
            except CannotStart as error:
                self._failures[name] = str(error)
        if name in self._started:
            return self._started[name]
        if os.environ.get("CI") == "true" and (name == "5" or _has_java(name)):
            pytest.fail(self._failures[name])
        pytest.skip(f"the tests with a Neo4j server: {self._failures[name]}")

    def restart(self, name: str) -> Neo4jServer:
        """Start the server of a release, which a test has killed, once more on its data."""
        started = self._started.get(name)
        if started is None:
            return control.restart(name)
        self._started[name] = restart_server(started)
        return self._started[name]

    def stop(self) -> None:
        """Stop what was started."""
        for server in self._started.values():
            server.stop()

    @staticmethod
    def _given(name: str) -> Neo4jServer | None:
        return control.running(name) if os.environ.get("BELVEDERE_NEO4J_TESTS") == "running" else None


def _has_java(name: str) -> bool:
    try:
        find_java(RELEASES[name])
    except CannotStart:
        return False
    return True

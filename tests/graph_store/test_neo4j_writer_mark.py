"""Whether the writer that signed a lease has ended."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from graph_store.neo4j import writer_mark
from graph_store.neo4j.writer_mark import has_ended, own_mark, process_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux names its boot and its namespaces")


def ended_process() -> int:
    done = subprocess.Popen([sys.executable, "-S", "-c", ""])
    done.wait()
    return done.pid


def changed(place: int, to: str) -> str:
    parts = own_mark().split(":")
    parts[place] = to
    return ":".join(parts)


def test_a_process_that_runs_has_not_ended() -> None:
    assert not has_ended(own_mark())
    assert own_mark() != own_mark()
    assert process_of(own_mark()) == f"{socket.gethostname()}:{os.getpid()}"


def test_a_process_that_is_gone_has_ended() -> None:
    assert has_ended(changed(1, str(ended_process())))


def test_another_process_with_its_number_is_not_the_writer() -> None:
    assert has_ended(changed(3, "1"))


@pytest.mark.parametrize("machine", ["0" * 20, ""])
def test_a_process_of_another_machine_or_namespace_is_not_looked_for(machine: str) -> None:
    parts = changed(1, str(ended_process())).split(":")
    parts[2] = machine
    assert not has_ended(":".join(parts))


def test_the_namespace_of_processes_is_part_of_the_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = changed(1, str(ended_process()))
    monkeypatch.setattr(os, "readlink", lambda _: "pid:[1]")
    assert not has_ended(mark)


def test_nothing_is_believed_where_the_system_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = ended_process()
    monkeypatch.setattr(writer_mark, "_BOOT", Path("/nowhere"))
    assert not has_ended(changed(1, str(gone)))


def test_a_mark_of_an_earlier_version_is_not_believed() -> None:
    assert not has_ended(f"{socket.gethostname()}:{ended_process()}:{'0' * 20}")

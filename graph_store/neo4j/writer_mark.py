"""What a writer signs its lease with: enough to tell later, on the same machine, whether it has ended.

A host name and a process id alone do not tell: containers share host names and count their processes each from 1.
"""

import os
import socket
from pathlib import Path

from graph_store.ids import stable_id

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/pid")
_START_FIELD = 19  # of the fields after the name of the program, which may hold blanks


def own_mark() -> str:
    """Return host:process:machine:start:random; the machine is empty where the system does not tell."""
    process = os.getpid()
    return f"{socket.gethostname()}:{process}:{_machine()}:{_started(process)}:{stable_id('', os.urandom(16).hex())}"


def process_of(mark: str) -> str:
    """Return the host and the process of a mark, as users are told."""
    return ":".join(mark.split(":")[:2])


def has_ended(mark: str) -> bool:
    """Tell whether a writer has surely ended: it ran since this machine was started, among the processes seen here."""
    host, process, machine, started, *_ = [*mark.split(":"), *[""] * 4]
    if not machine or machine != _machine() or host != socket.gethostname() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    now = _started(int(process))
    return bool(started and now) and now != started  # another process has got its number


def _machine() -> str:
    """Return what names this start of the machine and the processes that are seen here; empty where it is not told."""
    try:
        return stable_id("", _BOOT.read_text(encoding="ascii").strip(), os.readlink(_NAMESPACE))
    except OSError:
        return ""


def _started(process: int) -> str:
    """Return when a process was started, in ticks since the machine was; empty where it is not told."""
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = told.rpartition(")")[2].split()
    return fields[_START_FIELD] if len(fields) > _START_FIELD else ""

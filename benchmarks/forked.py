"""Children of a warm process: forked, so that what the parent has loaded costs nothing, and heard through a pipe."""

import contextlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Tell: TypeAlias = Callable[[Any], None]
"""Sends one JSON value to the parent; it is on its way when the call returns, whatever becomes of the child."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a child ended: its exit code (the negative number of the signal that killed it), and what it told."""

    code: int
    told: list[Any]
    seconds: float


class Child:
    """A process that runs ``work(tell)``; exit code 0, or 1 with a traceback on stderr where that raised."""

    def __init__(self, work: Callable[[Tell], object]) -> None:
        self._started = time.perf_counter()
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _run(work, writing)
        os.close(writing)
        self._reading = reading

    def kill(self) -> None:
        """Kill it; harmless where it has ended but was not waited for."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> Ended:
        """Wait for its end."""
        with os.fdopen(self._reading, "rb") as file:
            lines = file.read().split(b"\n")
        _, status = os.waitpid(self.pid, 0)
        seconds = time.perf_counter() - self._started
        told = [json.loads(line) for line in lines[:-1]]  # what stands after the last line end was cut off
        return Ended(code=os.waitstatus_to_exitcode(status), told=told, seconds=seconds)


def _run(work: Callable[[Tell], object], descriptor: int) -> None:
    """Run in the child; never returns."""

    def tell(value: object) -> None:
        os.write(descriptor, json.dumps(value).encode() + b"\n")

    code = 0
    try:
        work(tell)
    except BaseException:  # noqa: BLE001  # the end of a process: whatever it is becomes its exit code
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run_whole(work: Callable[[Tell], object]) -> Ended:
    """Run ``work`` in a child to its end. Raises ``ChildProcessError`` where it fails."""
    ended = Child(work).wait()
    if ended.code != 0:
        raise ChildProcessError(f"a child ended with {ended.code}: see above")
    return ended

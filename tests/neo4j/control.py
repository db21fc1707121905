"""Starts and stops a Neo4j server beside the checkout: ``python -m tests.neo4j.control start|stop [5|2026]``.

What programs need to reach it stands in ``.neo4j/env`` (``.neo4j/env-2026``) as lines of a shell.
"""

import json
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from tests.neo4j.releases import RELEASES, CannotStart
from tests.neo4j.server import USER, Neo4jServer, end_process, is_running, restart_server, start_server

_FOLDER = Path(__file__).resolve().parents[2] / ".neo4j"


def start(name: str) -> str:
    """Start a release and return a sentence about it; one that runs already stays as it is."""
    environment, state = _files(name)
    if running(name):
        return f"Neo4j {RELEASES[name].version} runs already: {environment}"
    server = start_server(RELEASES[name], Path(tempfile.mkdtemp(prefix="belvedere-neo4j-")))
    _FOLDER.mkdir(exist_ok=True)
    values = {"URI": server.uri, "USER": USER, "PASSWORD": server.password}
    lines = [f"export BELVEDERE_NEO4J_{key}={shlex.quote(value)}\n" for key, value in values.items()]
    environment.touch(mode=0o600)
    environment.write_text("".join(lines), "utf-8")
    _keep(state, server)
    return f"Neo4j {RELEASES[name].version} answers at {server.uri}; for a shell: . {environment}"


def _keep(state: Path, server: Neo4jServer) -> None:
    state.touch(mode=0o600)
    kept = {"process_id": server.process_id, "folder": str(server.folder), "port": server.port}
    state.write_text(json.dumps({**kept, "password": server.password}), "utf-8")


def restart(name: str) -> Neo4jServer:
    """Start a release that ``start`` started, and that has ended since, once more on its data."""
    _, state = _files(name)
    server = restart_server(_read(name, state))
    _keep(state, server)
    return server


def stop(name: str) -> str:
    """Stop a release that ``start`` started, with its data, and return a sentence about it."""
    environment, state = _files(name)
    if not state.exists():
        return f"no Neo4j {RELEASES[name].version} was started here"
    started = json.loads(state.read_text("utf-8"))
    end_process(started["process_id"])
    shutil.rmtree(started["folder"], ignore_errors=True)
    environment.unlink(missing_ok=True)
    state.unlink()
    return f"Neo4j {RELEASES[name].version} is stopped, its data removed"


def running(name: str) -> Neo4jServer | None:
    """Return the server of a release that ``start`` started, None where it does not run."""
    _, state = _files(name)
    if not state.exists():
        return None
    server = _read(name, state)
    return server if is_running(server.process_id) else None


def _read(name: str, state: Path) -> Neo4jServer:
    kept = json.loads(state.read_text("utf-8"))
    return Neo4jServer(release=RELEASES[name], **{**kept, "folder": Path(kept["folder"])})


def _files(name: str) -> tuple[Path, Path]:
    ending = "" if name == "5" else f"-{name}"
    return _FOLDER / f"env{ending}", _FOLDER / f"state{ending}.json"


def main(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    command, name = (*arguments, "5")[:2]
    commands = {"start": start, "stop": stop}
    if command not in commands or name not in RELEASES:
        sys.stderr.write(f"usage: start|stop [{'|'.join(RELEASES)}]\n")
        return 2
    try:
        sys.stdout.write(f"{commands[command](name)}\n")
    except CannotStart as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A real Neo4j server on loopback, with a free port, a password of its own and its data in one folder."""

import os
import secrets
import shutil
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, ClientError, DriverError

from tests.neo4j.certificate import CERTIFICATE, make_certificate
from tests.neo4j.releases import CannotStart, Release, fetch_jars, find_java

USER = "neo4j"
_FIRST_PASSWORD = "neo4j"  # every server starts with it and lets nobody do anything before it is changed
_READY_SECONDS = 90.0
_STOP_SECONDS = 30.0

# A server that is started by its main class gets these from nobody else; without them a vector index never completes.
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")

# A server of tests lives for minutes: what a full compiler would gain is never earned back, nor what plans made anew
# for every new handful of records would.
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

_CONFIGURATION = """\
server.directories.data={folder}/data
server.directories.logs={folder}/logs
server.directories.run={folder}/run
server.directories.plugins={folder}/plugins
server.directories.import={folder}/import
server.directories.transaction.logs.root={folder}/transactions
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size=64m
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
db.tx_log.rotation.retention_policy=false
dbms.cypher.min_replan_interval=1h
server.bolt.tls_level=OPTIONAL
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory={folder}/certificates
dbms.ssl.policy.bolt.private_key=private.key
dbms.ssl.policy.bolt.public_certificate=public.crt
dbms.ssl.policy.bolt.client_auth=NONE
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neo4jServer:
    """A server that was started: where it answers, who may ask, its process and its folder."""

    release: Release
    folder: Path
    port: int
    password: str
    process_id: int

    @property
    def uri(self) -> str:
        """The address for drivers."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def certificate(self) -> Path:
        """What the server shows to clients that want TLS, which it leaves to them."""
        return self.folder / "certificates" / CERTIFICATE

    def stop(self) -> None:
        """End the server in order and remove its folder."""
        end_process(self.process_id)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        """End the server at once, as a crash would; its folder stays."""
        end_process(self.process_id, signal.SIGKILL)


def start_server(release: Release, folder: Path) -> Neo4jServer:
    """Start a server with its data in the empty folder ``folder`` and wait until it answers; raises ``CannotStart``."""
    port = _free_port()
    make_certificate(folder / "certificates")
    started = Neo4jServer(
        release=release,
        folder=folder,
        port=port,
        password=secrets.token_hex(16),
        process_id=_run(release, folder, port),
    )
    try:
        _wait_for(started, _FIRST_PASSWORD)
        _change_password(started)
    except BaseException:
        end_process(started.process_id, signal.SIGKILL)
        raise
    return started


def restart_server(server: Neo4jServer) -> Neo4jServer:
    """Start a server that has ended once more on its folder and its port."""
    again = Neo4jServer(
        release=server.release,
        folder=server.folder,
        port=server.port,
        password=server.password,
        process_id=_run(server.release, server.folder, server.port),
    )
    _wait_for(again, again.password)
    return again


def _run(release: Release, folder: Path, port: int) -> int:
    java, jars = find_java(release), fetch_jars(release)
    (folder / "conf").mkdir(parents=True, exist_ok=True)
    (folder / "conf" / "neo4j.conf").write_text(_CONFIGURATION.format(folder=folder, port=port), encoding="utf-8")
    command = [java, "-Xms256m", "-Xmx512m", *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED)]
    command += [
        *_SHORT_LIVED,
        "--enable-native-access=ALL-UNNAMED",
        "-Dlog4j2.disable.jmx=true",
        "-XX:+ExitOnOutOfMemoryError",
    ]
    command += [*release.java_options, "-cp", f"{jars}/*", release.main_class]
    command += [f"--home-dir={folder}", f"--config-dir={folder}/conf", "--console-mode"]
    log = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    outputs = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(folder / "console.log"), log, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    # Not by subprocess: a server may outlive whoever started it, and in a session of its own no Ctrl-C reaches it.
    return os.posix_spawn(java, [str(part) for part in command], os.environ, file_actions=outputs, setsid=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for(server: Neo4jServer, password: str) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    with GraphDatabase.driver(server.uri, auth=(USER, password)) as driver:
        while True:
            try:
                driver.verify_connectivity()
            except (DriverError, AuthError, ClientError) as error:
                if isinstance(error, ClientError) and "CredentialsExpired" in (error.code or ""):
                    return  # it answers, and wants another password
                if time.monotonic() > deadline or not is_running(server.process_id):
                    log = (server.folder / "console.log").read_text("utf-8", "replace")
                    raise CannotStart(
                        f"Neo4j {server.release.version} does not answer: {error}; {log[-800:]}"
                    ) from error
                time.sleep(0.3)
            else:
                return


def _change_password(server: Neo4jServer) -> None:
    with GraphDatabase.driver(server.uri, auth=(USER, _FIRST_PASSWORD)) as driver:
        driver.execute_query(
            "ALTER CURRENT USER SET PASSWORD FROM $old TO $new",
            {"old": _FIRST_PASSWORD, "new": server.password},
            database_="system",
        )


def is_running(process_id: int) -> bool:
    """Tell whether a process is there and is no zombie of ours."""
    try:
        if os.waitpid(process_id, os.WNOHANG) != (0, 0):
            return False
    except ChildProcessError:
        pass  # started by another process
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def end_process(process_id: int, how: signal.Signals = signal.SIGTERM) -> None:
    """End a process and wait until it is gone; one that does not stop in time is killed."""
    deadline = time.monotonic() + _STOP_SECONDS
    while is_running(process_id):
        with suppress(ProcessLookupError):  # it may have ended just now
            os.kill(process_id, how if time.monotonic() < deadline else signal.SIGKILL)
        time.sleep(0.1)

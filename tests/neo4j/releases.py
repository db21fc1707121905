"""The releases of Neo4j that are tested: their jars, the Java they run on, and how they are started."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_POM = Path(__file__).with_name("pom.xml")
_ATTEMPTS = 5
_PAUSE_SECONDS = 15.0  # Maven Central turns away who asks for too much at once


class CannotStart(Exception):
    """A server cannot be started here; the message says what to install or to look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release: its version, the majors of Java that run it, best first, its main class and what that needs."""

    version: str
    java: tuple[int, ...]
    main_class: str
    java_options: tuple[str, ...] = ()


# Read once: a test whose own caches lie elsewhere may start a server, which must find its jars and keep them.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "belvedere" / "neo4j"

RELEASES = {
    "5": Release(version="5.26.31", java=(17, 21), main_class="org.neo4j.server.CommunityEntryPoint"),
    "2026": Release(
        version="2026.09.0",
        java=(25, 21),
        main_class="org.neo4j.server.Neo4jCommunity",
        java_options=("--add-modules=jdk.incubator.vector",),
    ),
}


def find_java(release: Release) -> Path:
    """Return a ``java`` that runs the release; raises ``CannotStart``."""
    found = {_java_major(path): path for path in _javas()}
    for major in release.java:
        if major in found:
            return found[major]
    wanted = " or ".join(str(major) for major in release.java)
    raise CannotStart(
        f"Neo4j {release.version} needs Java {wanted}, which is not here: install a JDK (JAVA_HOME names one)"
    )


def _javas() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"))


def _java_major(java: Path) -> int:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        return 0
    version = re.search(r'version "(\d+)', told)
    return int(version[1]) if version else 0


def fetch_jars(release: Release) -> Path:
    """Return the folder of the release's jars, fetched by Maven where they are not there; raises ``CannotStart``."""
    folder = _CACHE / release.version
    if folder.is_dir():
        return folder
    if shutil.which("mvn") is None:
        raise CannotStart(f"Neo4j {release.version} is fetched by Maven, which is not here: install maven")
    unfinished = _CACHE / f"{release.version}.{os.getpid()}"
    try:
        _copy_dependencies(release, unfinished)
        unfinished.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _copy_dependencies(release: Release, folder: Path) -> None:
    command = ["mvn", "-q", "-B", "-f", str(_POM), f"-Dneo4j.version={release.version}", "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
    raise CannotStart(f"Maven could not fetch Neo4j {release.version}: {(done.stdout + done.stderr)[-500:]}")

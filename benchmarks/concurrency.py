"""One writer and many readers, in threads and in processes, for some time: no error, and only whole generations.

    python -m benchmarks.concurrency [--seconds N] [--readers N] [--seed N]

The writer replaces all documents in one commit and publishes a generation of them, over and over, deletes some, and now
and then closes and opens the store. Each state bears a number, which every text of it holds. Half of the readers are
threads of one process, half are processes. A reader that finds two numbers in one answer has seen a mixture; it also
fails where any call raises, where a search lacks a record, or where numbers run backwards. Ends with 1 in that case.
"""

import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.concurrency_world import DOCUMENTS, EVERYBODY, TENANT, open_writer, read_settings, state_of, vector
from benchmarks.forked import Child, Tell
from graph_store.embedded.embedded_store import EmbeddedStore

_NUMBER = re.compile(r"state(\d+)")
_MEMORY = Path("/dev/shm")
_ALL = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How many commits were made and reads done, what went wrong, and how long the slowest read took."""

    commits: int
    reads: int
    failures: tuple[str, ...]
    slowest_ms: float


@click.command(help=__doc__)
@click.option("--seconds", default=60.0, show_default=True, help="How long.")
@click.option("--readers", default=8, show_default=True, help="Number of readers, half of them threads.")
def main(seconds: float, readers: int) -> None:
    """Run and print what became of it."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as scratch:
        outcome = run(Path(scratch) / "store", seconds=seconds, readers=readers)
    print(
        f"{seconds:.0f} s, 1 writer, {readers} readers: {outcome.commits} commits, {outcome.reads} reads,"
        f" slowest {outcome.slowest_ms:.0f} ms, {len(outcome.failures)} failures"
    )
    for failure in outcome.failures[:20]:
        print(f"  {failure}")
    sys.exit(bool(outcome.failures))


def run(folder: Path, *, seconds: float, readers: int) -> Outcome:
    """Let one writer and ``readers`` readers work on the store in ``folder`` for some time."""
    with open_writer(folder) as store:
        _write_state(store, 0)
    threads = readers - readers // 2
    children = [Child(lambda tell: _read_in_threads(folder, seconds, threads, tell))] if threads else []
    children += [Child(lambda tell: _read_in_threads(folder, seconds, 1, tell)) for _ in range(readers // 2)]
    children.append(Child(lambda tell: _write(folder, seconds, tell)))
    ended = [child.wait() for child in children]
    told: list[Any] = [item for child in ended for item in child.told]
    failures = [item["failure"] for item in told if "failure" in item]
    failures += [f"a process ended with {child.code}" for child in ended if child.code != 0]
    return Outcome(
        commits=sum(item.get("commits", 0) for item in told),
        reads=sum(item.get("reads", 0) for item in told),
        failures=tuple(failures),
        slowest_ms=max(item.get("slowest", 0.0) for item in told) * 1000,
    )


def _write(folder: Path, seconds: float, tell: Tell) -> None:
    """Write states until the time is over; every fifth is written by a store that was opened anew."""
    end = time.monotonic() + seconds
    number = commits = 0
    while time.monotonic() < end:
        with open_writer(folder) as store:
            for _ in range(5):
                number += 1
                commits += _write_state(store, number)
                if time.monotonic() >= end:
                    break
    tell({"commits": commits})


def _write_state(store: EmbeddedStore, number: int) -> int:
    """Write one state and publish its generation; the documents of an odd state are fewer. Returns the commits."""
    bundles, generation = state_of(number)
    store.write_documents(bundles)
    store.publish(generation)
    if number % 2 == 0:
        return 2
    last = bundles[-1].document.id
    store.delete_documents(TENANT, [last])
    return 3


def _read_in_threads(folder: Path, seconds: float, threads: int, tell: Tell) -> None:
    """Read with ``threads`` threads that share one open store."""
    lock = threading.Lock()

    def tell_one(value: object) -> None:
        with lock:
            tell(value)

    with EmbeddedStore.open(folder, settings=read_settings()) as store:
        readers = [threading.Thread(target=_read, args=(store, seconds, tell_one)) for _ in range(threads)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()


def _read(store: EmbeddedStore, seconds: float, tell: Tell) -> None:
    end = time.monotonic() + seconds
    reads, slowest, latest = 0, 0.0, 0
    while time.monotonic() < end:
        for name, read in _READS.items():
            start = time.monotonic()
            try:
                numbers = read(store)
            except Exception as error:  # noqa: BLE001  # whatever a read raises is what is looked for
                tell({"failure": f"{name} raised {type(error).__name__}: {error}"})
                continue
            slowest = max(slowest, time.monotonic() - start)
            reads += 1
            if len(numbers) > 1:
                tell({"failure": f"{name} saw the states {sorted(numbers)} in one answer"})
            if numbers and max(numbers) < latest:
                tell({"failure": f"{name} saw state {max(numbers)} after {latest}"})
            latest = max([latest, *numbers])
    tell({"reads": reads, "slowest": slowest})


def _numbers(texts: list[str]) -> set[int]:
    return {int(number) for text in texts for number in _NUMBER.findall(text)}


def _documents(store: EmbeddedStore) -> set[int]:
    found = store.list_documents(EVERYBODY)
    assert DOCUMENTS - 1 <= len(found) <= DOCUMENTS, f"{len(found)} documents"
    return _numbers([document.title for document in found])


def _communities(store: EmbeddedStore) -> set[int]:
    return _numbers([sentence.text for item in store.communities(EVERYBODY) for sentence in item.report])


def _tree(store: EmbeddedStore) -> set[int]:
    return _numbers([sentence.text for item in store.tree_nodes(EVERYBODY) for sentence in item.summary])


def _vectors(store: EmbeddedStore) -> set[int]:
    """Look for everything: the hits are complete, and their ids bear the state."""
    hits = store.search_vectors(EVERYBODY, vector(), kind="chunk", k=_ALL)
    assert len(hits) >= DOCUMENTS - 1, f"{len(hits)} hits"
    return _numbers([hit.id for hit in hits])


def _reports(store: EmbeddedStore) -> set[int]:
    return _numbers([hit.id for hit in store.search_vectors(EVERYBODY, vector(), kind="report", k=_ALL)])


def _keywords(store: EmbeddedStore) -> set[int]:
    """Look up a word of every document; the answer may lag behind the newest, and never shows what is gone."""
    return _numbers([hit.id for hit in store.search_keywords(EVERYBODY, "harbour", kind="chunk", k=_ALL)])


def _graph(store: EmbeddedStore) -> set[int]:
    return _numbers(list(store.passage_graph(EVERYBODY).chunk_ids))


_READS: dict[str, Callable[[EmbeddedStore], set[int]]] = {
    "list_documents": _documents,
    "communities": _communities,
    "tree_nodes": _tree,
    "search_vectors of chunks": _vectors,
    "search_vectors of reports": _reports,
    "search_keywords": _keywords,
    "passage_graph": _graph,
}

if __name__ == "__main__":
    main()

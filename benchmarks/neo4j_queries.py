"""Asks a store on a Neo4j server and an embedded one the same questions: times, round trips, agreement, many processes.

    python -m benchmarks.neo4j_queries neo4j://HOST:PORT [DIR] [--limit N] [--seed N] [--processes N] [--seconds N]

DIR holds documents in corpus/ or corpus.jsonl, and questions, as for ``belvedere eval`` (default: examples). Both
stores are filled from it where they are not yet; the database must be empty or hold just that. The questions are asked
of the two in turn, so that both meet the same machine, then of the server once more through a proxy that counts how
often the client waits. Before that several processes ask at once, each of a store that it opens for itself.
"""

import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import click

from belvedere import KnowledgeBase
from belvedere.evaluation.dataset import Dataset, LabelledQuestion, read_dataset
from belvedere.evaluation.machine import describe_machine
from benchmarks.forked import Child, Tell
from benchmarks.waits import CountingProxy
from graph_store.neo4j.address import ServerAddress, parse_address
from graph_store.neo4j.connection import Connection
from graph_store.settings import Neo4jSettings

_BOLT_PORT = 7687
_TOP = 10
_GOLD_TOP = 5


@dataclass(kw_only=True)
class Asked:
    """What asking gave: milliseconds, and the documents and ids of the results, by question."""

    milliseconds: list[float] = field(default_factory=list)
    results: list[list[str]] = field(default_factory=list)
    documents: list[list[str]] = field(default_factory=list)


@click.command(help=__doc__)
@click.argument("address")
@click.argument("folder", default="examples", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=None, type=int, help="How many questions, drawn by the seed; all without it.")
@click.option("--seed", default=0, show_default=True, help="Seed of the sample and of the order of documents.")
@click.option("--processes", default=8, show_default=True, help="Processes that ask at once.")
@click.option("--seconds", default=30.0, show_default=True, help="How long they ask.")
def main(address: str, folder: Path, limit: int | None, seed: int, processes: int, seconds: float) -> None:
    """Run and print."""
    dataset = read_dataset(folder, seed=seed, limit=limit)
    server = parse_address(address)
    with tempfile.TemporaryDirectory() as scratch:
        embedded = str(Path(scratch) / "store")
        _fill(dataset, [embedded, address], Path(scratch))
        _print_head(dataset, server)
        # First, since a process that has loaded a model had better not be forked.
        for name, location in (("embedded", embedded), ("Neo4j", address)):
            _ask_at_once(name, location, [item.text for item in dataset.questions], processes, seconds)
        _compare(dataset.questions, embedded, address)
        _count_waits(dataset.questions, server)


def _fill(dataset: Dataset, locations: Sequence[str], scratch: Path) -> None:
    """Index in a child of its own, so that nothing that cannot be forked is left in this process."""
    corpus = scratch / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in dataset.corpus), encoding="utf-8")

    def index(_: Tell) -> None:
        for location in locations:
            with KnowledgeBase.open(location) as kb:
                kb.index(corpus)
                if (held := kb.status().counts.documents) != len(dataset.corpus):
                    raise ValueError(f"{location} holds {held} documents, not {len(dataset.corpus)}: empty it first")

    if Child(index).wait().code:
        raise click.ClickException("the stores could not be filled: see above")


def _print_head(dataset: Dataset, server: ServerAddress) -> None:
    with closing(Connection(server, Neo4jSettings())) as connection:
        connection.connect()
        (row,) = connection.run_alone(
            "CALL dbms.components() YIELD name, versions WHERE name CONTAINS 'Kernel' RETURN versions[0]"
        )
    print(f"{describe_machine()} · Neo4j {row.value()} on the same machine")
    print(f"{dataset.name}: {len(dataset.corpus)} documents, {len(dataset.questions)} questions, seed {dataset.seed}")


def _compare(questions: Sequence[LabelledQuestion], embedded: str, address: str) -> None:
    asked = {"embedded": Asked(), "Neo4j": Asked()}
    with KnowledgeBase.open(embedded) as first, KnowledgeBase.open(address) as second:
        stores = {"embedded": first, "Neo4j": second}
        for kb in stores.values():
            kb.warm_up()
            kb.ask(questions[0].text)
        for question in questions:
            for name, kb in stores.items():
                start = time.perf_counter()
                answer = kb.ask(question.text, k=_TOP)
                asked[name].milliseconds.append((time.perf_counter() - start) * 1000)
                asked[name].results.append([result.id for result in answer.results[:_TOP]])
                asked[name].documents.append([result.document_id for result in answer.results])
        names = {document.id: document.source_uri for document in first.store.list_documents(first.access)}
    for name, own in asked.items():
        recall = _recall(questions, own.documents, names)
        print(f"{name:<10} {_spread(own.milliseconds, 'ms')}   R@{_GOLD_TOP} of documents {100 * recall:.1f}")
    both = list(zip(asked["embedded"].results, asked["Neo4j"].results, strict=True))
    overlaps = [_overlap(one, other) for one, other in both]
    same = sum(one == other for one, other in both)
    print(f"top {_TOP}: mean overlap {statistics.mean(overlaps):.4f}, least {min(overlaps):.2f}, {same} lists the same")


def _overlap(one: Sequence[str], other: Sequence[str]) -> float:
    return len(set(one) & set(other)) / max(len(set(one)), len(set(other)), 1)


def _recall(
    questions: Sequence[LabelledQuestion], documents: Sequence[Sequence[str]], names: Mapping[str, str]
) -> float:
    """Return the mean share of the gold among the first documents of the questions that have some."""
    shares = []
    for question, found in zip(questions, documents, strict=True):
        first = list(dict.fromkeys(names[item] for item in found if item in names))[:_GOLD_TOP]
        held = [any(uri.endswith(name) for uri in first for name in group) for group in question.gold]
        if held:
            shares.append(sum(held) / len(held))
    return statistics.mean(shares)


def _count_waits(questions: Sequence[LabelledQuestion], server: ServerAddress) -> None:
    waits: defaultdict[str, list[float]] = defaultdict(list)
    parts = urlsplit(server.uri)
    with CountingProxy(parts.hostname or "", parts.port or _BOLT_PORT) as proxy:
        # bolt: a router would hand out the address of the server itself.
        through = f"bolt://127.0.0.1:{proxy.port}/{server.database}"
        with KnowledgeBase.open(through) as kb:
            kb.ask(questions[0].text)
            for question in questions:
                before = proxy.turns
                answer = kb.ask(question.text)
                waits[answer.route].append(proxy.turns - before)
    print(f"round trips per question: {_spread([count for own in waits.values() for count in own])}")
    for route, own in sorted(waits.items()):
        print(f"  {route:<10} {len(own):>4} questions: {_spread(own)}")


def _ask_at_once(name: str, location: str, questions: Sequence[str], processes: int, seconds: float) -> None:
    def ask(tell: Tell, number: int) -> None:
        with KnowledgeBase.open(location) as kb:
            kb.warm_up()
            kb.ask(questions[0])
            milliseconds: list[float] = []
            end = time.monotonic() + seconds
            while (start := time.monotonic()) < end:
                kb.ask(questions[(number + processes * len(milliseconds)) % len(questions)])
                milliseconds.append((time.monotonic() - start) * 1000)
        for value in milliseconds:
            tell(value)

    def started(number: int) -> Child:
        return Child(lambda tell: ask(tell, number))

    children = [started(number) for number in range(processes)]
    ended = [child.wait() for child in children]
    failed = sum(child.code != 0 for child in ended)
    told = [value for child in ended for value in child.told]
    print(
        f"{processes} processes for {seconds:.0f} s, {name:<10} {len(told) / seconds:6.1f} questions/s,"
        f" {_spread(told, 'ms')}, {failed} processes failed"
    )


def _spread(values: Sequence[float], unit: str = "") -> str:
    ordered = sorted(values)
    if not ordered:
        return "none"
    last = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return (
        f"median {statistics.median(ordered):.0f} {unit} p95 {last:.0f} {unit} most {ordered[-1]:.0f} {unit}".rstrip()
    )


if __name__ == "__main__":
    main()

"""Kills runs of index, update, repair, delete, rebuild and migrate at random moments and checks what is left.

    python -m benchmarks.crash [--kills N] [--seed N] [--folder DIR]

Each round copies a small store, runs one of these on it in a forked child, and kills that with SIGKILL: after a
random time, or before a random call of the code that writes (by ``sys.setprofile``: each Python or C function that
runs below a write counts). Then fresh processes check that every acknowledged document is there, that nothing
half-written is seen, that rows, keyword index and vectors agree, and that a further run ends in the same state as one
that was not interrupted. Extraction is spaCy's, embeddings are hashed words: nothing is faked. Ends with 1 where a
check failed.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import click

from benchmarks.crash_checks import Expected, Snapshot, check_after_kill, check_after_run
from benchmarks.crash_world import STORE_SETTINGS, Scenario, scenarios
from benchmarks.forked import Child, Ended, Tell, run_whole
from graph_store.settings import StoreSettings
from indexing.extraction.reading import TextReader
from indexing.extraction.settings import ExtractionSettings

_MEMORY = Path("/dev/shm")
_ENOUGH_FOR_ALL = 50
"""Kills from which each scenario is run with all settings, not with one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A scenario with one kind of settings: where its files lie, what is expected, and how long it takes whole."""

    scenario: Scenario
    settings: StoreSettings
    base: Path
    corpus: Path
    expected: Expected
    seconds: float
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One kill: of which scenario, where, how much had been acknowledged, and what was wrong afterwards."""

    scenario: str
    mode: str
    place: str
    acknowledged: int
    failures: tuple[str, ...]


@click.command(help=__doc__)
@click.option("--kills", default=200, show_default=True, help="Number of kills.")
@click.option("--seed", default=0, show_default=True, help="Seed of moments and scenarios.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where stores are made.  [default: in memory]")
def main(kills: int, seed: int, folder: Path | None) -> None:
    """Run the rounds and print what became of them."""
    place = folder or (_MEMORY if _MEMORY.is_dir() else None)
    with tempfile.TemporaryDirectory(dir=place) as scratch:
        start = time.perf_counter()
        rounds = run_rounds(Path(scratch), kills=kills, seed=seed)
        _print_rounds(rounds, time.perf_counter() - start)
    sys.exit(any(item.failures for item in rounds))


def run_rounds(scratch: Path, *, kills: int, seed: int) -> list[Round]:
    """Kill ``kills`` times, scenarios and settings in turn, and return what became of each."""
    _load_parser()
    cases = [
        make_case(scratch / f"{scenario.name}-{number}", scenario, settings)
        for place, scenario in enumerate(scenarios())
        for number, settings in enumerate(STORE_SETTINGS)
        if kills >= _ENOUGH_FOR_ALL or (place + seed + number) % len(STORE_SETTINGS) == 0
    ]
    rounds: list[Round] = []
    attempt = 0
    while len(rounds) < kills:
        case = cases[attempt % len(cases)]
        drawn = random.Random(f"{seed}/{attempt}")
        found = kill_once(case, scratch / "round", drawn, by_call=drawn.random() < 0.5)
        attempt += 1
        if found is not None:
            rounds.append(found)
            if len(rounds) % 10 == 0:
                print(f"{len(rounds)} kills, {sum(bool(item.failures) for item in rounds)} failed", file=sys.stderr)
    return rounds


def _load_parser() -> None:
    """Load the parser once, for all children; without torch, which spaCy would import and this one does not need."""
    sys.modules.setdefault("torch", None)  # type: ignore[arg-type]  # None is how Python is told that it cannot be had
    list(TextReader(ExtractionSettings()).read([("Anna Lind lives in Bergen.", ())]))


def make_case(folder: Path, scenario: Scenario, settings: StoreSettings) -> Case:
    """Make the store before, and run the scenario once without a kill."""
    base, whole, corpus = folder / "base", folder / "whole", folder / "corpus"
    run_whole(lambda _: scenario.prepare(base, corpus, settings))
    if base.exists():
        shutil.copytree(base, whole)
    ended = run_whole(lambda tell: _count_calls(scenario, (whole, corpus, settings), tell))

    def tell_both(tell: Tell) -> None:
        for place in (base, whole):
            tell(_as_json(Snapshot.of(place, settings)))

    snapshots: list[Any] = run_whole(tell_both).told
    before, after = (Snapshot(**fields) for fields in snapshots)
    return Case(
        scenario=scenario,
        settings=settings,
        base=base,
        corpus=corpus,
        expected=Expected(before=before, after=after),
        seconds=ended.seconds,
        calls=ended.told[-1]["calls"],
    )


def _as_json(snapshot: Snapshot) -> dict[str, object]:
    return {"digest": snapshot.digest, "documents": dict(snapshot.documents), "parts": dict(snapshot.parts)}


def _count_calls(scenario: Scenario, place: tuple[Path, Path, StoreSettings], tell: Tell) -> None:
    counter = _CallCounter(None, tell)
    scenario.run(*place, lambda _: None, counter.watch)
    tell({"calls": counter.calls})


class _CallCounter:
    """Counts calls of functions below what it watches, and kills the process before call number ``last``."""

    def __init__(self, last: int | None, tell: Tell) -> None:
        self.calls = 0
        self._last = last
        self._tell = tell

    def watch(self, work: Callable[[], object]) -> object:
        """Run ``work`` and count what it calls."""
        sys.setprofile(self._hear)
        try:
            return work()
        finally:
            sys.setprofile(None)

    def _hear(self, frame: FrameType, event: str, argument: Any) -> None:  # noqa: ANN401  # as sys.setprofile gives it
        if event not in {"call", "c_call"}:
            return
        self.calls += 1
        if self.calls == self._last:
            name = frame.f_code.co_qualname if event == "call" else f"{frame.f_code.co_qualname} > {argument.__name__}"
            self._tell({"place": name})
            os.kill(os.getpid(), signal.SIGKILL)


def kill_once(case: Case, folder: Path, drawn: random.Random, *, by_call: bool) -> Round | None:
    """Run a scenario, kill it and check; None where it had ended before."""
    shutil.rmtree(folder, ignore_errors=True)
    if case.base.exists():
        shutil.copytree(case.base, folder)
    ended = _killed_by_call(case, folder, drawn) if by_call else _killed_by_time(case, folder, drawn)
    if ended.code != -signal.SIGKILL:
        return None
    places = [item["place"] for item in ended.told if "place" in item]
    told = [item for item in ended.told if "place" not in item]
    return Round(
        scenario=case.scenario.name,
        mode="call" if by_call else "time",
        place=places[0] if places else "",
        acknowledged=len(told),
        failures=tuple(_check(case, folder, told)),
    )


def _killed_by_call(case: Case, folder: Path, drawn: random.Random) -> Ended:
    last = drawn.randint(1, case.calls)
    return Child(
        lambda tell: case.scenario.run(folder, case.corpus, case.settings, tell, _CallCounter(last, tell).watch)
    ).wait()


def _killed_by_time(case: Case, folder: Path, drawn: random.Random) -> Ended:
    child = Child(lambda tell: case.scenario.run(folder, case.corpus, case.settings, tell, lambda work: work()))
    time.sleep(drawn.uniform(0, case.seconds))
    child.kill()
    return child.wait()


def _check(case: Case, folder: Path, told: list[Any]) -> list[str]:
    """Check in a process of its own, run again in another, and check that."""
    failures: list[str] = []
    settings, expected = case.settings, case.expected

    def run_again(_: Tell) -> None:
        case.scenario.run(folder, case.corpus, settings, lambda _: None, lambda work: work())

    def tell_all(tell: Tell) -> None:
        for failure in check_after_run(folder, settings, expected, case.scenario):
            tell(failure)

    def tell_first(tell: Tell) -> None:
        for failure in check_after_kill(folder, settings, expected, told):
            tell(failure)

    for name, work in (("first look", tell_first), ("further run", run_again), ("last look", tell_all)):
        ended = Child(work).wait()
        failures += ended.told
        if ended.code != 0:
            failures.append(f"the {name} ended with {ended.code}")
    return failures


def _print_rounds(rounds: list[Round], seconds: float) -> None:
    for (scenario, mode), count in sorted(Counter((item.scenario, item.mode) for item in rounds).items()):
        print(f"{scenario:<8} killed by {mode}: {count}")
    acknowledged = sum(item.acknowledged for item in rounds)
    places = Counter(item.place.partition(" > ")[0] for item in rounds if item.place)
    print(f"{len(rounds)} kills in {seconds:.0f} s, {acknowledged} acknowledgements before them, {len(places)} places")
    failed = [item for item in rounds if item.failures]
    for item in failed:
        print(f"FAILED {replace(item, failures=())}")
        for failure in item.failures:
            print(f"  {failure}")
    print(f"{len(failed)} rounds failed")


if __name__ == "__main__":
    main()

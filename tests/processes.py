"""Several processes that share the tests, as in ``make test``: how many there are, and which tests begin."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_MOST = 4  # each loads models and starts servers: about 3 GB
_SLOW = frozenset({"neo4j", "llm", "crash"})
"""Markers of tests that take seconds."""


def process_count() -> int:
    """Return how many processes share the tests: one for each core, and one alone where the servers are shared."""
    if os.environ.get("BELVEDERE_NEO4J_TESTS") == "running":
        return 1  # every test empties the one server that there is of a release
    return min(os.cpu_count() or 1, _MOST)


def slow_tests(tests: Iterable[tuple[Path, Iterable[str]]]) -> Counter[Path]:
    """Return how many slow tests each module has, of the module and the markers of every test.

    A module is handed out whole. What takes minutes has to begin, or the other processes wait for it at the end.
    """
    return Counter(module for module, markers in tests if not _SLOW.isdisjoint(markers))

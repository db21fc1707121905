import os
from pathlib import Path

import pytest

from tests.processes import process_count, slow_tests

STORE, LONE, QUICK = Path("test_store.py"), Path("test_lone.py"), Path("test_quick.py")


def test_each_core_has_a_process_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BELVEDERE_NEO4J_TESTS", raising=False)
    counts = []
    for cores in (1, 2, 64, None):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        counts.append(process_count())
    assert counts == [1, 2, 4, 1]


def test_a_server_that_was_there_before_has_one_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setenv("BELVEDERE_NEO4J_TESTS", "running")
    assert process_count() == 1


def test_the_slow_tests_of_each_module_are_counted() -> None:
    tests = [(QUICK, ["model"]), (STORE, ["neo4j", "crash"]), (LONE, ["llm"]), (STORE, ["neo4j"]), (STORE, [])]
    assert slow_tests(tests) == {STORE: 2, LONE: 1}


def test_slow_modules_are_handed_out_first(request: pytest.FixtureRequest) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("this run has one process alone")
    items = request.session.items
    counts = slow_tests((item.path, [mark.name for mark in item.iter_markers()]) for item in items)
    begun = [counts[item.path] for item in items]
    assert begun == sorted(begun, reverse=True)

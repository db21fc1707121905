"""A small store, made once without an embedding model, and the command line over it."""

import shutil
from pathlib import Path

import pytest

from belvedere.cli.main import run
from tests.belvedere.small_store import Belvedere, Outcome, Place, make_place


@pytest.fixture(scope="session")
def indexed_place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a place whose store is made; tests only read it. Needs the parser, so its users are marked ``model``."""
    place = make_place(tmp_path_factory.mktemp("belvedere"))
    assert run(["index", str(place.corpus), *place.options]) == 0
    return place


@pytest.fixture
def own_place(indexed_place: Place, tmp_path: Path) -> Place:
    """Return a copy that a test may change."""
    shutil.copytree(indexed_place.folder, tmp_path / "place")
    return Place(folder=tmp_path / "place")


@pytest.fixture
def belvedere(capfd: pytest.CaptureFixture[str]) -> Belvedere:
    """Return a function that runs one command in this process."""

    def run_command(*arguments: str | Path) -> Outcome:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(code=code, out=out, err=err)

    return run_command

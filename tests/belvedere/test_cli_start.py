"""Starting is quick because nothing heavy is imported before it is needed."""

import subprocess
import sys

import pytest

from tests.belvedere.small_store import Place

MODELS = ("torch", "transformers", "sentence_transformers", "spacy", "sklearn", "thinc")
HEAVY = (*MODELS, "numpy", "scipy", "networkx", "rich", "yaml", "tantivy", "trafilatura", "pdfplumber", "ir_measures")


def imported_after(*arguments: str) -> set[str]:
    """Return the heavy modules that are in memory once a command has run."""
    program = (
        "import sys; from belvedere.cli.main import run; code = run(sys.argv[1:]);"
        f"sys.stderr.write(repr((code, [name for name in {HEAVY!r} if name in sys.modules])))"
    )
    command = [sys.executable, "-c", program, *arguments]
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    code, names = eval(finished.stderr)  # written by the line above
    assert code == 0
    return set(names)


@pytest.mark.parametrize("arguments", [("--help",), ("index", "--help"), ("eval", "--help"), ("--version",)])
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert imported_after(*arguments) == set()


def test_the_package_itself_imports_nothing() -> None:
    program = (
        "import sys; import belvedere; sys.exit('belvedere.knowledge_base' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.model
@pytest.mark.parametrize("command", [("status",), ("communities",), ("tree",), ("graph", "Anna Lind")])
def test_looking_around_loads_no_model(indexed_place: Place, command: tuple[str, ...]) -> None:
    assert imported_after(*command, *indexed_place.options).isdisjoint(MODELS)

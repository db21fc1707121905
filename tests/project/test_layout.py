"""The rules of CONTRIBUTING.md that a program can check."""

import ast
import re
import statistics
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import belvedere

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("belvedere", "graph_store", "indexing", "model_clients", "query", "raptor")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST_FUNCTION, LONGEST_MODULE, MOST_PARAMETERS, DEEPEST_NESTING = 80, 400, 6, 3
NAMES = [path.relative_to(ROOT).as_posix() for path in MODULES]

# A host of a package registry, or a path of one machine: neither belongs in a file of the project.
HOSTS = re.compile(r"pypi\.org|pythonhosted|files\.python|crates\.io|npmjs|proxy\.golang|maven\.org|debian\.org")
MACHINE_PATHS = re.compile(r"(?<![\w.$~}])/(?:home|Users|root|work|opt)/\w")


def tracked_files() -> list[Path]:
    """Return the text files that belong to the project, as git knows them."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def function_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def nesting(node: ast.AST) -> int:
    """Return how deep blocks stand within each other below ``node``, not counting `with` and inner functions."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        is_block = isinstance(child, ast.If | ast.For | ast.While | ast.Try | ast.Match)
        chained = is_block and isinstance(node, ast.If) and child in node.orelse and len(node.orelse) == 1
        deepest = max(deepest, nesting(child) + int(is_block and not chained))
    return deepest


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_imports_run_downwards_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (item for item in project["tool"]["importlinter"]["contracts"] if item["type"] == "layers")
    assert contract["layers"] == ["belvedere", "indexing | query", "raptor", "graph_store | model_clients"]
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--no-logo"]
    finished = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_no_other_distribution_ships_our_names() -> None:
    owners = packages_distributions()
    assert {package: set(owners.get(package, ())) for package in PACKAGES} == {
        package: {"belvedere"} for package in PACKAGES
    }


def test_public_names_exist_and_are_all_there_is() -> None:
    assert belvedere.__all__ == ["KnowledgeBase", "Settings", "__version__"]
    assert dir(belvedere) == sorted(belvedere.__all__)
    for name in belvedere.__all__:
        assert getattr(belvedere, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Knowledgebase'"):
        _ = belvedere.Knowledgebase


def test_the_version_is_written_alike_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == belvedere.__version__
    assert f"## {belvedere.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_size_of_modules_and_functions(name: str) -> None:
    path = ROOT / name
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE
    for function in functions(path):
        assert function_lines(function) <= LONGEST_FUNCTION, function.name
        assert nesting(function) <= DEEPEST_NESTING, f"{function.name} nests {nesting(function)} deep"
        parameters = [argument for argument in positional(function) if argument not in {"self", "cls"}]
        assert len(parameters) + len(function.args.kwonlyargs) <= MOST_PARAMETERS, function.name


def positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


def test_functions_are_short_at_the_median() -> None:
    lines = sorted(function_lines(function) for path in MODULES for function in functions(path))
    assert statistics.median(lines) <= 15


def test_nesting_is_counted_right() -> None:
    source = "def f():\n if a:\n  for b in c:\n   x\n elif d:\n  y\n elif e:\n  for g in h:\n   z\n"
    assert nesting(ast.parse(source).body[0]) == 2


def test_no_drawer_for_everything() -> None:
    drawers = {"utils", "util", "helpers", "common", "misc"}
    assert [name for name in NAMES if Path(name).stem.strip("_") in drawers] == []


def test_a_package_is_never_imported_by_its_bare_name() -> None:
    bare = re.compile(rf"^\s*import ({'|'.join(PACKAGES)})\s*$", re.MULTILINE)
    assert [name for name in NAMES if bare.search((ROOT / name).read_text(encoding="utf-8"))] == []


def test_no_registry_hosts_and_no_paths_of_one_machine() -> None:
    found = []
    for path in tracked_files():
        if path == Path(__file__) or path.suffix in {".json", ".pdf", ".docx"}:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in HOSTS.finditer(text)]
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in MACHINE_PATHS.finditer(text)]
    assert found == []


def test_every_pin_is_installed_as_pinned() -> None:
    pins = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert ("torch", "2.13.0") in pins
    wrong = []
    for name, wanted in pins:
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue  # an extra that this machine could not build, or a package of another platform
        if installed.partition("+")[0] != wanted:
            wrong.append(f"{name} {installed}, pinned {wanted}")
    assert wrong == []


def test_every_direct_dependency_is_pinned_and_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [name for group in project["optional-dependencies"].values() for name in group]
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().replace("_", "-")
    explained = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    for requirement in (*project["dependencies"], *extras):
        name = re.split(r"[=<>~]", requirement)[0].lower().replace("_", "-")
        assert re.search(rf"^{re.escape(name)}==", pinned, re.MULTILINE), f"{name} is not pinned"
        assert f"`{name}`" in explained, f"docs/dependencies.md does not explain {name}"


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("install", "demo", "test", "lint", "format", "types", "floors", "check", "clean"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    assert re.search(r"^check: lint types floors test$", makefile, re.MULTILINE)
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().endswith("make check")


def test_what_is_installed_fits_together() -> None:
    """The same as ``pip check``, which an environment made by uv lacks."""
    wrong: list[str] = []
    seen: set[str] = set()
    waiting = ["belvedere"]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for text in distribution(name).requires or ():
            requirement = Requirement(text)
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                continue
            waiting.append(requirement.name)
            installed = version(requirement.name)
            if not requirement.specifier.contains(installed, prereleases=True):
                wrong.append(f"{name} wants {requirement}, installed is {installed}")
    assert wrong == []
    assert len(seen) > 50

"""Whether the installed packages are the ones that results depend on, and whether ours are ours."""

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

from graph_store.findings import Finding

_OURS = ("belvedere", "graph_store", "indexing", "model_clients", "query", "raptor")
_DISTRIBUTION = "belvedere"


def examine_installation() -> tuple[Finding, ...]:
    """Look over the installed packages; imports none of them."""
    return (*examine_versions(required_packages()), *examine_names(packages_distributions(), package_folders()))


def required_packages() -> tuple[str, ...]:
    """Return the requirements of this version: those of the checkout it runs from, else of the installed package."""
    project_file = Path(__file__).resolve().parents[1] / "pyproject.toml"
    try:
        project = tomllib.loads(project_file.read_text(encoding="utf-8"))["project"]
        if project["name"] == _DISTRIBUTION:
            return (*project["dependencies"], *(f'{name}; extra == "ann"' for name in _optional(project)))
    except (OSError, ValueError, KeyError):
        pass  # no checkout: the installed package tells
    try:
        return tuple(requires(_DISTRIBUTION) or ())
    except PackageNotFoundError:
        return ()


def _optional(project: Mapping[str, Mapping[str, Sequence[str]]]) -> Sequence[str]:
    return project.get("optional-dependencies", {}).get("ann", ())


def examine_versions(requirements: Iterable[str]) -> Iterator[Finding]:
    """Yield a problem for each package that is missing or of a version that is not wanted.

    A package that only an extra wants may be missing; where it is there, its version counts. Those of the extra ``dev``
    have no part in results.
    """
    wrong = 0
    looked_at = 0
    for text in requirements:
        requirement = Requirement(text)
        if _is_for_developers(requirement):
            continue
        looked_at += 1
        says = _fault(requirement)
        if says:
            wrong += 1
            wanted = f"{requirement.name}{requirement.specifier}"
            remedy = f"run: pip install {wanted!r}; then index into a new folder if documents were indexed without it"
            yield Finding(check="packages", level="problem", says=says, remedy=remedy)
    if not looked_at:
        says = "this installation does not say which packages it needs"
        yield Finding(check="packages", level="note", says=says, remedy="install belvedere with pip, or run a checkout")
    elif not wrong:
        yield Finding(check="packages", level="fine", says=f"{looked_at} packages are of the versions that are wanted")


def _is_for_developers(requirement: Requirement) -> bool:
    """Tell whether a requirement holds neither for everybody nor for those who have the extra ``ann``."""
    marker = requirement.marker
    return marker is not None and not any(marker.evaluate({"extra": extra}) for extra in ("", "ann"))


def _fault(requirement: Requirement) -> str:
    """Return what is wrong with an installed package, empty where nothing is."""
    is_optional = requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return "" if is_optional else f"the package {requirement.name} is not installed"
    if requirement.specifier.contains(installed, prereleases=True):
        return ""
    return f"the package {requirement.name} has version {installed}, wanted is {requirement.specifier}"


def package_folders() -> dict[str, Path | None]:
    """Return where each of our packages would be imported from; None where it cannot be found."""
    found = {}
    for name in _OURS:
        loaded = sys.modules.get(name)
        spec = loaded.__spec__ if loaded is not None else find_spec(name)
        found[name] = Path(spec.origin).resolve().parent if spec is not None and spec.origin else None
    return found


def examine_names(owners: Mapping[str, Sequence[str]], folders: Mapping[str, Path | None]) -> Iterator[Finding]:
    """Yield a problem for each of our packages that another distribution ships, or that is found elsewhere than ours.

    ``owners`` are the distributions that ship each package, ``folders`` where each would be imported from.
    """
    home = Path(__file__).resolve().parents[1]
    wrong = 0
    for name in _OURS:
        strangers = sorted(set(owners.get(name, ())) - {_DISTRIBUTION})
        for stranger in strangers:
            wrong += 1
            yield Finding(
                check="names",
                level="problem",
                says=f"the package {stranger} ships files under our name {name!r}",
                remedy=f"run: pip uninstall {stranger}; then install belvedere again",
            )
        place = folders.get(name)
        if place is None or place.parent != home:
            wrong += 1
            where = "is not found" if place is None else f"is imported from {str(place)!r}"
            remedy = f"it belongs into {str(home)!r}: rename or remove the other one, or install belvedere again"
            yield Finding(check="names", level="problem", says=f"our package {name!r} {where}", remedy=remedy)
    if not wrong:
        yield Finding(check="names", level="fine", says="no other package bears one of our names")

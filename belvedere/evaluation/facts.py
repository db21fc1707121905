"""What a run was made with: enough to make it again, and to see why two runs differ."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from belvedere import __version__
from belvedere.settings import Settings

_PACKAGES = (
    "numpy",
    "scipy",
    "torch",
    "sentence-transformers",
    "spacy",
    "tantivy",
    "graspologic-native",
    "ir-measures",
)


def package_versions() -> dict[str, str]:
    """Return the versions of Belvedere and of the packages that figures depend on."""
    return {"belvedere": __version__, **{name: version(name) for name in _PACKAGES}}


def changed_settings(settings: Settings) -> dict[str, object]:
    """Return the settings that differ from their defaults, by their full names (``query.local.candidates``)."""
    return dict(_changed("", asdict(settings), asdict(Settings())))


def _changed(prefix: str, given: Mapping[str, Any], default: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name, value in given.items():
        if isinstance(value, dict) and isinstance(default.get(name), dict):
            yield from _changed(f"{prefix}{name}.", value, default[name])
        elif value != default.get(name):
            yield f"{prefix}{name}", value

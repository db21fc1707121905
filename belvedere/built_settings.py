"""The settings that a tenant's documents were last indexed with, kept in a file beside the store."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from belvedere.settings import Settings
from model_clients.settings import EmbedderSettings

_FILE = "built-with.json"
_SECTIONS = ("store", "embedder", "indexing")
"""What questions are asked with is no part of a store."""


def record_settings(folder: Path, tenant: str, settings: Settings) -> None:
    """Write down what ``tenant`` was indexed with; the store in ``folder`` must be locked for writing."""
    content = {**_read(folder), tenant: dict(_flat("", _sections(settings)))}
    _write(folder, content)


def record_embedder(folder: Path, embedder: EmbedderSettings) -> None:
    """Write down for every tenant that its vectors are of this embedder now; locking as for ``record_settings``."""
    now = dict(_flat("embedder.", asdict(embedder)))
    _write(folder, {tenant: {**then, **now} for tenant, then in _read(folder).items() if isinstance(then, dict)})


def changed_since(folder: Path, tenant: str, settings: Settings) -> dict[str, tuple[object, object]]:
    """Return the settings that differ from those of the last run: name -> (then, now).

    Nothing where none is known, or where the file is damaged; settings that another version has alone are left out.
    """
    then = _read(folder).get(tenant)
    if not isinstance(then, dict):
        return {}
    now = dict(_flat("", _sections(settings)))
    return {name: (then[name], value) for name, value in now.items() if name in then and then[name] != value}


def _read(folder: Path) -> dict[str, Any]:
    try:
        content = json.loads((folder / _FILE).read_text(encoding="ascii"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(folder: Path, content: Mapping[str, object]) -> None:
    made = folder / f".{_FILE}.{os.getpid()}"
    made.write_text(json.dumps(content, sort_keys=True), encoding="ascii")
    made.replace(folder / _FILE)


def _sections(settings: Settings) -> dict[str, Any]:
    """Return the sections as JSON has them: a path as text, a tuple as a list."""
    whole = asdict(settings)
    kept: dict[str, Any] = json.loads(json.dumps({name: whole[name] for name in _SECTIONS}, default=str))
    return kept


def _flat(prefix: str, given: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name, value in given.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{name}.", value)
        else:
            yield f"{prefix}{name}", value

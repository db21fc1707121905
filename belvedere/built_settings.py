"""The settings that a tenant's documents were last indexed with, kept as notes beside the store."""

import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from belvedere.settings import Settings
from model_clients.settings import EmbedderSettings

_log = logging.getLogger(__name__)

_FILE = "built-with.json"
_SECTIONS = ("store", "embedder", "indexing")
"""What questions are asked with is no part of a store."""


_ELSEWHERE = {"store": ("location",)}
"""What tells where a store is and not how it was made."""


class Notes(Protocol):
    """A text kept beside a store."""

    def read_notes(self) -> str | None:
        """Return the text, None where there is none."""
        ...

    def write_notes(self, text: str) -> None:
        """Replace the text; the store must be locked for writing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderNotes:
    """Notes in a file in the folder of a store."""

    folder: Path

    def read_notes(self) -> str | None:
        """Return the text, None where there is none that can be read."""
        try:
            return (self.folder / _FILE).read_text(encoding="ascii")
        except (OSError, ValueError):
            return None

    def write_notes(self, text: str) -> None:
        """Replace the text at once; where that cannot be (a full disk) the old one stays.

        Notes come after what they tell of, which is acknowledged, whatever becomes of them.
        """
        made = self.folder / f".{_FILE}.{os.getpid()}"
        try:
            made.write_text(text, encoding="ascii")
            made.replace(self.folder / _FILE)
        except OSError as error:
            _log.warning("the settings of the run could not be noted in %s: %s", self.folder, error)
            with suppress(OSError):
                made.unlink()


def record_settings(notes: Notes, tenant: str, settings: Settings) -> None:
    """Write down what ``tenant`` was indexed with; the store must be locked for writing."""
    _write(notes, {**_read(notes), tenant: dict(_flat("", _sections(settings)))})


def record_embedder(notes: Notes, embedder: EmbedderSettings) -> None:
    """Write down for every tenant that its vectors are of this embedder now; locking as for ``record_settings``."""
    now = dict(_flat("embedder.", asdict(embedder)))
    _write(notes, {tenant: {**then, **now} for tenant, then in _read(notes).items() if isinstance(then, dict)})


def settings_of(notes: Notes, tenant: str) -> Mapping[str, object]:
    """Return what ``tenant`` was indexed with, by name; nothing where it is not known."""
    known = _read(notes).get(tenant)
    return known if isinstance(known, dict) else {}


def carry_over(origin: Notes, copy: Notes, tenants: Iterable[str]) -> None:
    """Write down for some tenants what they were indexed with elsewhere; locking as for ``record_settings``."""
    known = {tenant: settings_of(origin, tenant) for tenant in tenants}
    _write(copy, {**_read(copy), **{tenant: settings for tenant, settings in known.items() if settings}})


def changed_since(notes: Notes, tenant: str, settings: Settings) -> dict[str, tuple[object, object]]:
    """Return the settings that differ from those of the last run: name -> (then, now).

    Nothing where none is known, or where the notes are damaged; settings that another version has alone are left out.
    """
    then = _read(notes).get(tenant)
    if not isinstance(then, dict):
        return {}
    now = dict(_flat("", _sections(settings)))
    return {name: (then[name], value) for name, value in now.items() if name in then and then[name] != value}


def _read(notes: Notes) -> dict[str, Any]:
    text = notes.read_notes()
    try:
        content = {} if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(notes: Notes, content: Mapping[str, object]) -> None:
    notes.write_notes(json.dumps(content, sort_keys=True))


def _sections(settings: Settings) -> dict[str, Any]:
    """Return the sections as JSON has them: a path as text, a tuple as a list."""
    whole = asdict(settings)
    for section, names in _ELSEWHERE.items():
        for name in names:
            del whole[section][name]
    kept: dict[str, Any] = json.loads(json.dumps({name: whole[name] for name in _SECTIONS}, default=str))
    return kept


def _flat(prefix: str, given: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name, value in given.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{name}.", value)
        else:
            yield f"{prefix}{name}", value

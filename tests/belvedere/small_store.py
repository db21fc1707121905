"""A small corpus, and what one command left behind."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARTICLES = {
    "lighthouse.md": (
        "# Lighthouse of Norby\n\nThe lighthouse of Norby was built by Anna Lind in 1871. "
        "It stands on the island of Hven.\n\n"
        "## Lamp\n\nThe lamp burnt oil until 1923. Anna Lind designed its lens in Copenhagen.\n"
    ),
    "anna-lind.md": (
        "# Anna Lind\n\nAnna Lind was an engineer from Copenhagen. "
        "She was born in 1840 and founded the Northern Lens Company.\n\n"
        "## Later life\n\nIn 1890 Anna Lind moved to Bergen, where she taught at the School of Navigation.\n"
    ),
    "lens-company.md": (
        "# Northern Lens Company\n\nThe Northern Lens Company made lenses for ships and lighthouses.\n\n"
        "| Year | Lenses |\n|---|---|\n| 1880 | 12 |\n| 1890 | 40 |\n\nThe company was sold to Erik Holm in 1902.\n"
    ),
}
CONFIG = 'embedder: {model: "hashing:64"}\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        """Return the one JSON object that was printed."""
        assert self.out.count("\n") == 1, self.out
        content = json.loads(self.out)
        assert isinstance(content, dict)
        return content


Belvedere = Callable[..., Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder with a corpus, a settings file and a store."""

    folder: Path

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def corpus(self) -> Path:
        return self.folder / "corpus"

    @property
    def config(self) -> Path:
        return self.folder / "settings.yaml"

    @property
    def options(self) -> tuple[str, ...]:
        return ("--store", str(self.store), "--config", str(self.config))


def make_place(folder: Path, articles: Mapping[str, str] = ARTICLES) -> Place:
    """Write the corpus and the settings, but no store."""
    place = Place(folder=folder)
    place.corpus.mkdir(parents=True)
    for name, text in articles.items():
        (place.corpus / name).write_text(text, encoding="utf-8")
    place.config.write_text(CONFIG, encoding="utf-8")
    return place

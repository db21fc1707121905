"""The options of ``belvedere ranker train``, handed to it as one record."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from belvedere.cli.options import CONFIG, JSON, Command, GivenPath, with_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """What else is learnt from, where the weights go, and where indexes are kept."""

    gate: tuple[Path, ...]
    texts: tuple[Path, ...]
    out: Path
    seed: int
    cache: Path | None
    config: Path | None
    as_json: bool


_FOLDER = GivenPath(file_okay=False)

_OPTIONS: tuple[Callable[[Command], Command], ...] = (
    click.option(
        "--gate",
        multiple=True,
        metavar="DIR",
        type=_FOLDER,
        help="Data set of other questions, for which chains must not get in the way. May be repeated.",
    ),
    click.option(
        "--texts",
        multiple=True,
        metavar="DIR",
        type=_FOLDER,
        help="Corpus without questions; questions are made from its sentences. May be repeated.",
    ),
    click.option(
        "--out",
        type=GivenPath(dir_okay=False),
        default=Path("chain_weights.json"),
        show_default=True,
        metavar="FILE",
        help="Where the weights are written.",
    ),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all that is drawn."),
    click.option("--cache", type=_FOLDER, metavar="DIR", help="Folder that keeps the indexes.  [default: as of eval]"),
    CONFIG,
    JSON,
)


def training_options(command: Command) -> Command:
    """Add the options of ``Training`` to a command, which takes the record as ``options``."""

    @functools.wraps(command)
    def with_training(*, folders: tuple[Path, ...], **given: Any) -> None:  # noqa: ANN401  # the fields of Training, as click hands them over
        command(folders=folders, options=Training(**given))

    return with_options(with_training, _OPTIONS)

"""The options of ``belvedere eval``, handed to it as one record."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import click

from belvedere.cli.asking_options import TRANSFORMATIONS
from belvedere.cli.options import (
    ALL_VERSIONS,
    AS_OF,
    CONFIG,
    FILTER,
    JSON,
    LLM,
    Command,
    GivenPath,
    NameType,
    with_options,
)
from graph_store.filters import MetadataFilter

System: TypeAlias = Literal["bm25", "dense", "hybrid", "ppr", "local"]
TokenKind: TypeAlias = Literal["projected", "full", "none"]
SYSTEMS: tuple[System, ...] = get_args(System)
USUAL: tuple[System, ...] = ("bm25", "dense", "hybrid", "local")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluating:
    """Which systems are compared on what, what they must reach, and where reports and indexes go."""

    systems: tuple[str, ...]
    compare_model: str | None
    compare_tokens: TokenKind | None
    filters: tuple[MetadataFilter, ...]
    as_of: str | None
    all_versions: bool
    limit: int | None
    seed: int
    gates: tuple[str, ...]
    baseline: Path | None
    failures: Path | None
    gold_evidence: bool
    html: Path | None
    cache: Path | None
    config: Path | None
    llm: tuple[str, ...] | None
    as_json: bool


class SystemsType(click.ParamType[tuple[str, ...]]):
    """Names of systems, separated by commas; behind ``local`` transformations of the question, each after a plus."""

    name = "systems"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:  # noqa: ANN401  # as click declares it
        """Read the names."""
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        for name in names:
            system, *wanted = name.split("+")
            if system not in SYSTEMS:
                self.fail(f"{name!r} is not one of {', '.join(SYSTEMS)}", param, ctx)
            self._check_transformations(system, wanted, param, ctx)
        if not names:
            self.fail(f"name one of {', '.join(SYSTEMS)}, or several with commas", param, ctx)
        plain = tuple(system for system in SYSTEMS if system in names)
        return (*plain, *dict.fromkeys(name for name in names if name not in plain))

    def _check_transformations(
        self, system: str, wanted: list[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> None:
        if wanted and system != "local":
            self.fail(f"{system!r} transforms no question; only local does, as in local+rewrite", param, ctx)
        for name in wanted:
            if name not in TRANSFORMATIONS:
                self.fail(f"{name!r} is not one of {', '.join(TRANSFORMATIONS)}", param, ctx)


_OPTIONS: tuple[Callable[[Command], Command], ...] = (
    click.option(
        "--compare",
        "systems",
        type=SystemsType(),
        default=",".join(USUAL),
        show_default=True,
        metavar="NAME[,NAME]",
        help="Systems to measure, of bm25, dense, hybrid, ppr (local without chains) and local; and local with further "
        "searches that a language model makes, as in local+rewrite or local+multi_query+hyde (see ask --transform).",
    ),
    click.option(
        "--compare-model",
        type=NameType(),
        metavar="MODEL",
        help="Ask the systems once more with the vectors of this embedding model, as NAME@new, in a second vector space"
        " of the same index (see `migrate embeddings`).",
    ),
    click.option(
        "--compare-tokens",
        type=click.Choice(["projected", "full", "none"]),
        metavar="KIND",
        help="The same with this kind of token vectors: projected, full or none.",
    ),
    FILTER,
    AS_OF,
    ALL_VERSIONS,
    click.option(
        "--limit", type=click.IntRange(min=1), help="Only a sample of this many questions, drawn by the seed."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all that is drawn."),
    click.option(
        "--gate",
        "gates",
        multiple=True,
        metavar="GATE[,GATE]",
        help='What must be reached, in quotes, such as "MRR@10>0.7,R@5>=0.8", "bm25:R@5>0.6" or "type=join:R@5>0.8"; '
        "also abstention.auroc and latency_ms.p95. Else the command ends with 4. May be repeated.",
    ),
    click.option(
        "--baseline",
        type=GivenPath(exists=True, dir_okay=False),
        metavar="FILE",
        help="Compare with an earlier run of the same questions: what `eval DIR --json` printed then.",
    ),
    click.option(
        "--failures",
        type=GivenPath(dir_okay=False),
        metavar="FILE",
        help="Write the questions that failed, and where each was lost, as JSON Lines.",
    ),
    click.option(
        "--gold-evidence",
        is_flag=True,
        help="Ask each question with a reference once more, of its gold documents alone: would the answer be right, had"
        " they been found?",
    ),
    click.option("--html", type=GivenPath(dir_okay=False), metavar="FILE", help="Write a report as one HTML page."),
    click.option(
        "--cache",
        "--store",
        "cache",
        type=GivenPath(file_okay=False),
        metavar="DIR",
        help="Folder that keeps the indexes.  [default: belvedere/eval in the user's cache folder]",
    ),
    CONFIG,
    LLM,
    JSON,
)


def evaluation_options(command: Command) -> Command:
    """Add the options of ``Evaluating`` to a command, which takes the record as ``options``."""

    @functools.wraps(command)
    def with_evaluating(*, folder: Path, **given: Any) -> None:  # noqa: ANN401  # the fields of Evaluating, as click hands them over
        command(folder=folder, options=Evaluating(**given))

    return with_options(with_evaluating, _OPTIONS)

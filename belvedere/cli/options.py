"""Options that several commands share, each group handed to the command as one record."""

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from belvedere.store_location import StoreLocation
from graph_store.errors import StoreUnusable
from graph_store.filters import MetadataFilter, Versions, check_day, parse_filter
from graph_store.neo4j.address import is_server_address, parse_address
from graph_store.valid_text import is_valid_text

if TYPE_CHECKING:
    from belvedere.knowledge_base import KnowledgeBase

Route: TypeAlias = Literal["auto", "local", "community", "tree"]
Command: TypeAlias = Callable[..., int | None]
"""A command may return its exit code."""

DEFAULT_CONFIG = Path("config.yaml")

TASK_NAMES = ("extraction", "reports", "summaries", "rewriting", "answers", "judge")
"""The tasks of language models, written here as well: their settings are a heavy import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What every command takes: which store, which settings, how to print; and who asks."""

    store: StoreLocation | None
    config: Path | None
    as_json: bool
    tenant: str
    groups: tuple[str, ...]

    def open(self, *, as_caller: bool = True, llm: tuple[str, ...] | None = None) -> "KnowledgeBase":
        """Open the knowledge base; ``groups`` are the caller's unless they mean something else to the command.

        ``llm`` are the tasks that language models do, None for those that the settings say.
        """
        from belvedere.knowledge_base import KnowledgeBase  # noqa: PLC0415  # heavy import, only when used

        return KnowledgeBase.open(
            self.store,
            config=settings_file(self.config),
            tenant=self.tenant,
            groups=self.groups if as_caller else (),
            llm=llm,
        )


def settings_file(given: Path | None) -> Path | None:
    """Return the settings file: the one given, else ``config.yaml`` where it stands in the current folder."""
    return DEFAULT_CONFIG if given is None and DEFAULT_CONFIG.is_file() else given


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """How a question is to be looked up."""

    route: Route
    k: int | None
    filters: tuple[MetadataFilter, ...]
    versions: Versions


class DayType(click.ParamType[str]):
    """A day, written YYYY-MM-DD."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401  # as click declares it
        """Check the day."""
        try:
            check_day(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return str(value)


class FilterType(click.ParamType[MetadataFilter]):
    """A condition on metadata: ``key=value``, also with ``!= < <= > >=``."""

    name = "key=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> MetadataFilter:  # noqa: ANN401  # as click declares it
        """Read the condition."""
        try:
            return value if isinstance(value, MetadataFilter) else parse_filter(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class NameType(click.ParamType[str]):
    """A name that is not empty: an unset shell variable must not stand for everybody's documents."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401  # as click declares it
        """Check the name."""
        text = str(value)
        if not text.strip(" ,"):
            self.fail("the name is empty; leave the option out, or give a name", param, ctx)
        if not is_valid_text(text):
            self.fail(f"{text!r} is no valid Unicode", param, ctx)
        return text


class QuestionType(click.ParamType[str]):
    """A question that is not empty: an unset shell variable asks nothing."""

    name = "question"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401  # as click declares it
        """Check the question."""
        text = str(value)
        if not text.strip():
            self.fail("the question is empty; say what you want to know", param, ctx)
        if not is_valid_text(text):
            self.fail(f"the question {text[:40]!r} is no valid Unicode", param, ctx)
        return text


class GivenPath(click.Path):
    """A path that is not empty: an unset shell variable must not stand for the current folder."""

    def __init__(self, *, dir_okay: bool = True, file_okay: bool = True, exists: bool = False) -> None:
        super().__init__(exists=exists, dir_okay=dir_okay, file_okay=file_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401  # as click declares it
        """Check the path."""
        if not os.fspath(value):
            self.fail("the path is empty; name a file or folder ('.' is the current folder)", param, ctx)
        return Path(os.fsdecode(super().convert(value, param, ctx)))


class LocationType(click.ParamType[StoreLocation]):
    """A folder, or the address of a Neo4j server."""

    name = "location"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> StoreLocation:  # noqa: ANN401  # as click declares it
        """Check the place; whether there is a store is not looked at."""
        if isinstance(value, str) and is_server_address(value):
            try:
                return parse_address(value)
            except StoreUnusable as error:
                self.fail(str(error), param, ctx)
        return GivenPath().convert(value, param, ctx)


class TaskNames(click.ParamType[tuple[str, ...]]):
    """Tasks of language models, separated by commas; "none" for no task. Those that are not ``used`` are refused."""

    name = "tasks"

    def __init__(self, used: Sequence[str] = TASK_NAMES) -> None:
        self._used = used

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:  # noqa: ANN401  # as click declares it
        """Split the names; whether there are such tasks is for the settings to say."""
        names = value if isinstance(value, tuple) else tuple(name.strip() for name in str(value).split(","))
        given = tuple(name for name in names if name)
        if not given:
            self.fail("no task is named; leave the option out, or say none", param, ctx)
        for name in given:
            if name in TASK_NAMES and name not in self._used:
                self.fail(f"this command never does the task {name}, only {', '.join(self._used)}", param, ctx)
        return given


STORE = click.option(
    "--store",
    type=LocationType(),
    metavar="DIR",
    help="Folder of the store, or neo4j://HOST:PORT/DATABASE.  [default: store.location in the settings file, else "
    "./belvedere-store]",
)
CONFIG = click.option(
    "--config",
    type=GivenPath(),
    metavar="FILE",
    help="Settings file.  [default: config.yaml in the current folder, where there is one]",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


def llm_option(used: Sequence[str]) -> Callable[[Command], Command]:
    """Return the option ``--llm`` of a command that uses these tasks."""
    return click.option(
        "--llm",
        type=TaskNames(used),
        metavar="TASK[,TASK]",
        help=f"Tasks that a language model does this time: {', '.join(used)}; or none.  "
        "[default: those that are on in the settings]",
    )


LLM = llm_option(TASK_NAMES)
KEPT_REPORTS = click.option(
    "--llm",
    type=TaskNames(("reports",)),
    metavar="TASK",
    help="With llm.lazy, show reports as the model of the task reports told them for earlier answers; none is asked."
    " reports or none.  [default: as in the settings]",
)
FILTER = click.option(
    "--filter",
    "filters",
    type=FilterType(),
    multiple=True,
    help='Only documents with this metadata; also !=, and in quotes <, <=, >, >= and in: "year>=2020", '
    '"year in 2020,2021". May be repeated.',
)
AS_OF = click.option(
    "--as-of",
    type=DayType(),
    metavar="YYYY-MM-DD",
    help="Only documents that were effective on this day (effective_from and effective_to in their metadata).",
)
ALL_VERSIONS = click.option(
    "--all-versions", is_flag=True, help="Also documents that others supersede (supersedes in the metadata of those)."
)


def shared_options(groups_help: str) -> Callable[[Command], Command]:
    """Add the options of ``Shared`` to a command, which takes the record first; groups mean what the help says."""
    options = (
        STORE,
        CONFIG,
        click.option(
            "--tenant",
            type=NameType(),
            metavar="TEXT",
            default="default",
            show_default=True,
            help="Tenant whose documents these are.",
        ),
        click.option("--groups", type=NameType(), multiple=True, metavar="NAME[,NAME]", help=groups_help),
        JSON,
    )

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_shared(
            *,
            store: StoreLocation | None,
            config: Path | None,
            as_json: bool,
            tenant: str,
            groups: Sequence[str],
            **rest: object,
        ) -> int | None:
            names = tuple(name.strip() for given in groups for name in given.split(",") if name.strip())
            return command(Shared(store=store, config=config, as_json=as_json, tenant=tenant, groups=names), **rest)

        return with_options(with_shared, options)

    return decorate


def retrieval_options(command: Command) -> Command:
    """Add the options of ``Retrieval`` to a command, which takes the record as ``retrieval``."""

    @functools.wraps(command)
    def with_retrieval(
        *given: object,
        route: Route,
        k: int | None,
        filters: tuple[MetadataFilter, ...],
        as_of: str | None,
        all_versions: bool,
        **rest: object,
    ) -> int | None:
        versions = Versions(as_of=as_of, all_versions=all_versions)
        return command(*given, retrieval=Retrieval(route=route, k=k, filters=filters, versions=versions), **rest)

    options = (
        click.option(
            "--route",
            type=click.Choice(["auto", "local", "community", "tree"]),
            default="auto",
            show_default=True,
            help="Where to look: passages, communities, or the summary tree.",
        ),
        click.option(
            "-k", type=click.IntRange(min=1), default=None, help="Number of results.  [default: as configured]"
        ),
        FILTER,
        AS_OF,
        ALL_VERSIONS,
    )
    return with_options(with_retrieval, options)


def with_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """Add options to a command, in the order in which its help lists them."""
    for option in reversed(options):
        command = option(command)
    return command


CALLER_GROUPS = "Groups that you belong to; documents of other groups stay hidden."
DOCUMENT_GROUPS = "Groups that may read these documents.  [default: everybody of the tenant]"
EVERYBODY = shared_options(CALLER_GROUPS)

"""The options of ``belvedere ask`` beside those of retrieval, handed to it as one record."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import click

from belvedere.cli.options import Command, NameType, llm_option, with_options

Transformation: TypeAlias = Literal["rewrite", "multi_query", "hyde", "step_back", "decompose", "iterative"]
TRANSFORMATIONS: tuple[Transformation, ...] = get_args(Transformation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How the answer is to be made and shown."""

    show_context: bool
    stream: bool
    conversation: str | None
    forget: bool
    transform: tuple[Transformation, ...] | None
    llm: tuple[str, ...] | None


class TransformationsType(click.ParamType[tuple[Transformation, ...]]):
    """Names of transformations, separated by commas; "none" for none."""

    name = "transformations"

    def convert(
        self,
        value: Any,  # noqa: ANN401  # as click declares it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[Transformation, ...]:
        """Read the names."""
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        for name in names:
            if name not in (*TRANSFORMATIONS, "none"):
                self.fail(f"{name!r} is not one of {', '.join(TRANSFORMATIONS)}, none", param, ctx)
        if not names or ("none" in names and len(names) > 1):
            self.fail(f"name some of {', '.join(TRANSFORMATIONS)} with commas, or none alone", param, ctx)
        return tuple(name for name in TRANSFORMATIONS if name in names)


_OPTIONS: tuple[Callable[[Command], Command], ...] = (
    click.option(
        "--show-context", is_flag=True, help="Print the words of each source and the passages that were weighed, too."
    ),
    click.option(
        "--stream",
        is_flag=True,
        help="Print each sentence once it is checked. With --json one object per line, the whole answer last.",
    ),
    click.option(
        "--conversation",
        type=NameType(),
        metavar="NAME",
        help="Understand the question from those asked before under this name, and keep it with its answer for the next"
        " one, in the user's state folder.",
    ),
    click.option(
        "--forget", is_flag=True, help="Forget the conversation first; without a question that is all that is done."
    ),
    click.option(
        "--transform",
        type=TransformationsType(),
        metavar="NAME[,NAME]",
        help=f"Further searches that a language model makes of the question: {', '.join(TRANSFORMATIONS)}; or none.  "
        "[default: those that are on in the settings]",
    ),
    # Reports are told while asking where llm.lazy is on.
    llm_option(("rewriting", "answers", "reports")),
)


def asking_options(command: Command) -> Command:
    """Add the options of ``Asking`` to a command, which takes the record as ``asking``."""

    @functools.wraps(command)
    def with_asking(  # the fields of Asking
        *given: object,
        show_context: bool,
        stream: bool,
        conversation: str | None,
        forget: bool,
        transform: tuple[Transformation, ...] | None,
        llm: tuple[str, ...] | None,
        **rest: object,
    ) -> int | None:
        asking = Asking(
            show_context=show_context,
            stream=stream,
            conversation=conversation,
            forget=forget,
            transform=transform,
            llm=llm,
        )
        return command(*given, asking=asking, **rest)

    return with_options(with_asking, _OPTIONS)

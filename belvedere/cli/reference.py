"""The help of every command as one Markdown page: ``python -m belvedere.cli.reference > docs/cli.md``."""

import sys
from collections.abc import Iterator

import click

from belvedere.cli.main import HELP_OPTIONS, cli

_HEADING = """# Commands

What `belvedere COMMAND --help` says, written by `python -m belvedere.cli.reference`."""
_WIDTH = 100


def reference() -> str:
    """Return the page."""
    return "\n\n".join([_HEADING, *_sections()]) + "\n"


def _sections() -> Iterator[str]:
    root = click.Context(cli, info_name="belvedere", terminal_width=_WIDTH, help_option_names=HELP_OPTIONS)
    yield f"```\n{cli.get_help(root)}\n```"
    for name, command in cli.commands.items():
        yield from _command_sections(name, command, root)


def _command_sections(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=_WIDTH)
    yield f"## {context.command_path}\n\n```\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for below, subcommand in command.commands.items():
            yield from _command_sections(below, subcommand, context)


if __name__ == "__main__":
    sys.stdout.write(reference())

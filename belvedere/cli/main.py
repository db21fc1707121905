"""The ``belvedere`` command: parses, runs, and turns whatever happens into an exit code and one sentence.

0: done. 2: the user can mend it. 1: a fault of ours, or one that `doctor` found. 3: a store that differs
from its sources. 4: an evaluation did not pass a gate. 130: stopped with Ctrl-C.
"""

import logging
import os
import sys
import traceback
from collections.abc import Sequence

import click

from belvedere import __version__
from belvedere.cli.ask import ask
from belvedere.cli.communities import communities
from belvedere.cli.context import context
from belvedere.cli.copy_store import copy_store
from belvedere.cli.delete import delete
from belvedere.cli.doctor import doctor
from belvedere.cli.estimate import estimate
from belvedere.cli.evaluate import evaluate
from belvedere.cli.evaluate_init import evaluate_init
from belvedere.cli.export import export
from belvedere.cli.graph import graph
from belvedere.cli.index import index
from belvedere.cli.migrate import migrate
from belvedere.cli.printing import complain, drop_output
from belvedere.cli.ranker import ranker
from belvedere.cli.reconcile import reconcile
from belvedere.cli.search import search
from belvedere.cli.status import status
from belvedere.cli.tree import tree
from belvedere.errors import user_sentence

HELP_OPTIONS = ["-h", "--help"]

OK, OURS, MISTAKE, STOPPED = 0, 1, 2, 130


class Commands(click.Group):
    """The commands; ``eval init`` is read as ``eval-init``, for ``eval`` takes a folder and has none below it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the two words, then parse. A folder of that name is written ``./init``."""
        joined = ["eval-init", *args[2:]] if args[:2] == ["eval", "init"] else args
        return super().parse_args(ctx, joined)


@click.group(cls=Commands, context_settings={"help_option_names": HELP_OPTIONS, "max_content_width": 100})
@click.version_option(__version__, prog_name="belvedere", message="%(prog)s %(version)s")
def cli() -> None:
    """Answer questions about a collection of documents: from passages, communities, or the whole."""


for command in (
    index,
    estimate,
    ask,
    search,
    context,
    evaluate,
    evaluate_init,
    status,
    doctor,
    delete,
    reconcile,
    communities,
    tree,
    graph,
    export,
    migrate,
    copy_store,
    ranker,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; nothing is raised."""
    _keep_logs_off_stderr()
    _tell_of_calls()
    try:
        result = cli.main(args=list(arguments) or ["--help"], prog_name="belvedere", standalone_mode=False)
    except click.ClickException as error:
        complain(_usage_sentence(error))
        return MISTAKE
    except SystemExit:  # click's answer to a reader of the help that has gone away, which is no fault
        drop_output()
        return OK
    except (KeyboardInterrupt, click.Abort):
        complain("stopped; nothing is lost: run the same command again to go on")
        return STOPPED
    except Exception as error:  # noqa: BLE001  # the edge of the program: every error becomes an exit code
        return _failed(error)
    return result if isinstance(result, int) else OK


def _keep_logs_off_stderr() -> None:
    """Give log lines somewhere to go but stderr: what users can do about a problem is said in a sentence of ours."""
    root = logging.getLogger()
    if not root.handlers and not os.environ.get("BELVEDERE_TRACEBACK"):
        root.addHandler(logging.NullHandler())


class _Complaints(logging.Handler):
    """Tells log lines in the form of our own sentences; with ``once`` each of them but once in a process."""

    def __init__(self, *, once: bool) -> None:
        super().__init__()
        self._once = once
        self._told = set[str]()

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line to stderr."""
        sentence = record.getMessage()
        if not self._once or sentence not in self._told:
            complain(sentence)
        self._told.add(sentence)


def _tell_of_calls() -> None:
    """Tell of calls that are made again, to models and servers, perhaps after minutes, and of replies not kept."""
    for name, once in (
        ("model_clients.chat.retrying_model", False),
        ("model_clients.chat.reply_cache", True),
        ("graph_store.neo4j.connection", False),
    ):
        log = logging.getLogger(name)
        if not any(isinstance(handler, _Complaints) for handler in log.handlers):
            log.addHandler(_Complaints(once=once))


def _usage_sentence(error: click.ClickException) -> str:
    message = error.format_message()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message.rstrip('.')}; see `{error.ctx.command_path} --help`"
    return message


def _failed(error: Exception) -> int:
    sentence = user_sentence(error)
    if sentence is not None:
        complain(sentence)
        return MISTAKE
    if os.environ.get("BELVEDERE_TRACEBACK"):
        traceback.print_exception(error)
    complain(
        f"internal error, not your fault ({type(error).__name__}: {error}); "
        "set BELVEDERE_TRACEBACK=1 and run again to see where, and please report it"
    )
    return OURS

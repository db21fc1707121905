"""``belvedere search``."""

from typing import TYPE_CHECKING

import click

from belvedere.cli.options import EVERYBODY, Retrieval, Shared, retrieval_options
from belvedere.cli.printing import say, say_json, shown_times, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.json_form import search_json

if TYPE_CHECKING:
    from query.outcome import SearchOutcome

_SHOWN_CHARACTERS = 300


@click.command()
@click.argument("question")
@retrieval_options
@EVERYBODY
def search(shared: Shared, question: str, retrieval: Retrieval) -> None:
    """Find passages, community reports or summaries, without answering."""
    with shared.open() as kb, ProgressBar(f"loading the model {kb.model_name}"):
        outcome = kb.search(question, route=retrieval.route, k=retrieval.k, filters=retrieval.filters)
    if shared.as_json:
        say_json(search_json(outcome))
    else:
        _show(outcome)


def _show(outcome: "SearchOutcome") -> None:
    for result in outcome.results:
        signals = ", ".join(f"{name} {value:.3g}" for name, value in result.signals.items())
        say(f"{result.rank}. {result.title or result.document_id} [{result.kind.replace('_', ' ')}]", bold=True)
        say(f"    {result.document_id or result.id}  score {result.score:.4g}" + (f"  ({signals})" if signals else ""))
        say(wrapped(_beginning(result.text), indent="    "))
    if not outcome.results:
        say("Nothing found.")
    say()
    say(wrapped(f"route: {outcome.route}. {outcome.route_reason}"))
    say(f"time: {shown_times(outcome.timings_ms)}")


def _beginning(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else f"{flat[:_SHOWN_CHARACTERS].rsplit(' ', 1)[0]} …"

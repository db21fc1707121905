"""Everything that a command says: one JSON object, or text for people, on stdout; complaints on stderr."""

import json
import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from model_clients.chat.messages import TokenUsage
    from query.chain_ranking.chains import ChainStep

WIDTH = 100

# Control characters would let a document drive the reader's terminal; line ends and tabs are harmless.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def say(text: str = "", *, bold: bool = False) -> None:
    """Print text for people, without the control characters that it may hold; bold where stdout is a terminal."""
    shown = _encodable(clean(text))
    _write(click.style(shown, bold=True) if bold else shown)


def say_json(content: Mapping[str, object]) -> None:
    """Print one JSON object. Raises ValueError for a number that JSON does not have."""
    readable = _encoding().replace("-", "") == "utf8"
    _write(_encodable(json.dumps(content, ensure_ascii=not readable, allow_nan=False)))


def complain(sentence: str) -> None:
    """Print what went wrong, on one line of stderr."""
    click.echo(f"belvedere: {clean(' '.join(sentence.split()))}", err=True)


def clean(text: str) -> str:
    """Return ``text`` without control characters and marks that turn the reading direction."""
    return _CONTROL.sub("", text)


def wrapped(text: str, *, indent: str = "") -> str:
    """Return ``text`` filled to the usual width; its own line ends stay."""
    lines = clean(text).splitlines() or [""]
    return "\n".join(
        textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=indent, replace_whitespace=False)
        for line in lines
    )


def shown_place(title: str, heading_path: Sequence[str]) -> str:
    """Return ``Title > Heading > Subheading``, what stands twice once."""
    return " > ".join(dict.fromkeys((title, *heading_path)))


def shown_chain(steps: Sequence["ChainStep"]) -> list[str]:
    """Return a line per passage of a chain: the name that leads to it, and the words of the question it explains."""
    lines = []
    for number, step in enumerate(steps):
        arrow = f'-> by "{step.bridge}" to ' if number else "from "
        explains = f", for: {', '.join(step.explains)}" if step.explains else ""
        lines.append(f"{arrow}{step.title}{explains}")
    return lines


def shown_times(milliseconds: Mapping[str, float]) -> str:
    """Return times as ``total 41 ms (embed 8, retrieve 20)``, steps below half a millisecond left out."""
    steps = ", ".join(f"{name} {value:.0f}" for name, value in milliseconds.items() if name != "total" and value >= 0.5)
    total = milliseconds.get("total", sum(milliseconds.values()))
    return f"{total:.0f} ms" + (f" ({steps})" if steps else "")


def shown_usage(usage: "TokenUsage") -> str:
    """Return what calls of a language model used."""
    kept = f" and {usage.cached:,} kept replies" if usage.cached else ""
    cost = f", cost {usage.cost:.4g}" if usage.cost else ""
    tokens = f"{usage.prompt_tokens:,} tokens sent and {usage.reply_tokens:,} replied"
    estimated = f" ({usage.estimated:,} of the calls by estimate)" if usage.estimated else ""
    return f"{usage.calls:,} calls{kept}, {tokens}{cost}{estimated}"


def shown_bytes(size: int) -> str:
    """Return a size in the unit that people read."""
    value = float(size)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def _encoding() -> str:
    # Where stdout was closed before we started there is no stream at all.
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower()


def _encodable(text: str) -> str:
    """Replace what stdout cannot show (single surrogates; letters that an old terminal does not have)."""
    return text.encode(_encoding(), "replace").decode(_encoding())


def _write(text: str) -> None:
    """Print to stdout; a reader that has gone away (``| head``) has had enough, and that is no fault."""
    try:
        click.echo(text)
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """Send what is still to come on stdout nowhere: its reader has gone away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""How a packed context reads: numbered sources, omissions marked, the strongest where readers look most."""

import re
from collections.abc import Sequence
from typing import TypeVar

from query.citations import shown
from query.packing.draft import BlockDraft, SourceDraft, has_gap

OMISSION = "[…]"
_LONGEST_PLACE = 200
# Rows and points begin lines of their own.
_LINE = re.compile(r"\s*(?:\||[-*+>]\s|\d+[.)]\s)")

Item = TypeVar("Item")


def ends_first(items: Sequence[Item]) -> list[Item]:
    """Arrange items, strongest first: the strongest stands first, the second last, the third second, and so on inwards.

    Readers use best what stands at the ends of a long context. Source: Liu et al., "Lost in the Middle", TACL 2024.
    """
    return [*items[::2], *reversed(items[1::2])]


def write_text(blocks: Sequence[BlockDraft]) -> str:
    """Write blocks in the order given, their sources numbered from 1."""
    parts: list[str] = []
    number = 0
    for block in blocks:
        if block.title:
            parts.append(title_line(block.title))
        for source in block.sources:
            number += 1
            parts.append(f"{header(number, source)}\n{body(source)}")
    return "\n\n".join(parts)


def title_line(title: str) -> str:
    """Return the line above the sources of a report or tree node."""
    return f"## {_one_line(title)}"


def header(number: int, source: SourceDraft) -> str:
    """Return the line above a source: its number, where it stands, and the columns of a table."""
    first = source.first
    place = " > ".join(dict.fromkeys((first.document.title or first.document.id, *first.chunk.heading_path)))
    page = "" if first.chunk.page is None else f", page {first.chunk.page}"
    columns = columns_of(source)
    return f"[{number}] {_one_line(place)}{page}" + (f"\n{_one_line(columns)}" if columns else "")


def columns_of(source: SourceDraft) -> str:
    """Return the header row of the first table row in a source; "" where it has none."""
    return next((unit.columns for unit in source.units if unit.columns), "")


def body(source: SourceDraft) -> str:
    """Return the sentences of a source, on one line but for rows and points, with marks where something is left out.

    What a document says cannot look like the header of another source: bracketed numbers are put in parentheses.
    """
    written = shown(source.first.text)
    for before, unit in zip(source.units, source.units[1:], strict=False):
        gap = f" {OMISSION}" if has_gap(before, unit) else ""
        written += f"{gap}{_separator(unit.text)}{shown(unit.text)}"
    return written


def _separator(text: str) -> str:
    return "\n" if _LINE.match(text) else " "


def _one_line(text: str) -> str:
    flat = shown(text)
    return flat if len(flat) <= _LONGEST_PLACE else f"{flat[: _LONGEST_PLACE - 1]}…"

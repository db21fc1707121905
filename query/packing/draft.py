"""Sentences that may be packed, grouped into sources and blocks, before a budget chooses among them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graph_store.records import Chunk, Document
from query.packing.packed_context import PackedKind

# A repeated sentence of fewer words ("Yes, please.") may mean another thing in another place.
_LONG_ENOUGH = 6
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A sentence that may be packed, at ``[start, end)`` of its document; the more worth, the earlier it is taken.

    ``columns`` is the header row above it where it is a row of a table.
    """

    chunk: Chunk
    document: Document
    start: int
    end: int
    worth: float
    columns: str = ""

    @property
    def text(self) -> str:
        """The words of the sentence, as they stand."""
        return self.chunk.text[self.start - self.chunk.char_start : self.end - self.chunk.char_start]

    @property
    def key(self) -> tuple[str, int]:
        """Where the sentence begins: once the repeated ones are gone, no two have the same."""
        return self.document.id, self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDraft:
    """Units of one place in a document, in its order."""

    units: tuple[Unit, ...]

    @property
    def first(self) -> Unit:
        """The first unit; a source has one at least."""
        return self.units[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDraft:
    """Sources that are to stand together, in order."""

    kind: PackedKind
    sources: tuple[SourceDraft, ...]
    title: str = ""


class Novelty:
    """Lets every part of a document pass once, and every longer sentence once in all documents."""

    def __init__(self) -> None:
        self._taken: dict[str, list[tuple[int, int]]] = {}
        self._texts: set[str] = set()

    def new_part(self, unit: Unit) -> Unit | None:
        """Return the unit without what was taken before, None where nothing of it is new.

        Chunks of one section share sentences, and one chunk may end within a sentence that the next one has whole.
        """
        rest = self._untaken(unit)
        if rest is None or self._is_repeated(rest):
            return None
        self._taken.setdefault(rest.document.id, []).append((rest.start, rest.end))
        return rest

    def _untaken(self, unit: Unit) -> Unit | None:
        start, end = unit.start, unit.end
        for taken_start, taken_end in self._taken.get(unit.document.id, ()):
            if taken_start <= start < taken_end:
                start = taken_end
            elif start < taken_start < end:
                end = taken_start
        return _stripped(replace(unit, start=start, end=end)) if start < end else None

    def _is_repeated(self, unit: Unit) -> bool:
        words = unit.text.casefold().split()
        # Rows of two tables may read alike and tell different things.
        if len(words) < _LONG_ENOUGH or unit.columns:
            return False
        text = " ".join(words)
        if text in self._texts:
            return True
        self._texts.add(text)
        return False


def _stripped(unit: Unit) -> Unit | None:
    text = unit.text
    if not _WORD.search(text):
        return None
    start = unit.start + len(text) - len(text.lstrip())
    return replace(unit, start=start, end=start + len(text.strip()))


def new_parts(units: Iterable[Unit], novelty: Novelty) -> list[Unit]:
    """Return what is new of each unit, the units that come first having the first claim."""
    return [rest for unit in units if (rest := novelty.new_part(unit)) is not None]


def group_sources(units: Sequence[Unit]) -> list[SourceDraft]:
    """Merge units of adjacent or overlapping chunks of one section, and of one parent, into sources.

    Sources come in the order of their first unit in ``units``, the units of a source in the order of the document.
    """
    sections: dict[tuple[str, tuple[str, ...]], list[Unit]] = {}
    for unit in units:
        sections.setdefault((unit.document.id, unit.chunk.heading_path), []).append(unit)
    runs = [run for section in sections.values() for run in _runs(section)]
    place = {unit.key: number for number, unit in enumerate(units)}
    runs.sort(key=lambda run: min(place[unit.key] for unit in run))
    return [SourceDraft(units=tuple(run)) for run in runs]


def _runs(section: Sequence[Unit]) -> list[list[Unit]]:
    runs: list[list[Unit]] = []
    for unit in sorted(section, key=lambda unit: unit.start):
        if runs and _belong_together(runs[-1][-1].chunk, unit.chunk):
            runs[-1].append(unit)
        else:
            runs.append([unit])
    return runs


def _belong_together(one: Chunk, other: Chunk) -> bool:
    is_near = abs(other.position - one.position) <= 1
    return is_near or (one.parent_id is not None and one.parent_id == other.parent_id)


def has_gap(one: Unit, other: Unit) -> bool:
    """Tell whether something of the document is left out between two units of a source, the first before the other."""
    if other.start <= one.chunk.char_end:
        return bool(one.chunk.text[one.end - one.chunk.char_start : other.start - one.chunk.char_start].strip())
    if other.chunk.position > one.chunk.position + 1:
        return True
    tail = one.chunk.text[one.end - one.chunk.char_start :]
    head = other.chunk.text[max(0, one.end - other.chunk.char_start) : other.start - other.chunk.char_start]
    return bool(tail.strip() or head.strip())

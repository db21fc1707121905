"""Which sentences are packed: those of most worth that fit in the budget, what stands around them counted too."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from query.citations import shown
from query.packing.draft import BlockDraft, SourceDraft, Unit, has_gap
from query.packing.layout import OMISSION, header, title_line

TokenCounter: TypeAlias = Callable[[str], int]
Key: TypeAlias = tuple[str, int]

# Costs are counted before sources have their numbers, with one as long as any will be.
_LONG_NUMBER = 999


def select(blocks: Sequence[BlockDraft], count: TokenCounter, budget: int) -> list[Unit]:
    """Return the units to pack, in the order in which they were taken: by worth, each where it still fits.

    Tokens of parts are added up, which may differ from those of the whole text by a few: the caller counts again.
    O(u log u) for u units, and u * s for the s units of each source.
    """
    costs = _Costs(blocks, count)
    units = [unit for block in blocks for source in block.sources for unit in source.units]
    left = budget
    taken: list[Unit] = []
    for unit in sorted(units, key=lambda unit: (-unit.worth, unit.key)):
        cost = costs.added(unit)
        if cost <= left:
            costs.take(unit)
            taken.append(unit)
            left -= cost
    return taken


def only(blocks: Sequence[BlockDraft], taken: Sequence[Unit]) -> list[BlockDraft]:
    """Return the blocks with the taken units alone, without those of which nothing is left."""
    keys = {unit.key for unit in taken}
    kept = [replace(block, sources=tuple(_only_units(block.sources, keys))) for block in blocks]
    return [block for block in kept if block.sources]


def _only_units(sources: Sequence[SourceDraft], keys: set[Key]) -> list[SourceDraft]:
    kept = [tuple(unit for unit in source.units if unit.key in keys) for source in sources]
    return [SourceDraft(units=units) for units in kept if units]


class _Costs:
    """What taking a unit adds: its own tokens, marks of omission, and the first time the lines above it."""

    def __init__(self, blocks: Sequence[BlockDraft], count: TokenCounter) -> None:
        self._count = count
        self._mark = count(OMISSION)
        self._home: dict[Key, tuple[int, SourceDraft]] = {
            unit.key: (number, source)
            for number, block in enumerate(blocks)
            for source in block.sources
            for unit in source.units
        }
        self._titles = [block.title for block in blocks]
        self._open_blocks: set[int] = set()
        self._taken: dict[Key, list[Unit]] = {}

    def added(self, unit: Unit) -> int:
        block, source = self._home[unit.key]
        own = self._count(shown(unit.text))
        taken = self._taken.get(source.first.key)
        if taken is None:
            own += self._count(header(_LONG_NUMBER, source))
            if block not in self._open_blocks and self._titles[block]:
                own += self._count(title_line(self._titles[block]))
            return own
        return own + self._mark * (_gaps(_with(taken, unit)) - _gaps(taken))

    def take(self, unit: Unit) -> None:
        block, source = self._home[unit.key]
        self._open_blocks.add(block)
        self._taken[source.first.key] = _with(self._taken.get(source.first.key, []), unit)


def _with(taken: Sequence[Unit], unit: Unit) -> list[Unit]:
    return sorted([*taken, unit], key=lambda other: other.start)


def _gaps(units: Sequence[Unit]) -> int:
    return sum(has_gap(one, other) for one, other in itertools.pairwise(units))

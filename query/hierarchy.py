"""Choosing items of a hierarchy (communities, tree nodes): the top of it, and lists without parents beside children."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of an item in its hierarchy; ``size`` is how many chunks it rests on."""

    id: str
    parent_id: str | None
    size: int


def top_items(places: Sequence[Place], *, least: int) -> tuple[str, ...]:
    """Return the ids of the topmost items, largest first, ties by id; at least ``least`` where the hierarchy has them.

    Starts from the items without a parent among ``places`` and, while there are fewer than ``least``, opens the largest
    one that has children. Cost: places x openings.
    """
    known = {place.id: place for place in places}
    children: dict[str | None, list[Place]] = {}
    for place in places:
        parent = place.parent_id if place.parent_id in known else None
        children.setdefault(parent, []).append(place)
    top = list(children.get(None, ()))
    while len(top) < least:
        # Opening must not lose ground: an only child says what its parent says.
        closed = [place for place in top if place.id in children]
        if not closed:
            break
        opened = min(closed, key=_largest_first)
        top = [place for place in top if place is not opened] + children[opened.id]
    return tuple(place.id for place in sorted(top, key=_largest_first))


def without_relatives(ids: Sequence[str], parents: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return ``ids``, in order, without those that are an ancestor or a descendant of an earlier one.

    ``parents`` maps an id to its parent, for all ids of the hierarchy that matter.
    """
    kept: list[str] = []
    covered_above: set[str] = set()
    for item in ids:
        line = _ancestors(item, parents)
        if item in kept or item in covered_above or not line.isdisjoint(kept):
            continue
        kept.append(item)
        covered_above |= line
    return tuple(kept)


def _ancestors(item: str, parents: Mapping[str, str | None]) -> set[str]:
    line: set[str] = set()
    above = parents.get(item)
    while above is not None and above not in line:
        line.add(above)
        above = parents.get(above)
    return line


def _largest_first(place: Place) -> tuple[int, str]:
    return (-place.size, place.id)

"""Documents that supersede each other in a circle: none of them hides another."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

SUPERSEDES = "supersedes"
"""The metadata key whose values are the ids of older documents."""

_Key = TypeVar("_Key", int, str)


def find_circles(older: Mapping[_Key, set[_Key]]) -> dict[_Key, _Key]:
    """Return document -> a document that exactly those of its circle share; O(documents + links).

    ``older`` is document -> the documents that it supersedes; those of a circle supersede each other.

    Two walks, along the links and back against them: Sharir, "A strong-connectivity algorithm and its applications in
    data flow analysis", Computers and Mathematics with Applications 7 (1981).
    """
    newer: defaultdict[_Key, set[_Key]] = defaultdict(set)
    for document, documents in older.items():
        for other in documents:
            newer[other].add(document)
    order: list[_Key] = []
    seen: set[_Key] = set()
    linked: set[_Key] = set(older)
    linked.update(newer)
    for start in sorted(linked):
        order += _walked(start, older, seen)
    circle: dict[_Key, _Key] = {}
    placed: set[_Key] = set()
    for last in reversed(order):
        circle.update(dict.fromkeys(_walked(last, newer, placed), last))
    return circle


def _walked(start: _Key, links: Mapping[_Key, Iterable[_Key]], seen: set[_Key]) -> list[_Key]:
    """Return ``start`` and what it leads to, without what was seen, in the order in which a walk leaves them."""
    if start in seen:
        return []
    seen.add(start)
    order: list[_Key] = []
    path = [(start, iter(sorted(links.get(start, ()))))]
    while path:
        document, ahead = path[-1]
        following = next((other for other in ahead if other not in seen), None)
        if following is None:
            order.append(document)
            path.pop()
        else:
            seen.add(following)
            path.append((following, iter(sorted(links.get(following, ())))))
    return order

"""Cutting rows into batches that a statement, and the memory of the server, can take."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, TypeAlias, TypeVar

from graph_store.neo4j.failures import BatchTooLarge

Row: TypeAlias = Mapping[str, Any]

_Item = TypeVar("_Item")

_FIXED = 16  # bytes of a number, or of what goes with any value


def batches(rows: Iterable[Row], *, most_rows: int, most_bytes: int) -> Iterator[list[Row]]:
    """Yield the rows in order, in batches of at most ``most_rows``, and of about ``most_bytes`` or one row."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        weight = weight_of(row)
        if batch and (len(batch) >= most_rows or size + weight > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += weight
    if batch:
        yield batch


def weight_of(value: object) -> int:
    """Return about how many bytes a value takes on its way to the server."""
    if isinstance(value, str | bytes):
        return len(value) + _FIXED
    if isinstance(value, Mapping):
        return sum(len(str(key)) + weight_of(part) for key, part in value.items())
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], float):
            return 9 * len(value)
        return sum(weight_of(part) for part in value) + _FIXED
    if isinstance(value, Sized):  # a vector
        return 4 * len(value) + _FIXED
    return _FIXED


def in_halves(items: Sequence[_Item], write: Callable[[Sequence[_Item]], None]) -> None:
    """Write items at once; where the server has not the memory for that, each half by itself, and so on.

    Raises ``BatchTooLarge`` where it has not even the memory for one item.
    """
    try:
        write(items)
    except BatchTooLarge:
        if len(items) < 2:
            raise
        middle = len(items) // 2
        in_halves(items[:middle], write)
        in_halves(items[middle:], write)

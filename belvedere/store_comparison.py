"""Comparing two stores row by row: a digest for each kind of record, and every row that differs by name."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from belvedere.built_settings import Notes, settings_of
from belvedere.record_rows import Row, document_rows, layer_rows, source_rows
from graph_store.errors import StoreDamaged
from graph_store.store import GraphStore
from indexing.report import Progress

_CHUNKS_AT_ONCE = 2_000
_MOST_DOCUMENTS = 1_000
_MOST_NAMED = 1_000
_SHOWN_FIELDS = 3
_UNREADABLE = "unreadable"

_DAMAGED = (ValueError, TypeError, KeyError, StoreDamaged)
"""What reading a record raises whose bytes are not what was written."""

ProgressListener: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A row that the two stores do not share."""

    tenant: str
    kind: str
    id: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDigest:
    """All rows of a kind on either side: how many, and a SHA-256 over them that does not depend on their order."""

    rows_from: int
    rows_to: int
    digest_from: str
    digest_to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared. ``differences`` are the first thousand of ``differing`` rows."""

    kinds: dict[str, KindDigest]
    differences: tuple[Difference, ...]
    differing: int

    @property
    def agrees(self) -> bool:
        """Whether every row of either store is in the other, with the same values."""
        return self.differing == 0


@dataclass(slots=True)
class _Side:
    rows: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)

    def add(self, row: Row) -> None:
        """Add the digest of a row to that of its kind: a sum, so that the order does not matter."""
        self.rows[row.kind] += 1
        self.sums[row.kind] += int.from_bytes(hashlib.sha256(row.line.encode("utf-8", "surrogatepass")).digest(), "big")

    def digest(self, kind: str) -> str:
        return f"{self.sums[kind] % (1 << 256):064x}"


class _Ledger:
    """Takes the rows of both sides, part by part, and keeps what differs."""

    def __init__(self) -> None:
        self._from, self._to = _Side(), _Side()
        self._differences: list[Difference] = []
        self._differing = 0

    def compare(self, tenant: str, rows_from: Iterable[Row], rows_to: Iterable[Row]) -> None:
        """Compare a part of a tenant: the rows of either side that have a counterpart have it in this part."""
        left = {(row.kind, row.id): row for row in self._counted(self._from, rows_from)}
        right = {(row.kind, row.id): row for row in self._counted(self._to, rows_to)}
        for key in sorted({*left, *right}):
            says = _difference(left.get(key), right.get(key))
            if says is not None:
                self._differing += 1
                if len(self._differences) < _MOST_NAMED:
                    self._differences.append(Difference(tenant=tenant, kind=key[0], id=key[1], says=says))

    @staticmethod
    def _counted(side: _Side, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            side.add(row)
            yield row

    def result(self) -> Comparison:
        kinds = {
            kind: KindDigest(
                rows_from=self._from.rows[kind],
                rows_to=self._to.rows[kind],
                digest_from=self._from.digest(kind),
                digest_to=self._to.digest(kind),
            )
            for kind in sorted({*self._from.rows, *self._to.rows})
        }
        return Comparison(kinds=kinds, differences=tuple(self._differences), differing=self._differing)


def _difference(left: Row | None, right: Row | None) -> str | None:
    """Say how two rows differ, None where they do not."""
    for row, place in ((left, "the store"), (right, "the copy")):
        if row is not None and _UNREADABLE in row.values:
            return f"cannot be read in {place} ({row.values[_UNREADABLE]})"
    if right is None:
        return "is missing from the copy"
    if left is None:
        return "is in the copy alone"
    if left.line == right.line:
        return None
    fields = sorted(name for name in {*left.values, *right.values} if not _same(left, right, name))
    named = ", ".join(fields[:_SHOWN_FIELDS])
    return f"differs in {named}" + (f" and {len(fields) - _SHOWN_FIELDS} more" if len(fields) > _SHOWN_FIELDS else "")


def _same(left: Row, right: Row, name: str) -> bool:
    def text(row: Row) -> str:
        return json.dumps(row.values.get(name), sort_keys=True, default=list)

    return text(left) == text(right)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A store with its notes."""

    store: GraphStore
    notes: Notes


def compare_stores(
    origin: Side, copy: Side, tenants: Sequence[str], *, progress: ProgressListener | None = None
) -> Comparison:
    """Compare all records of some tenants; reads both stores whole, a part at a time."""
    ledger = _Ledger()
    ledger.compare("", [_space_row(origin)], [_space_row(copy)])
    for tenant in tenants:
        ids = sorted({*origin.store.document_states(tenant), *copy.store.document_states(tenant)})
        for done, part in document_parts(origin.store, tenant, ids):
            if progress is not None:
                progress(Progress(step=f"comparing {tenant}", done=done, total=len(ids)))
            ledger.compare(tenant, _documents(origin, tenant, part), _documents(copy, tenant, part))
        ledger.compare(tenant, _others(origin, tenant), _others(copy, tenant))
    return ledger.result()


def _space_row(side: Side) -> Row:
    return Row(kind="vector space", id="live", values=asdict(side.store.live_space()))


def _documents(side: Side, tenant: str, ids: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of documents; one that is damaged beyond reading is a row that says so."""
    try:
        bundles = side.store.document_bundles(tenant, ids)
    except _DAMAGED as error:
        if len(ids) == 1:
            yield Row(kind="document", id=ids[0], values={_UNREADABLE: str(error)})
            return
        middle = len(ids) // 2
        yield from _documents(side, tenant, ids[:middle])
        yield from _documents(side, tenant, ids[middle:])
        return
    for bundle in bundles:
        yield from document_rows(bundle)


def _others(side: Side, tenant: str) -> Iterator[Row]:
    try:
        layer = side.store.stored_layer(tenant)
    except _DAMAGED as error:
        yield Row(kind="standing", id="layer", values={_UNREADABLE: str(error)})
    else:
        yield from layer_rows(layer)
    yield from source_rows(side.store.source_states(tenant))
    yield Row(kind="settings", id="built with", values=settings_of(side.notes, tenant))


def document_parts(store: GraphStore, tenant: str, ids: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield ids in parts of documents with about two thousand chunks, and how many come before each part."""
    counts = store.tenant_counts(tenant)
    step = max(1, min(_MOST_DOCUMENTS, _CHUNKS_AT_ONCE * counts.documents // max(counts.chunks, 1)))
    for start in range(0, len(ids), step):
        yield start, ids[start : start + step]


def same_rows(left: Iterable[Row], right: Iterable[Row]) -> bool:
    """Tell whether two sets of rows are equal, whatever their order."""
    return sorted((row.kind, row.line) for row in left) == sorted((row.kind, row.line) for row in right)

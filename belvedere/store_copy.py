"""Copying a store to another place, to a Neo4j server or into a folder; resumable, and compared row by row at the end.

The copy carries a mark until the comparison has found every row: until then nobody takes it for a whole store. What an
earlier run has written is compared and kept, or written again where the store has changed since.
"""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from belvedere.built_settings import carry_over
from belvedere.errors import UserMistake
from belvedere.record_rows import document_rows, layer_rows, source_rows
from belvedere.settings import Settings
from belvedere.store_comparison import Comparison, ProgressListener, Side, compare_stores, document_parts, same_rows
from belvedere.store_location import StoreLocation
from belvedere.wiring import notes_of, open_as_origin, open_for_copy, open_to_read
from graph_store.bundles import DocumentBundle, Generation
from graph_store.copies import LayerStanding, StoredLayer
from graph_store.store import GraphStore
from indexing.report import Progress


class CopyMistake(UserMistake):
    """A copy that cannot be made from here to there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """What a copy did: documents ``written``, ``kept`` from an earlier run, ``removed``; and how the stores compare."""

    tenants: tuple[str, ...]
    written: int
    kept: int
    removed: int
    comparison: Comparison


@dataclass(slots=True)
class _Tally:
    written: int = 0
    kept: int = 0
    removed: int = 0


def copy_store(
    origin: StoreLocation,
    target: StoreLocation,
    settings: Settings,
    *,
    tenant: str | None = None,
    progress: ProgressListener | None = None,
) -> CopyReport:
    """Copy all tenants of a store, or one; a run that was stopped may be repeated as it was.

    The origin is read as one state. Only where the comparison agrees is the copy a store that can be asked. Raises
    ``CopyMistake`` where the target holds other data, ``StoreChanged`` where the origin was written to all the same,
    and ``StoreUnusable``.
    """
    _need_two(origin, target)
    with closing(open_as_origin(origin, settings)) as source, ExitStack() as opened:
        with source.one_state():
            tenants = _chosen(source, tenant)
            store = opened.enter_context(closing(open_for_copy(target, settings, source.live_space().space)))
            _claim(store, source, f"of {_named(origin)}" + ("" if tenant is None else f", tenant {tenant!r}"))
            copying = _Copying(source, store, progress)
            copying.remove_others(tenants)
            for name in tenants:
                copying.copy_tenant(name)
            sides = (
                Side(store=source, notes=notes_of(origin, source)),
                Side(store=store, notes=notes_of(target, store)),
            )
            carry_over(sides[0].notes, sides[1].notes, tenants)
            comparison = compare_stores(*sides, tenants, progress=progress)
        if comparison.agrees:  # and all that was read of the origin is of one state
            store.end_copy()
    tally = copying.tally
    return CopyReport(
        tenants=tenants, written=tally.written, kept=tally.kept, removed=tally.removed, comparison=comparison
    )


def verify_copy(
    origin: StoreLocation,
    target: StoreLocation,
    settings: Settings,
    *,
    tenant: str | None = None,
    progress: ProgressListener | None = None,
) -> CopyReport:
    """Compare two stores without writing; parameters and errors as of ``copy_store``."""
    _need_two(origin, target)
    with (
        closing(open_as_origin(origin, settings)) as source,
        closing(open_to_read(target, settings)) as store,
        source.one_state(),
        store.one_state(),
    ):
        tenants = tuple(sorted({*_chosen(source, tenant), *(store.tenants() if tenant is None else ())}))
        comparison = compare_stores(
            Side(store=source, notes=notes_of(origin, source)),
            Side(store=store, notes=notes_of(target, store)),
            tenants,
            progress=progress,
        )
    return CopyReport(tenants=tenants, written=0, kept=0, removed=0, comparison=comparison)


def _need_two(origin: StoreLocation, target: StoreLocation) -> None:
    if _named(origin) == _named(target):
        raise CopyMistake(f"both places are {_named(origin)}: name another one for the copy")


def _named(location: StoreLocation) -> str:
    return str(location.resolve()) if isinstance(location, Path) else location.place


def _chosen(source: GraphStore, tenant: str | None) -> tuple[str, ...]:
    tenants = source.tenants()
    if tenant is None:
        return tenants
    if tenant not in tenants:
        raise CopyMistake(f"the store has no tenant {tenant!r}: it has {', '.join(map(repr, tenants)) or 'none'}")
    return (tenant,)


def _claim(store: GraphStore, source: GraphStore, note: str) -> None:
    """Mark the target as a copy of this origin; raises ``CopyMistake`` where it is anything else."""
    held = store.unfinished_copy()
    if held is None and store.tenants():
        raise CopyMistake(
            "the place for the copy holds a store with documents: name an empty one; --verify compares both"
        )
    if held is not None and held != note:
        raise CopyMistake(f"the place for the copy holds another one that is not finished ({held}): name an empty one")
    store.begin_copy(note, source.live_space())


class _Copying:
    """Writes into the copy what it lacks, and takes away what the origin does not have (any more)."""

    def __init__(self, source: GraphStore, store: GraphStore, progress: ProgressListener | None) -> None:
        self._source = source
        self._store = store
        self._progress = progress
        self.tally = _Tally()

    def remove_others(self, tenants: Sequence[str]) -> None:
        """Empty the tenants that an earlier run copied, and that are not there any more."""
        for tenant in sorted(set(self._store.tenants()).difference(tenants)):
            self._remove(tenant, list(self._store.document_states(tenant)))
            empty = StoredLayer(generation=Generation(tenant=tenant), standing=LayerStanding())
            self._store.write_layer(empty)

    def copy_tenant(self, tenant: str) -> None:
        """Copy documents, what is known of their sources, and the derived layer, in this order."""
        self._copy_documents(tenant)
        self._copy_sources(tenant)
        self._tell(f"copying the graph of {tenant}", 0, None)
        layer = self._source.stored_layer(tenant)
        if not same_rows(layer_rows(layer), layer_rows(self._store.stored_layer(tenant))):
            self._store.write_layer(layer)

    def _copy_documents(self, tenant: str) -> None:
        ids = sorted(self._source.document_states(tenant))
        there = set(self._store.document_states(tenant))
        self._remove(tenant, sorted(there.difference(ids)))
        for done, part in document_parts(self._source, tenant, ids):
            self._tell(f"copying {tenant}", done, len(ids))
            bundles = self._source.document_bundles(tenant, part)
            held = self._store.document_bundles(tenant, [key for key in part if key in there])
            lacking = _differing(bundles, held)
            if lacking:
                self._store.write_documents(lacking)
            self.tally.written += len(lacking)
            self.tally.kept += len(bundles) - len(lacking)

    def _copy_sources(self, tenant: str) -> None:
        sources, held = self._source.source_states(tenant), self._store.source_states(tenant)
        if not same_rows(source_rows(sources), source_rows(held)):
            self._store.remember_sources(tenant, sources, forget=set(held).difference(sources))

    def _remove(self, tenant: str, document_ids: Sequence[str]) -> None:
        if document_ids:
            self.tally.removed += len(self._store.delete_documents(tenant, document_ids))

    def _tell(self, step: str, done: int, total: int | None) -> None:
        if self._progress is not None:
            self._progress(Progress(step=step, done=done, total=total))


def _differing(bundles: Sequence[DocumentBundle], held: Sequence[DocumentBundle]) -> list[DocumentBundle]:
    """Return the documents that are not held, or not as they are."""
    known = {bundle.document.id: bundle for bundle in held}

    def is_held(bundle: DocumentBundle) -> bool:
        other = known.get(bundle.document.id)
        return other is not None and same_rows(document_rows(bundle), document_rows(other))

    return [bundle for bundle in bundles if not is_held(bundle)]

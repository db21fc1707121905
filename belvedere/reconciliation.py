"""Comparing a store with its sources, and mending what differs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from belvedere.settings import Settings
from belvedere.store_location import StoreLocation
from belvedere.wiring import examine_indexes
from graph_store.store import GraphStore
from indexing.loading.loaded import LoadFailure
from indexing.options import IndexOptions
from indexing.reconciling import Drift, SourceComparison, compare_sources
from indexing.report import IndexReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """How the store differed from its sources, and what was done about it.

    ``drifts`` are what was found first; ``left`` what is still there at the end: the same without ``--fix``.
    ``report`` is that of the run that mended, None where there was none. Other fields as of ``SourceComparison``,
    before mending.
    """

    drifts: tuple[Drift, ...]
    left: tuple[Drift, ...]
    unreadable: tuple[LoadFailure, ...]
    agreeing: int
    gone_outside: int
    oldest_change_seconds: float | None
    report: IndexReport | None = None

    @property
    def agrees(self) -> bool:
        """Whether the store is now as its sources are."""
        return not self.left


def compare_with_sources(
    location: StoreLocation, store: GraphStore, settings: Settings, paths: Sequence[Path], options: IndexOptions
) -> SourceComparison:
    """Compare an open store at ``location`` with the sources below ``paths``, and its indexes with its rows."""
    comparison = compare_sources(paths, store=store, settings=settings.indexing, options=options)
    findings = examine_indexes(location, settings, options.tenant)
    lags = tuple(Drift(kind="lag", says=item.says) for item in findings if item.level != "fine")
    return replace(comparison, drifts=comparison.drifts + lags)


def reconcile(compare: Callable[[], SourceComparison], mend: Callable[[], IndexReport], *, fix: bool) -> Reconciliation:
    """Compare; with ``fix`` mend what differs and compare again."""
    first = compare()
    report = mend() if fix and first.drifts else None
    return Reconciliation(
        drifts=first.drifts,
        left=compare().drifts if report is not None else first.drifts,
        unreadable=first.unreadable,
        agreeing=first.agreeing,
        gone_outside=first.gone_outside,
        oldest_change_seconds=first.oldest_change_seconds,
        report=report,
    )

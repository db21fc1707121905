"""How a store differs from its sources: found by looking alone, nothing is written and no model is loaded."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from graph_store.bundles import DocumentState
from graph_store.records import Document
from graph_store.store import GraphStore
from indexing.derived_mark import derived_mark, is_finished
from indexing.document_step import PendingDocument
from indexing.given_paths import GivenPaths, part_gone
from indexing.identity import told_apart
from indexing.loading.loaded import LoadFailure
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from indexing.source_files import source_file
from indexing.source_memory import SourceMemory
from indexing.source_step import SourceStep, gone_documents, renamed_documents

DriftKind: TypeAlias = Literal["missing", "stale", "orphaned", "lag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One way in which the store differs from its sources, told in a sentence.

    ``kind`` is "missing" (a source that is not in the store), "stale" (a document that is not as its source is now),
    "orphaned" (a document whose source is gone) or "lag" (something derived that is older than the documents).
    ``source`` and ``document_id`` are empty for a lag.
    """

    kind: DriftKind
    says: str
    source: str = ""
    document_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceComparison:
    """The drifts of a tenant, and the sources that cannot be read, or must not be opened unasked, which are
    none: no run could mend them.

    ``oldest_change_seconds`` is how long ago the missing or stale source that has waited longest was changed; None
    where there is none. ``agreeing`` documents are as their sources are. ``gone_outside`` documents have lost a source
    that lay outside the given paths: no drift of these.
    """

    drifts: tuple[Drift, ...]
    unreadable: tuple[LoadFailure, ...]
    agreeing: int
    gone_outside: int
    oldest_change_seconds: float | None


def compare_sources(
    paths: Sequence[Path],
    *,
    store: GraphStore,
    settings: IndexingSettings,
    options: IndexOptions,
) -> SourceComparison:
    """Compare what lies below ``paths`` with the documents of a tenant, as an indexing run that prunes would.

    Sources that have changed are read, others only hashed. Raises ``SourceMissing`` for a path that does not exist.
    """
    states = store.document_states(options.tenant)
    stored, _ = told_apart(states)
    given = GivenPaths(paths)
    step = SourceStep(states, settings, replace(options, prune=True), given)
    memory = SourceMemory(
        store.source_states(options.tenant), fingerprint=settings.source_fingerprint(options.models.names)
    )
    changes = step.run(paths, memory, lambda _done, _total: None)
    renamed = renamed_documents(stored, changes)
    gone = part_gone(set(gone_documents(stored, changes)).difference(renamed.values()), stored, given)
    drifts = [_drift_of(item, stored, renamed) for item in changes.pending]
    drifts += [_orphan(document_id, stored[document_id]) for document_id in gone.inside]
    drifts += _derived_lag(store, settings, options)
    return SourceComparison(
        drifts=tuple(drifts),
        unreadable=tuple(changes.failed),
        agreeing=len(changes.seen) - len(changes.pending),
        gone_outside=len(gone.outside),
        oldest_change_seconds=_age([item.document for item in changes.pending]),
    )


def _drift_of(item: PendingDocument, stored: Mapping[str, DocumentState], renamed: Mapping[str, str]) -> Drift:
    document = item.document
    known = stored.get(renamed.get(document.id, document.id))
    if known is None:
        says = f"{document.source_uri} is not in the store"
        return Drift(kind="missing", says=says, source=document.source_uri, document_id=document.id)
    if known.source_uri != document.source_uri:
        says = f"the document {document.id!r} has moved: the store knows it as {known.source_uri}"
        says += f", and it is now {document.source_uri}"
    elif known.groups != document.groups:
        says = (
            f"the document {document.id!r} is stored for {_readers(known.groups)}, not for {_readers(document.groups)}"
        )
    else:
        says = f"the document {document.id!r} is not as its source is now, or as the settings of indexing make it"
    return Drift(kind="stale", says=says, source=document.source_uri, document_id=document.id)


def _readers(groups: Sequence[str]) -> str:
    return f"the groups {', '.join(groups)}" if groups else "everybody of the tenant"


def _orphan(document_id: str, state: DocumentState) -> Drift:
    says = f"the document {document_id!r} stays in the store although its source {state.source_uri} is gone"
    return Drift(kind="orphaned", says=says, source=state.source_uri, document_id=document_id)


def _derived_lag(store: GraphStore, settings: IndexingSettings, options: IndexOptions) -> list[Drift]:
    made_with = store.derived_fingerprint(options.tenant)
    wanted = derived_mark(settings, options.models.names)
    if made_with == wanted or not store.tenant_counts(options.tenant).documents:
        return []
    if made_with is not None and not is_finished(made_with):
        return [
            Drift(kind="lag", says="a language model failed at some reports or summaries, which are quotations so far")
        ]
    older = "the documents are" if made_with is None else "the settings of indexing are"
    return [Drift(kind="lag", says=f"entities, communities and trees are older than {older}")]


def _age(documents: Sequence[Document]) -> float | None:
    """Return the seconds since the change of the source that has waited longest; a time to come counts as now."""
    times = []
    for path in {source_file(document.source_uri, document.id) for document in documents}:
        try:
            times.append(path.stat().st_mtime)
        except OSError:  # it went meanwhile
            continue
    return max(0.0, time.time() - min(times)) if times else None

"""The story of an indexing run: load, compare, chunk, embed, extract, write; then derive and publish.

Every batch of documents is one commit, so a run that is stopped loses at most one batch, and the next run goes on from
there: what is stored with an equal content hash is left alone, and a derived layer that is older than the documents is
made again.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from graph_store.bundles import DocumentState
from graph_store.store import GraphStore
from indexing.derived_mark import derived_mark
from indexing.derived_step import Helpers, derive
from indexing.document_step import DocumentStep, PendingDocument, StandingDocuments
from indexing.given_paths import GivenPaths, part_gone, refuse_emptied
from indexing.identity import told_apart
from indexing.llm_extraction.llm_extractor import LlmExtractor
from indexing.model_work import WorkTally
from indexing.options import IndexOptions
from indexing.report import DocumentChanges, IndexReport, Progress, ProgressListener, StepClock, peak_rss_bytes
from indexing.settings import IndexingSettings
from indexing.source_memory import SourceMemory
from indexing.source_step import SourceChanges, SourceStep, gone_documents, renamed_documents
from model_clients.cpu_metered import CpuMeteredEmbedder
from model_clients.embedder import Embedder


def build_index(
    paths: Sequence[Path],
    *,
    store: GraphStore,
    embedder: Embedder,
    settings: IndexingSettings,
    options: IndexOptions,
    progress: ProgressListener | None = None,
) -> IndexReport:
    """Bring the store up to date with files, folders and ``corpus.jsonl`` files.

    Sources that cannot be read are named in the report and stop nothing; a path that does not exist raises before
    anything is written, and so does pruning an empty folder (``FolderEmptied``). Without groups and ``public`` what is
    stored for groups stays so; a new source of the very content of such a document is left out, and named. Where a
    language model of the options fails at something, it is done without, named in the report, and tried again by the
    next run. Raises ``EndpointUnusable`` where a model cannot be asked at all; batches that are written stay.
    """
    run = IndexRun(store, embedder, settings=settings, options=options, listener=progress)
    return run.bring_up_to_date(paths)


class IndexRun:
    """One indexing run of one tenant."""

    def __init__(
        self,
        store: GraphStore,
        embedder: Embedder,
        *,
        settings: IndexingSettings,
        options: IndexOptions,
        listener: ProgressListener | None = None,
    ) -> None:
        self._store = store
        self._embedder = CpuMeteredEmbedder(embedder)
        self._settings = settings
        self._options = options
        self._models = options.models
        self._listener = listener
        self._clock = StepClock()
        self._work = WorkTally()

    def bring_up_to_date(self, paths: Sequence[Path]) -> IndexReport:
        """Do the whole run and report on it."""
        cpu_start = time.process_time()
        states = self._store.document_states(self._options.tenant)
        stored, _ = told_apart(states)
        options = self._options
        if options.rebuild:
            self._store.require_whole(options.tenant)
        given = GivenPaths(paths)
        sources = SourceStep(states, self._settings, options, given)
        memory = SourceMemory(
            {} if options.rebuild else self._store.source_states(options.tenant),
            fingerprint=self._settings.source_fingerprint(self._models.names),
        )
        with self._clock.step("load"):
            changes = sources.run(paths, memory, lambda done, total: self._tell("load", done, total))
        renamed = renamed_documents(stored, changes)
        gone = part_gone(set(gone_documents(stored, changes)).difference(renamed.values()), stored, given)
        if options.prune:
            refuse_emptied(given, changes.found, [stored[document_id].source_uri for document_id in gone.inside])
        self._write(changes, {} if options.rebuild else stored, renamed, memory)
        deleted = self._delete(gone.inside) if options.prune else ()
        self.refresh_derived()
        updated = sum(item.document.id in stored for item in changes.pending) + len(renamed)
        return self._report(
            DocumentChanges(
                added=len(changes.pending) - updated,
                updated=updated,
                unchanged=len(changes.seen) - len(changes.pending),
                deleted=len(deleted),
                gone=0 if options.prune else len(gone.inside),
                gone_outside=len(gone.outside),
                failed=tuple(changes.failed),
            ),
            time.process_time() - cpu_start,
        )

    def index_loaded(self, pending: Sequence[PendingDocument]) -> None:
        """Index documents that are loaded already, all that is derived from them with it, into a store that is new."""
        memory = SourceMemory({}, fingerprint="")
        self._write(SourceChanges(pending=list(pending)), {}, {}, memory)
        self.refresh_derived()

    def _delete(self, document_ids: Sequence[str]) -> tuple[str, ...]:
        return self._store.delete_documents(self._options.tenant, document_ids) if document_ids else ()

    def refresh_derived(self) -> None:
        """Make the derived layer again where documents, settings or models changed, or a model failed at something."""
        tenant = self._options.tenant
        if self._store.derived_fingerprint(tenant) == derived_mark(self._settings, self._models.names):
            return
        with self._clock.step("read"):
            collection = self._store.read_collection(tenant)
            previous = self._store.read_generation(tenant)
        generation = derive(
            collection,
            previous,
            settings=self._settings,
            helpers=Helpers(
                embedder=self._embedder,
                clock=self._clock,
                started=lambda step: self._tell(step, 0, None),
                models=self._models,
                work=self._work,
            ),
        )
        with self._clock.step("publish"):
            self._store.publish(generation)

    def _write(
        self,
        changes: SourceChanges,
        stored: Mapping[str, DocumentState],
        renamed: Mapping[str, str],
        memory: SourceMemory,
    ) -> None:
        if changes.pending:
            step = DocumentStep(
                self._store,
                self._embedder,
                self._settings,
                self._clock,
                standing=StandingDocuments(states=stored, renamed=renamed),
                model=self._extraction_model(),
            )
            self._write_documents(changes.pending, step, memory)
        states, gone = memory.settled(()), memory.gone()
        if states or gone:
            self._store.remember_sources(self._options.tenant, states, forget=gone)

    def _extraction_model(self) -> LlmExtractor | None:
        model = self._models.extraction
        return LlmExtractor(model, self._settings.llm_extraction, self._work) if model else None

    def _write_documents(self, pending: Sequence[PendingDocument], step: DocumentStep, memory: SourceMemory) -> None:
        """Write documents batch by batch; what their sources gave is remembered as soon as all of it is stored."""
        ids = [item.document.id for item in pending]
        self._tell("documents", 0, len(ids))
        for done in step.run(pending):
            memory.unlearn(frozenset(self._work.unfinished))
            states = memory.settled(set(ids[done:]))
            if states:
                self._store.remember_sources(self._options.tenant, states)
            self._tell("documents", done, len(ids))

    def _report(self, documents: DocumentChanges, cpu_seconds: float) -> IndexReport:
        counts = self._store.tenant_counts(self._options.tenant)
        return IndexReport(
            documents=documents,
            chunks=counts.chunks,
            entities=counts.entities,
            relations=counts.relations,
            communities=counts.communities,
            tree_nodes=counts.tree_nodes,
            seconds=dict(self._clock.seconds),
            cpu_seconds=cpu_seconds,
            embed_cpu_seconds=self._embedder.cpu_seconds,
            peak_rss_bytes=peak_rss_bytes(),
            model_work=self._work.total(),
        )

    def _tell(self, step: str, done: int, total: int | None) -> None:
        if self._listener is not None:
            self._listener(Progress(step=step, done=done, total=total))

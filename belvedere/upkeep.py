"""Filling a store and keeping it true to its sources: what a knowledge base does when it writes."""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from belvedere.built_settings import record_settings
from belvedere.settings import Settings
from belvedere.store_location import StoreLocation
from belvedere.store_session import StoreSession
from belvedere.wiring import notes_of, open_to_write
from graph_store.access import Access
from graph_store.store import GraphStore
from indexing.model_names import IndexingModels
from indexing.options import IndexOptions
from indexing.report import IndexReport, Progress
from indexing.source_files import is_gone, source_file
from model_clients.chat.task_models import TaskModels
from model_clients.chat.usage import collected_usage

if TYPE_CHECKING:
    from belvedere.reconciliation import Reconciliation

ProgressListener: TypeAlias = Callable[[Progress], None]
Paths: TypeAlias = str | Path | Iterable[str | Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """Which documents were deleted, and which of the given ids no document had.

    ``returning`` are the sources of deleted documents whose file is still there: the next run over them brings these
    documents back. ``untold`` is how many texts language models are to tell anew: a deletion asks none, and until the
    next run they are made without.
    """

    deleted: tuple[str, ...]
    missing: tuple[str, ...]
    returning: tuple[str, ...] = ()
    untold: int = 0


class Upkeep:
    """Writes to the store of a session; each call has the store to itself and closes it again."""

    def __init__(self, location: StoreLocation, settings: Settings, session: StoreSession) -> None:
        self._location = location
        self._settings = settings
        self._session = session

    def bring_up_to_date(
        self, paths: Paths, options: IndexOptions, progress: ProgressListener | None = None
    ) -> IndexReport:
        """Index ``paths``; errors as of ``KnowledgeBase.index``."""
        given = paths_of(paths)
        with closing(self._writer()) as store:
            return self._build(given, store, self._with_models(options), progress)

    def delete(self, document_ids: Iterable[str], access: Access, progress: ProgressListener | None = None) -> Deletion:
        """Delete documents that the caller may read; those that are hidden count as missing."""
        wanted = tuple(dict.fromkeys(document_ids))
        # Read first: a store that is not there is told apart before one is made.
        readable = {document.id: document.source_uri for document in self._session.store.documents(access, wanted)}
        if not readable:
            return Deletion(deleted=(), missing=wanted)
        with closing(self._writer()) as store:
            # First of all: where this is stopped half-way, nothing that was made of a document outlives it.
            self._session.language_models.replies.forget(access.tenant, readable)
            deleted = store.delete_documents(access.tenant, list(readable))
            kept = self._with_models(IndexOptions(tenant=access.tenant), self._session.language_models.kept_tasks)
            report = self._build([], store, kept, progress)
        return Deletion(
            deleted=deleted,
            missing=tuple(name for name in wanted if name not in deleted),
            returning=tuple(readable[name] for name in deleted if not is_gone(source_file(readable[name], name))),
            untold=len(report.model_work.failed) if report.model_work else 0,
        )

    def reconcile(
        self, paths: Paths, options: IndexOptions, *, fix: bool, progress: ProgressListener | None = None
    ) -> "Reconciliation":
        """Compare the store with its sources; with ``fix`` mend what differs."""
        from belvedere.reconciliation import compare_with_sources, reconcile  # noqa: PLC0415  # only when used

        given = paths_of(paths)
        return reconcile(
            lambda: compare_with_sources(
                self._location, self._session.store, self._settings, given, self._with_models(options)
            ),
            lambda: self.bring_up_to_date(given, options, progress),
            fix=fix,
        )

    def _writer(self) -> GraphStore:
        self._session.close()
        self._session.choose_again()
        return open_to_write(self._location, self._settings, embedder=self._session.embedder)

    def _build(
        self, paths: Sequence[Path], store: GraphStore, options: IndexOptions, progress: ProgressListener | None
    ) -> IndexReport:
        from indexing.build_index import build_index  # noqa: PLC0415  # heavy import, only when used

        begun = time.time()
        self._settle_replies(store, options.tenant, begun, beginning=True)
        with collected_usage() as usage:
            report = build_index(
                paths,
                store=store,
                embedder=self._session.embedder,
                settings=self._settings.indexing,
                options=options,
                progress=progress,
            )
        # A run that reads no sources tells nothing of documents that are still to come.
        self._settle_replies(store, options.tenant, begun, beginning=not paths)
        record_settings(notes_of(self._location, store), options.tenant, self._session.used_settings)
        return replace(
            report,
            usage=usage.by_task(),
            usage_by_unit=usage.by_task_and_unit(),
            failed_calls=usage.failures(),
        )

    def _with_models(self, options: IndexOptions, models_of: TaskModels | None = None) -> IndexOptions:
        """Add the language models that take part: those of all tasks, unless other ones are given."""
        if self._settings.llm.lazy:
            return options
        tasks = self._session.language_models.tasks if models_of is None else models_of
        models = IndexingModels(extraction=tasks.extraction, reports=tasks.reports, summaries=tasks.summaries)
        return replace(options, models=models)

    def _settle_replies(self, store: GraphStore, tenant: str, begun: float, *, beginning: bool = False) -> None:
        """Erase replies of language models that are not of the documents as they are."""
        replies = self._session.language_models.replies
        if replies.is_there:
            contents = {name: state.content_hash for name, state in store.document_states(tenant).items()}
            replies.settle(tenant, contents, since=begun, beginning=beginning)


def paths_of(paths: Paths) -> list[Path]:
    """Return one path or several as a list of paths."""
    return [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]

"""Which sources are new, changed, unchanged or gone."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graph_store.bundles import DocumentState, SourceState
from graph_store.records import Document
from indexing.document_step import PendingDocument, make_document, unreadable_dates
from indexing.given_paths import GivenPaths
from indexing.identity import DocumentIds, document_hash, natural_id, told_apart
from indexing.kept_readers import KeptReaders, Readers
from indexing.loading.discover import discover
from indexing.loading.load import iterate_source
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from indexing.source_files import is_gone, source_file
from indexing.source_memory import SourceMemory

_BLANK_BYTES = 65_536


@dataclass(slots=True)
class SourceChanges:
    """What was found on the way through the sources.

    ``found`` are all files that are sources; ``seen`` are the ids of all documents that exist, changed or not;
    ``read_whole`` the files that were read to their end without a failure, so that what they no longer hold is known to
    be gone; ``twins`` the hashes that new documents would have for other readers, by their id.
    """

    found: tuple[Path, ...] = ()
    pending: list[PendingDocument] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    read_whole: set[Path] = field(default_factory=set)
    failed: list[LoadFailure] = field(default_factory=list)
    twins: dict[str, tuple[str, ...]] = field(default_factory=dict)


class SourceStep:
    """Loads sources and compares them with what is stored."""

    def __init__(
        self,
        stored: Mapping[str, DocumentState],
        settings: IndexingSettings,
        options: IndexOptions,
        given: GivenPaths,
    ) -> None:
        stored, self._unfinished = told_apart(stored)
        self._stored = stored
        self._settings = settings
        self._tenant = options.tenant
        self._rebuild = options.rebuild
        self._ids = DocumentIds(stored, prune=options.prune, below=given.hold)
        self._fingerprint = settings.document_fingerprint(options.models.names)
        self._readers = KeptReaders(stored, options, self._fingerprint)

    def run(self, paths: Sequence[Path], memory: SourceMemory, tell: Callable[[int, int], None]) -> SourceChanges:
        """Load what has changed below ``paths``, and teach ``memory``; ``tell`` hears (done, total) files."""
        found = discover(paths, self._settings.loading)
        roots = [path.resolve() for path in paths]
        changes = SourceChanges(found=found.sources, failed=list(found.failures))
        for done, source in enumerate(found.sources):
            tell(done, len(found.sources))
            readers = self._readers.of_file(source)
            mark = memory.mark(source, readers)
            known = memory.unchanged(source, mark)
            if known is not None:
                _take(source, known, changes)
                continue
            state = self._load(source, mark or "", roots, changes)
            if state is not None:
                memory.learn(source, state, readers)
        self._leave_out(changes, memory)
        tell(len(found.sources), len(found.sources))
        return changes

    def _leave_out(self, changes: SourceChanges, memory: SourceMemory) -> None:
        """Leave out what would open a document of groups; what is stored of it stays."""
        refused = self._readers.would_open(changes.pending)
        if not refused:
            return
        for item in changes.pending:
            if item.document.id in refused:  # once the other is deleted, nothing would tell that this is for groups
                changes.seen |= self._readers.of_content(item.loaded)
        changes.pending = [item for item in changes.pending if item.document.id not in refused]
        changes.seen.difference_update(refused.keys() - self._stored.keys())
        changes.failed += refused.values()
        memory.unlearn(refused)

    def _load(self, source: Path, mark: str, roots: Sequence[Path], changes: SourceChanges) -> SourceState | None:
        """Read a file; return what it gave, None where another try may give more."""
        failures, dates, own = len(changes.failed), list[LoadFailure](), list[str]()
        readers = set[Readers]()
        for loaded in self._documents_of(source, changes):
            twins = () if self._ids.knows(loaded.source_uri) else self._readers.twins(loaded)
            document_id, groups, content_hash = self._identify(loaded, source, roots, twins)
            readers.add(groups)
            if document_id in changes.seen:
                continue
            changes.seen.add(document_id)
            own.append(document_id)
            if twins:
                changes.twins[document_id] = twins
            dates += unreadable_dates(loaded)
            document = self._document(loaded, document_id, content_hash, groups)
            if self._rebuild or not self._is_stored(document):
                changes.pending.append(PendingDocument(document=document, loaded=loaded))
        whole = len(changes.failed) == failures
        if whole:
            changes.read_whole.add(source)
        changes.failed += dates
        failed = changes.failed[failures:]
        if any(failure.passing for failure in failed):
            return None
        if readers and readers != self._readers.of_file(source):
            return None  # the mark tells of other readers
        told = tuple((failure.uri, failure.error) for failure in failed)
        return SourceState(mark=mark, document_ids=tuple(own), failures=told, whole=whole)

    def _identify(
        self, loaded: LoadedDocument, source: Path, roots: Sequence[Path], twins: tuple[str, ...]
    ) -> tuple[str, Readers, str]:
        """Return the id, the readers and the content hash of a loaded document."""
        readers = self._readers.of_source(loaded, source)
        content_hash = document_hash(loaded, readers, self._fingerprint)
        document_id = self._ids.assign(natural_id(loaded, source, roots), loaded, content_hash, twins=twins)
        kept = self._readers.of_document(document_id, readers)
        return document_id, kept, document_hash(loaded, kept, self._fingerprint) if kept != readers else content_hash

    def _documents_of(self, source: Path, changes: SourceChanges) -> Iterator[LoadedDocument]:
        for item in iterate_source(source, self._settings.loading):
            if isinstance(item, LoadFailure):
                changes.failed.append(item)
            else:
                yield item

    def _document(self, loaded: LoadedDocument, document_id: str, content_hash: str, groups: Readers) -> Document:
        known = self._stored.get(document_id)
        same = known is not None and _is_same(known, content_hash, loaded.source_uri)
        return make_document(
            loaded,
            id=document_id,
            version=1 if known is None else known.version + (not same),
            tenant=self._tenant,
            groups=groups,
            content_hash=content_hash,
        )

    def _is_stored(self, document: Document) -> bool:
        known = self._stored.get(document.id)
        return (
            known is not None
            and document.id not in self._unfinished
            and _is_same(known, document.content_hash, document.source_uri)
        )


def _is_same(known: DocumentState, content_hash: str, source_uri: str) -> bool:
    return known.content_hash == content_hash and known.source_uri == source_uri


def _take(source: Path, known: SourceState, changes: SourceChanges) -> None:
    """Count what a file that has not changed gave before."""
    changes.seen.update(known.document_ids)
    changes.failed += [LoadFailure(uri=uri, error=sentence) for uri, sentence in known.failures]
    if known.whole:
        changes.read_whole.add(source)


def renamed_documents(stored: Mapping[str, DocumentState], changes: SourceChanges) -> dict[str, str]:
    """Return new id -> old id of stored documents whose file is gone while a new source holds the very same."""
    new: dict[str, list[str]] = defaultdict(list)
    for document in (item.document for item in changes.pending if item.document.id not in stored):
        for content_hash in (document.content_hash, *changes.twins.get(document.id, ())):
            new[content_hash].append(document.id)
    renamed: dict[str, str] = {}
    for document_id, state in sorted(stored.items()):
        names = new.get(state.content_hash, [])
        while names and names[0] in renamed:
            names.pop(0)
        if names and document_id not in changes.seen and is_gone(source_file(state.source_uri, document_id)):
            renamed[names.pop(0)] = document_id
    return renamed


def gone_documents(stored: Mapping[str, DocumentState], changes: SourceChanges) -> tuple[str, ...]:
    """Return the ids of stored documents whose file is gone, or whose file was read whole and holds them no more."""
    files = {name: source_file(state.source_uri, name) for name, state in stored.items() if name not in changes.seen}
    refused = {failure.uri for failure in changes.failed}
    gone = {path for path in set(files.values()) if _is_gone(path, changes.read_whole, refused)}
    return tuple(sorted(name for name, path in files.items() if path in gone))


def _is_gone(path: Path, read_whole: set[Path], refused: set[str]) -> bool:
    """Tell whether nothing is left of a file; what was named as unreadable, or a folder above it, is not gone."""
    if path in read_whole or _is_blank(path):
        return True
    return is_gone(path) and not any(str(place) in refused for place in (path, *path.parents))


def _is_blank(path: Path) -> bool:
    """Tell whether a file holds nothing but white space: it is no failure to read, there is just nothing left."""
    try:
        with path.open("rb") as file:
            return not file.read(_BLANK_BYTES).strip() and not file.read(1)
    except OSError:
        return False

"""Who may read a document where a run is not told: nothing that is stored for groups is opened unasked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from graph_store.bundles import DocumentState
from indexing.document_step import PendingDocument
from indexing.identity import document_hash
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.options import IndexOptions
from indexing.source_files import is_gone, source_file

Readers: TypeAlias = tuple[str, ...]
"""Groups, sorted; empty for everybody of the tenant."""

_EVERYBODY: Readers = ()


class KeptReaders:
    """Decides for whom documents are stored.

    A run that is told, by groups or by ``public``, stores all for those. Without, what is stored keeps its readers,
    changed or moved, a new row has those of its file, and every other new document is for everybody, unless it has the
    very content of a document of groups: then it is left out.
    """

    def __init__(self, stored: Mapping[str, DocumentState], options: IndexOptions, fingerprint: str) -> None:
        self._told = options.public or bool(options.groups)
        self._groups: Readers = tuple(sorted(set(options.groups)))
        self._stored = stored
        self._fingerprint = fingerprint
        self._by_source = {state.source_uri: state.groups for state in stored.values()}
        self._by_file = _readers_by_file(self._by_source)
        self._restricted: defaultdict[str, list[str]] = defaultdict(list)
        for document_id, state in stored.items():
            if state.groups:
                self._restricted[state.content_hash].append(document_id)
        self._all_sets = {state.groups for state in stored.values()}
        self._sets = sorted(self._all_sets - {_EVERYBODY})

    def of_file(self, source: Path) -> frozenset[Readers]:
        """Return the readers that the documents of a file have, or have once it is stored, as far as is known."""
        if self._told:
            return frozenset({self._groups})
        return frozenset(self._by_file.get(str(source), {_EVERYBODY}))

    def of_source(self, loaded: LoadedDocument, source: Path) -> Readers:
        """Return the readers of a loaded document of the file ``source``, before its id is known."""
        if self._told:
            return self._groups
        known = self._by_source.get(loaded.source_uri)
        if known is not None:
            return known
        moved = next((own for own in self._sets if self._is_moved(loaded, own)), None)
        return min(self.of_file(source)) if moved is None else moved

    def of_document(self, document_id: str, readers: Readers) -> Readers:
        """Return ``readers``, or those of the stored document whose id the source was given."""
        known = self._stored.get(document_id)
        return readers if self._told or known is None or not known.groups else known.groups

    def twins(self, loaded: LoadedDocument) -> tuple[str, ...]:
        """Return the hashes that a new source would have for other readers, where it is told who may read it now.

        A document that moved to where fewer may read it must not go on answering everybody.
        """
        if not self._told:
            return ()
        return tuple(self._hash(loaded, readers) for readers in sorted(self._all_sets - {self._groups}))

    def would_open(self, pending: Sequence[PendingDocument]) -> dict[str, LoadFailure]:
        """Return, by id, the documents that must not be written: others than before would read what groups have."""
        if self._told:
            return {}
        restricted = [item for item in pending if item.document.groups]
        if not restricted and not self._sets:
            return {}
        now = {document_hash(item.loaded, (), self._fingerprint): item.document.groups for item in restricted}
        refused = {}
        for item in pending:
            document = item.document
            known = self._stored.get(document.id)
            if known is not None and known.content_hash == document.content_hash:
                continue  # as it was, for whom it was
            own = [groups for groups in self._sets if self._restricted.get(self._hash(item.loaded, groups))]
            if not document.groups:
                own += [groups] if (groups := now.get(self._hash(item.loaded, ()))) else []
            if own and not _is_within(document.groups, own):
                refused[document.id] = _left_out(document.source_uri, own[0])
        return refused

    def of_content(self, loaded: LoadedDocument) -> set[str]:
        """Return the ids of the stored documents of groups that have this very content."""
        return {name for own in self._sets for name in self._restricted.get(self._hash(loaded, own), ())}

    def _is_moved(self, loaded: LoadedDocument, own: Readers) -> bool:
        found = self._restricted.get(self._hash(loaded, own), ())
        return any(is_gone(source_file(self._stored[name].source_uri, name)) for name in found)

    def _hash(self, loaded: LoadedDocument, readers: Readers) -> str:
        return document_hash(loaded, readers, self._fingerprint)


def _readers_by_file(by_source: Mapping[str, Readers]) -> dict[str, set[Readers]]:
    """Return file -> readers of its documents; a row's URI is ``FILE#ROW``, where either may hold a ``#``."""
    found: defaultdict[str, set[Readers]] = defaultdict(set)
    for source_uri, readers in by_source.items():
        found[source_uri].add(readers)
        for position, character in enumerate(source_uri):
            if character == "#":
                found[source_uri[:position]].add(readers)
    return dict(found)


def _is_within(readers: Readers, allowed: Iterable[Readers]) -> bool:
    """Tell whether all ``readers`` are among some that may read it anyway."""
    return bool(readers) and any(set(readers) <= set(groups) for groups in allowed)


def _left_out(source_uri: str, groups: Readers) -> LoadFailure:
    named = ",".join(groups)
    return LoadFailure(
        uri=source_uri,
        error=(
            f"A document of this very content is stored for the groups {', '.join(groups)} alone: index this one with"
            f" --groups {named} to keep it so, or with --public to let everybody of the tenant read it."
        ),
        passing=True,
    )

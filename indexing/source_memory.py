"""What source files gave when they were read last: a file whose bytes are the same is not read again.

Only bytes count, for times lie: clocks go backwards, and tools restore old times. Hashing costs about a second for
each gigabyte, a small part of what reading, parsing and chunking take.
"""

import hashlib
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass
from pathlib import Path

from graph_store.bundles import SourceState
from indexing.source_files import is_gone

_READ_BYTES = 1 << 20


def source_mark(path: Path, fingerprint: str, readers: Collection[tuple[str, ...]]) -> str | None:
    """Return a hash of a file's bytes and of how it is read and for whom; None where it cannot be read.

    ``readers`` are the groups of its documents, which as a rule are the same for all.
    """
    groups = list(next(iter(readers))) if len(readers) == 1 else sorted(readers)
    digest = hashlib.sha256(f"{fingerprint} {groups!r} ".encode("utf-8", errors="surrogatepass"))
    try:
        with path.open("rb") as file:
            while block := file.read(_READ_BYTES):
                digest.update(block)
    except OSError:
        return None
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """A file that was read in this run, to be remembered once all its documents are stored."""

    path: Path
    state: SourceState


class SourceMemory:
    """Compares files with what is remembered of them, and collects what is to be remembered."""

    def __init__(self, known: Mapping[str, SourceState], *, fingerprint: str) -> None:
        self._known = known
        self._fingerprint = fingerprint
        self._read: list[ReadSource] = []

    def mark(self, path: Path, readers: Collection[tuple[str, ...]]) -> str | None:
        """Return the mark of a file as it is now (see ``source_mark``)."""
        return source_mark(path, self._fingerprint, readers)

    def unchanged(self, path: Path, mark: str | None) -> SourceState | None:
        """Return what a file gave when it had the same mark; None where it must be read."""
        known = self._known.get(str(path))
        return known if known is not None and known.mark == mark else None

    def learn(self, path: Path, state: SourceState, readers: Collection[tuple[str, ...]]) -> None:
        """Take note of what a file gave, unless it changed while it was read: then nobody knows which bytes did."""
        if self.mark(path, readers) == state.mark:
            self._read.append(ReadSource(path=path, state=state))

    def unlearn(self, document_ids: Container[str]) -> None:
        """Forget what was learnt of files that gave any of these documents, so that they are read again."""
        self._read = [read for read in self._read if not any(name in document_ids for name in read.state.document_ids)]

    def settled(self, waiting: Container[str]) -> dict[str, SourceState]:
        """Return, once each, the states of files of which no document is in ``waiting``, by path."""
        settled: dict[str, SourceState] = {}
        unsettled = []
        for source in self._read:
            if any(name in waiting for name in source.state.document_ids):
                unsettled.append(source)
            else:
                settled[str(source.path)] = source.state
        self._read = unsettled
        return settled

    def gone(self) -> list[str]:
        """Return the paths of files that gave no document and exist no more: nothing else forgets them."""
        return [path for path, state in self._known.items() if not state.document_ids and is_gone(Path(path))]

"""What an indexing run may delete: documents whose source lay below one of the paths that it was given."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_store.bundles import DocumentState
from indexing.errors import FolderEmptied

_ROWS = ".jsonl"


class GivenPaths:
    """The files and folders that a run was given.

    A folder holds what lies below it, a file itself, and its rows where it has some. Told by names alone, so that it
    holds for sources that are gone.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        whole = [Path(os.path.realpath(path)) for path in paths]
        self.folders = tuple(path for path in whole if os.path.isdir(path))  # unlike Path's, it never raises
        files = [path for path in whole if path not in self.folders]
        self._files = {str(path) for path in files}
        self._row_starts = tuple(f"{path}#" for path in files if path.suffix.lower() == _ROWS)

    def hold(self, source_uri: str) -> bool:
        """Tell whether a source lies, or lay, below one of the paths."""
        if source_uri in self._files or source_uri.startswith(self._row_starts):
            return True
        source = Path(source_uri)
        return any(source.is_relative_to(folder) for folder in self.folders)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneDocuments:
    """The ids of documents whose source is gone, sorted: ``inside`` the given paths, and ``outside`` of them."""

    inside: tuple[str, ...]
    outside: tuple[str, ...]


def part_gone(gone: Iterable[str], stored: Mapping[str, DocumentState], given: GivenPaths) -> GoneDocuments:
    """Tell apart what was below the given paths and what was not."""
    inside, outside = list[str](), list[str]()
    for document_id in sorted(gone):
        (inside if given.hold(stored[document_id].source_uri) else outside).append(document_id)
    return GoneDocuments(inside=tuple(inside), outside=tuple(outside))


def refuse_emptied(given: GivenPaths, found: Sequence[Path], gone_uris: Sequence[str]) -> None:
    """Raise ``FolderEmptied`` where documents of a given folder are to be deleted and it holds no source any more.

    A share that is not mounted looks like this; a folder that lost some of its files does not.
    """
    for folder in given.folders:
        lost = sum(Path(source_uri).is_relative_to(folder) for source_uri in gone_uris)
        if lost and not any(source.is_relative_to(folder) for source in found):
            raise FolderEmptied(folder, lost)

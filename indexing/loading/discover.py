"""Which files are there: files and folders given by the user become a list of sources."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_store.embedded.store_files import DATABASE_FILE
from indexing.loading.errors import SourceMissing
from indexing.loading.loaded import LoadFailure
from indexing.loading.media_types import SUPPORTED_SUFFIXES, unsupported_sentence
from indexing.loading.settings import LoadingSettings
from indexing.source_files import NOT_THERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """``sources`` are absolute paths of supported regular files, sorted, each once; ``failures`` what is not one."""

    sources: tuple[Path, ...]
    failures: tuple[LoadFailure, ...]


def discover(paths: Sequence[Path], settings: LoadingSettings) -> Discovery:
    """Return the sources below ``paths``, which are files and folders (searched with their subfolders).

    Within folders, hidden files and folders, ``skipped_names`` and stores of ours are passed over (a store that was
    given itself, or that holds sources too, is a failure), and so are symbolic links to what the same folder holds
    anyway; links that leave the folder are failures and never followed. A link given by the user is followed.
    Unsupported files are failures, whether given or found. Raises ``SourceMissing`` for a path that does not exist.
    """
    found: dict[Path, LoadFailure | None] = {}
    for path in paths:
        for entry, failure in _entries(path, settings):
            found.setdefault(entry, failure)
    ordered = sorted(found.items(), key=lambda item: os.fsencode(item[0]))
    return Discovery(
        sources=tuple(path for path, failure in ordered if failure is None),
        failures=tuple(failure for _, failure in ordered if failure is not None),
    )


def _entries(path: Path, settings: LoadingSettings) -> Iterable[tuple[Path, LoadFailure | None]]:
    """Return what a path given by the user stands for: a folder's files, or itself."""
    try:
        root = Path(os.path.realpath(path))
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except ValueError:  # a zero byte, which no name of a file holds
        raise _missing(path) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise
        if error.errno in NOT_THERE:
            raise _missing(path) from None
        return [(root, _failure(root, f"It cannot be read: {error.strerror}."))]
    return _walk(root, root, settings) if is_folder else [(root, _refusal(root))]


def _missing(path: Path) -> SourceMissing:
    return SourceMissing(f"There is no file or folder {str(path)!r}; check the path.")


def _walk(folder: Path, root: Path, settings: LoadingSettings) -> Iterator[tuple[Path, LoadFailure | None]]:
    """Yield every file below ``folder`` with the reason why it is no source, if there is one."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield folder, _failure(folder, f"The folder cannot be read: {error.strerror}.")
        return
    if any(entry.name == DATABASE_FILE for entry in entries):  # a store of ours
        if folder == root or any(Path(entry.name).suffix.lower() in SUPPORTED_SUFFIXES for entry in entries):
            yield folder, _failure(folder, "It is the folder of a store, so it is passed over with all that it holds.")
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith(".") or entry.name in settings.skipped_names:
            continue
        if entry.is_symlink():
            yield from _refused_link(path, root)
        elif _is_folder(entry):
            yield from _walk(path, root, settings)
        else:
            yield path, _refusal(path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # then it is refused as a file
        return False


def _refused_link(link: Path, root: Path) -> Iterator[tuple[Path, LoadFailure]]:
    try:
        leaves = not link.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # it points nowhere, or round in a circle
        yield link, _failure(link, "It is a symbolic link that leads nowhere.")
        return
    if leaves:
        yield link, _failure(link, "It is a symbolic link that leaves the folder, so it is not followed.")


def _refusal(path: Path) -> LoadFailure | None:
    try:
        mode = path.stat().st_mode
        str(path).encode("utf-8")
    except OSError as error:
        return _failure(path, f"It cannot be read: {error.strerror}.")
    except UnicodeEncodeError:
        return _failure(path, "Its name is not valid UTF-8; rename it.")
    if not stat.S_ISREG(mode):
        return _failure(path, "It is not a regular file.")
    if path.suffix.lower() not in SUPPORTED_SUFFIXES:
        return _failure(path, unsupported_sentence(path.suffix))
    return None


def _failure(path: Path, sentence: str) -> LoadFailure:
    return LoadFailure(uri=os.fsencode(path).decode("utf-8", errors="replace"), error=sentence)

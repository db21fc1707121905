"""One writer per store: an advisory lock on a file, which the operating system frees when the process ends."""

import fcntl
import os
from pathlib import Path

from graph_store.errors import StoreLocked

_FILE = "writer.lock"


class WriterLock:
    """Held from construction to ``release``; raises ``StoreLocked`` where another writer holds it."""

    def __init__(self, folder: Path) -> None:
        self._descriptor: int | None = os.open(folder / _FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(self._descriptor)
            os.close(self._descriptor)
            raise StoreLocked(
                f"the store {str(folder)!r} is being written by process {holder}: wait until it is done and run again"
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, str(os.getpid()).encode("ascii"), 0)

    def release(self) -> None:
        """Give the lock back; calling it twice is harmless."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def writer_is_active(folder: Path) -> bool:
    """Tell whether some process (this one included) holds the writer lock of the store."""
    try:
        descriptor = os.open(folder / _FILE, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def active_writer(folder: Path) -> str | None:
    """Return the process number of the writer of the store, "unknown" before it has written it; None without one."""
    if not writer_is_active(folder):
        return None
    with (folder / _FILE).open("rb") as file:
        return _holder(file.fileno())


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"

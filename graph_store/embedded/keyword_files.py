"""The files of a keyword index on the disk, each with a checksum in its footer."""

import json
import zlib
from pathlib import Path

# A segment file ends in: footer (JSON with "crc", the CRC-32 of all before it), its length and a magic number, as
# unsigned 32-bit little-endian integers (https://github.com/quickwit-oss/tantivy, src/directory/footer.rs).
_MAGIC = 1337
_TAIL_BYTES = 8


def damaged_files(folder: Path) -> tuple[str, ...]:
    """Return the names of files that the last commit of the index in ``folder`` needs and that are missing or damaged.

    Files that no commit names, as a killed writer leaves them, do not count. A commit that comes between makes it look
    again, for then files of the one before may be gone. O(bytes of the index).
    """
    meta = _read(folder / "meta.json")
    while damaged := _damaged_of(folder, meta):
        before, meta = meta, _read(folder / "meta.json")
        if meta == before:
            break
    return damaged


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _damaged_of(folder: Path, meta: bytes) -> tuple[str, ...]:
    try:
        segments = [segment["segment_id"].replace("-", "") for segment in json.loads(meta)["segments"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ("meta.json",)
    return tuple(name for segment in segments for name in _files_of(folder, segment))


def _files_of(folder: Path, segment: str) -> list[str]:
    paths = sorted(folder.glob(f"{segment}.*"))
    return [path.name for path in paths if not _is_whole(path)] if paths else [f"{segment}.*"]


def _is_whole(path: Path) -> bool:
    content = _read(path)
    try:
        size, magic = (int.from_bytes(content[-end : len(content) - end + 4], "little") for end in (_TAIL_BYTES, 4))
        body = len(content) - _TAIL_BYTES - size
        if magic != _MAGIC or body < 0:
            return False
        expected = json.loads(content[body : body + size])["crc"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(zlib.crc32(memoryview(content)[:body]) == expected)

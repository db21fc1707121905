"""The file that a stored document came from, and whether it is still there: no answer is ever an exception."""

import errno
import os
import re
import stat
from pathlib import Path

from indexing.loading.media_types import SUPPORTED_SUFFIXES

NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP})
_END_OF_ROW_FILE = re.compile(r"\.jsonl(?=#)", re.IGNORECASE)
_WHOLE_FILES = SUPPORTED_SUFFIXES - {".jsonl"}


def source_file(source_uri: str, document_id: str = "") -> Path:
    """Return the file of a source URI: a row of a JSON Lines file is ``FILE#ROW``, and both may hold ``#``.

    A row is called by its own id (see ``DocumentIds``), so ``document_id`` tells where the name of the file ends;
    without it, it ends where it first can. A file that is there is never taken for a row.
    """
    ends = [match.end() for match in _END_OF_ROW_FILE.finditer(source_uri)]
    whole = Path(source_uri)
    if not ends or (whole.suffix.lower() in _WHOLE_FILES and not is_gone(whole)):
        return whole
    named = [end for end in ends if document_id and _is_named(document_id, source_uri[end + 1 :])]
    return Path(source_uri[: (named or ends)[0]])


def _is_named(document_id: str, row: str) -> bool:
    return document_id == row or document_id.startswith(f"{row}~")


def is_gone(path: Path) -> bool:
    """Tell whether it is certain that there is no source at ``path`` any more, which was an absolute one without links.

    A folder there is no source, nor is a link: what it leads to is a source of its own. What cannot be looked at, for
    want of permission or because a disk fails, may well be there.
    """
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
        return not is_file or os.path.realpath(path) != str(path)
    except OSError as error:
        return error.errno in NOT_THERE
    except ValueError:  # a zero byte, which no name of a file holds
        return True

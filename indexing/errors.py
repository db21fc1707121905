"""What an indexing run refuses to do."""

from collections.abc import Sequence
from pathlib import Path


class AccessWouldWiden(ValueError):
    """A document that only some groups may read would be opened to everybody; nothing was written."""

    def __init__(self, source_uri: str, groups: Sequence[str]) -> None:
        super().__init__(
            f"{source_uri} is stored for the groups {', '.join(groups)} alone: give --groups {','.join(groups)} to keep"
            " it so, or --public to let everybody of the tenant read it"
        )


class FolderEmptied(ValueError):
    """Pruning would delete the documents of a given folder that holds no source any more; nothing was written."""

    def __init__(self, folder: Path, documents: int) -> None:
        super().__init__(
            f"{str(folder)!r} holds no source any more, while the store has {documents:,} documents from it, so nothing"
            " was pruned or written: is it not mounted? Where they are really to go, name them to `belvedere delete`"
            " (`belvedere reconcile` lists them)"
        )

"""What an indexing run refuses to do."""

from pathlib import Path


class FolderEmptied(ValueError):
    """Pruning would delete the documents of a given folder that holds no source any more; nothing was written."""

    def __init__(self, folder: Path, documents: int) -> None:
        super().__init__(
            f"{str(folder)!r} holds no source any more, while the store has {documents:,} documents from it, so nothing"
            " was pruned or written: is it not mounted? Where they are really to go, name them to `belvedere delete`"
            " (`belvedere reconcile` lists them)"
        )

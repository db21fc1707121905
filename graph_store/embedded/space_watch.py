"""Keeps a store to the vector space that it was opened with."""

import sqlite3
from pathlib import Path

from graph_store.embedded.database import Database, Row
from graph_store.embedded.store_files import read_state
from graph_store.errors import StoreSwitched
from graph_store.spaces import VectorSpace

_STATE = "SELECT embedding_model, dimension, token_space, token_dimension FROM store_state"


class SpaceWatch:
    """The vector space that a store was opened with. Every read of vectors asks ``of`` for it, within its snapshot."""

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder = folder
        self._space = read_state(folder, database)

    @property
    def space(self) -> VectorSpace:
        """The space, whatever has become of it."""
        return self._space

    def of(self, connection: sqlite3.Connection) -> VectorSpace:
        """Return the space; raises ``StoreSwitched`` where the live one in the snapshot is another."""
        found = _live_row(connection)
        space = self._space
        if found != (space.embedding_model, space.dimension, space.token_space, space.token_dimension):
            model = found[0] if found else "another"
            raise StoreSwitched(
                f"the store {str(self._folder)!r} was switched to the embedding model {model!r} since it was opened:"
                " open it again with that model"
            )
        return space

    def follow(self, space: VectorSpace) -> None:
        """Go over to the space that this store's own writer has made the live one."""
        self._space = space


def _live_row(connection: sqlite3.Connection) -> Row | None:
    """Return the columns of the live space; None for a connection to a spare space that is gone."""
    try:
        found: Row | None = connection.execute(_STATE).fetchone()
    except sqlite3.OperationalError:
        return None
    return found

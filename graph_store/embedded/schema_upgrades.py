"""Bringing a store of an older format up to this one, in one transaction, when it is opened for writing.

Old columns keep their meaning from format to format, so readers take older formats as they are.
"""

import sqlite3

from graph_store.embedded.database import Database
from graph_store.embedded.schema import MODEL_FACTS, SCHEMA_VERSION, SOURCES, STANDING

_STATEMENTS = {2: SOURCES + "UPDATE changes SET key = '';\n" + STANDING, 3: MODEL_FACTS}
"""Format -> the statements that make the next one of it."""

READABLE = frozenset({SCHEMA_VERSION, *_STATEMENTS})
"""The formats that can be read."""


def upgrade(database: Database) -> None:
    """Bring an open store, whose format is one of ``READABLE``, to this version's; nothing where it has it already."""
    with database.snapshot() as connection:
        version = connection.execute("SELECT schema_version FROM store_state").fetchone()[0]
    if version == SCHEMA_VERSION:
        return
    with database.transaction() as connection:
        for older in range(version, SCHEMA_VERSION):
            for statement in _STATEMENTS[older].split(";\n"):
                connection.execute(statement)
        connection.execute("UPDATE store_state SET schema_version = ?", (SCHEMA_VERSION,))


def keeps_model_facts(connection: sqlite3.Connection) -> bool:
    """Tell whether a store has the columns of format 4, in which what a language model told is kept."""
    found = connection.execute("SELECT 1 FROM pragma_table_info('relations') WHERE name = 'strength'")
    return found.fetchone() is not None

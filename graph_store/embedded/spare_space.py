"""The tables of the spare vector space: made beside those of the live one, which they change names with at a switch.

Those of the live space have plain names, those of the spare one ``spare_`` before them. Whoever reads ``chunk_vectors``
thus reads the live space and nothing else, and a switch renames tables: a million vectors take no longer than one. The
spare tables exist only where there is a spare space, in the form that the live ones have.
"""

import json
import sqlite3
from dataclasses import asdict, replace
from typing import Any

from graph_store.errors import SpaceConflict, SpaceIncomplete, SpaceMissing
from graph_store.spaces import LiveSpace, SpareSpace, VectorSpace

VECTOR_TABLES = {
    "chunk_vectors": "chunks",
    "chunk_sentences": "chunks",
    "chunk_tokens": "chunks",
    "community_vectors": "communities",
    "tree_node_vectors": "tree_nodes",
}
"""The tables that hold vectors, and those of the records that they belong to."""

RECORD_VECTORS = {"chunks": "chunk_vectors", "communities": "community_vectors", "tree_nodes": "tree_node_vectors"}
"""Per table of records the one that tells whether a record has its vectors: those of a record are written together."""

_NOTES = """
CREATE TABLE {name} (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    content TEXT NOT NULL
)
"""


def read_live(connection: sqlite3.Connection, space: VectorSpace) -> LiveSpace:
    """Return the live space with what is known of it; ``space`` is what the state of the store says."""
    notes = read_notes(connection, "live_space")
    if notes is None:
        return LiveSpace(space=space)
    return LiveSpace(
        space=space, recipe=notes["recipe"], replaced=tuple(VectorSpace(**item) for item in notes["replaced"])
    )


def read_spare(connection: sqlite3.Connection) -> SpareSpace | None:
    """Return the spare space; None where there is none."""
    notes = read_notes(connection, "spare_space")
    if notes is None:
        return None
    return SpareSpace(space=VectorSpace(**notes["space"]), recipe=notes["recipe"], former=notes["former"])


def need_spare(connection: sqlite3.Connection) -> SpareSpace:
    """Return the spare space; raises ``SpaceMissing``."""
    spare = read_spare(connection)
    if spare is None:
        raise SpaceMissing(
            "the store has no second vector space: build one with `belvedere migrate embeddings --model MODEL`"
        )
    return spare


def need_filled(connection: sqlite3.Connection) -> SpareSpace:
    """Return the spare space, which lacks nothing; raises ``SpaceMissing`` and ``SpaceIncomplete``."""
    spare = need_spare(connection)
    lacking = sum(count_unfilled(connection).values())
    if lacking:
        raise SpaceIncomplete(
            f"{lacking:,} records have no vectors in the second vector space yet: fill it first, with"
            " `belvedere migrate embeddings --model MODEL`, which may stand beside --switch"
        )
    return spare


def make_spare(connection: sqlite3.Connection, live: LiveSpace, spare: SpareSpace, *, live_recipe: str) -> None:
    """Make the tables of the spare space; nothing where it is there. Raises ``SpaceConflict``."""
    held = read_spare(connection)
    if spare.space == live.space:
        raise SpaceConflict(
            f"the vectors of the store are those of {_shown(spare.space)} already: name another model, or other token"
            " vectors"
        )
    if held is not None and held.space != spare.space:
        way = "--drop-old" if held.former else "--abandon"
        raise SpaceConflict(
            f"the store has a second vector space already, of {_shown(held.space)}: go on with that model, or remove it"
            f" first with `belvedere migrate embeddings {way}`"
        )
    if held is None:
        for table in VECTOR_TABLES:
            connection.execute(_spare_definition(connection, table))
        write_notes(connection, "spare_space", _spare_notes(spare))
    keep_live(connection, replace(live, recipe=live.recipe or live_recipe))


def _spare_definition(connection: sqlite3.Connection, table: str) -> str:
    """Return the statement that makes a spare table of the form that the live one has."""
    (made,) = connection.execute(
        "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", (table,)
    ).fetchone()
    return f"CREATE TABLE spare_{table} {made[made.index('(') :]}"


def change_places(connection: sqlite3.Connection, live: LiveSpace) -> VectorSpace:
    """Make the spare space the live one and the other way round; return the new live one.

    Raises ``SpaceMissing`` and ``SpaceIncomplete``.
    """
    spare = need_filled(connection)
    for table in VECTOR_TABLES:
        connection.execute(f"ALTER TABLE {table} RENAME TO switched_{table}")
        connection.execute(f"ALTER TABLE spare_{table} RENAME TO {table}")
        connection.execute(f"ALTER TABLE switched_{table} RENAME TO spare_{table}")
    connection.execute(
        "UPDATE store_state SET embedding_model = :embedding_model, dimension = :dimension, token_space = :token_space,"
        " token_dimension = :token_dimension",
        asdict(spare.space),
    )
    replaced = tuple(space for space in live.replaced if space not in {live.space, spare.space})
    keep_live(connection, LiveSpace(space=spare.space, recipe=spare.recipe, replaced=(*replaced, live.space)))
    write_notes(connection, "spare_space", _spare_notes(SpareSpace(space=live.space, recipe=live.recipe, former=True)))
    return spare.space


def drop_spare(connection: sqlite3.Connection) -> None:
    """Remove the tables of the spare space; raises ``SpaceMissing``."""
    need_spare(connection)
    for table in VECTOR_TABLES:
        connection.execute(f"DROP TABLE spare_{table}")
    connection.execute("DROP TABLE spare_space")


def count_unfilled(connection: sqlite3.Connection) -> dict[str, int]:
    """Return table of records -> how many of all tenants have no vectors in the spare space, which must be there."""
    return {
        table: connection.execute(f"SELECT count(*) FROM {table} WHERE {lacks_vectors(table)}").fetchone()[0]
        for table in RECORD_VECTORS
    }


def lacks_vectors(table: str) -> str:
    """Return the condition that a record has no vectors in the spare space."""
    return f"{table}.row NOT IN (SELECT row FROM spare_{RECORD_VECTORS[table]})"


def see_spare_as_live(connection: sqlite3.Connection) -> None:
    """Let this connection alone read the spare space under the names of the live one."""
    for table in VECTOR_TABLES:
        connection.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.spare_{table}")
    fields = ("embedding_model", "dimension", "token_space", "token_dimension")
    columns = ", ".join(f"json_extract(content, '$.space.{name}') AS {name}" for name in fields)
    connection.execute(
        f"CREATE TEMP VIEW store_state AS SELECT schema_version, {columns}"
        " FROM main.store_state JOIN main.spare_space USING (only_row)"
    )


def _shown(space: VectorSpace) -> str:
    return f"{space.embedding_model!r} with the token vectors {space.token_space!r}"


def _spare_notes(spare: SpareSpace) -> dict[str, object]:
    return asdict(spare)


def keep_live(connection: sqlite3.Connection, live: LiveSpace) -> None:
    """Write down what is known of the live space beside the state of the store."""
    replaced = [asdict(space) for space in live.replaced]
    write_notes(connection, "live_space", {"recipe": live.recipe, "replaced": replaced})


def write_notes(connection: sqlite3.Connection, name: str, content: object) -> None:
    """Keep a JSON object in a table of its own, which is made where it is missing."""
    if not _has_table(connection, name):
        connection.execute(_NOTES.format(name=name))
    connection.execute(f"INSERT OR REPLACE INTO {name} (only_row, content) VALUES (1, ?)", (json.dumps(content),))


def read_notes(connection: sqlite3.Connection, name: str) -> dict[str, Any] | None:
    """Return the JSON object that ``write_notes`` kept, None without any."""
    if not _has_table(connection, name):
        return None
    found = connection.execute(f"SELECT content FROM main.{name}").fetchone()
    notes: dict[str, Any] | None = None if found is None else json.loads(found[0])
    return notes


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    statement = "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(statement, (name,)).fetchone() is not None

"""Making, finding and checking the files of an embedded store."""

import sqlite3
from pathlib import Path

from graph_store.embedded.database import Database
from graph_store.embedded.schema import APPLICATION_ID, SCHEMA_VERSION, TABLES
from graph_store.embedded.schema_upgrades import READABLE, upgrade
from graph_store.errors import StoreMismatch, StoreMissing, StoreUnusable
from graph_store.settings import StoreSettings
from graph_store.spaces import VectorSpace

DATABASE_FILE = "belvedere.sqlite"


def prepare_folder(folder: Path) -> None:
    """Make the folder of a store; raises ``StoreUnusable`` where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise StoreUnusable(f"{str(folder)!r} is a file: name a folder for the store") from None
    except OSError as error:
        raise StoreUnusable(f"cannot make the folder {str(folder)!r} for the store: {error.strerror}") from error


def folder_identity(folder: Path) -> str:
    """Return what tells the store of a folder from every other: the folder, whatever leads there."""
    return str(folder.resolve())


def open_for_writing(folder: Path, *, wanted: VectorSpace, settings: StoreSettings) -> Database:
    """Open the database of a store, making it where there is none; the caller holds the writer lock.

    A store of an older format that can be read is brought up to this one.
    """
    database = Database(folder / DATABASE_FILE, read_only=False, busy_timeout_ms=settings.busy_timeout_ms)
    try:
        if _is_empty(database):
            _create_tables(database, wanted)
        state = read_state(folder, database)
        check_state(folder, state, expected_model=wanted.embedding_model, expected_tokens=wanted.token_space)
        _check_dimensions(folder, state, wanted)
        upgrade(database)
    except BaseException:
        database.close()
        raise
    return database


def open_for_reading(folder: Path, settings: StoreSettings, *, read_only: bool) -> Database:
    """Open the database of an existing store; raises ``StoreMissing``."""
    path = folder / DATABASE_FILE
    if not path.is_file():
        raise StoreMissing(f"there is no store in {str(folder)!r}: run `belvedere index` first, or name another folder")
    return Database(path, read_only=read_only, busy_timeout_ms=settings.busy_timeout_ms)


def _is_empty(database: Database) -> bool:
    with database.snapshot() as connection:
        found: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return found == 0


def _create_tables(database: Database, wanted: VectorSpace) -> None:
    with database.transaction() as connection:
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(
            "INSERT INTO store_state (only_row, schema_version, embedding_model, dimension, token_space,"
            " token_dimension) VALUES (1, ?, ?, ?, ?, ?)",
            (SCHEMA_VERSION, wanted.embedding_model, wanted.dimension, wanted.token_space, wanted.token_dimension),
        )


def read_state(folder: Path, database: Database) -> VectorSpace:
    """Return what the store was made with; raises ``StoreMissing`` (not a store) or ``StoreMismatch`` (version)."""
    with database.snapshot() as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        try:
            found = connection.execute("SELECT schema_version FROM store_state").fetchone()
        except sqlite3.OperationalError:
            found = None
        if application != APPLICATION_ID or found is None:
            raise StoreMissing(f"{str(folder)!r} holds no Belvedere store: name another folder")
        if found[0] not in READABLE:
            raise StoreMismatch(
                f"the store {str(folder)!r} has format {found[0]}, this version reads format {SCHEMA_VERSION}:"
                " index again into another folder"
            )
        # Only now: another format may have other columns.
        columns = "embedding_model, dimension, token_space, token_dimension"
        model, dimension, space, width = connection.execute(f"SELECT {columns} FROM store_state").fetchone()
    return VectorSpace(embedding_model=model, dimension=dimension, token_space=space, token_dimension=width)


def check_state(
    folder: Path, state: VectorSpace, *, expected_model: str | None, expected_tokens: str | None = None
) -> None:
    """Raise ``StoreMismatch`` where another embedding model or token space is expected than the store was made with."""
    if expected_model is not None and state.embedding_model != expected_model:
        raise StoreMismatch(
            f"the store {str(folder)!r} was made with the embedding model {state.embedding_model!r}, not"
            f" {expected_model!r}: configure that model, change to the other one with `belvedere migrate embeddings`,"
            " or index again into another folder"
        )
    if expected_tokens is not None and state.token_space != expected_tokens:
        raise StoreMismatch(
            f"the store {str(folder)!r} was made with the token vectors {state.token_space!r}, not"
            f" {expected_tokens!r}: configure embedder.token_vectors as it was, change to the other ones with"
            " `belvedere migrate embeddings`, or index again into another folder"
        )


def _check_dimensions(folder: Path, state: VectorSpace, wanted: VectorSpace) -> None:
    for held, asked in ((state.dimension, wanted.dimension), (state.token_dimension, wanted.token_dimension)):
        if held != asked:
            raise StoreMismatch(
                f"the store {str(folder)!r} holds vectors of {held} dimensions, not {asked}:"
                " configure the model it was made with, or index again into another folder"
            )

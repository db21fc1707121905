"""Making, finding and checking the files of an embedded store."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from graph_store.embedded.database import Database
from graph_store.embedded.schema import APPLICATION_ID, SCHEMA_VERSION, TABLES
from graph_store.errors import StoreMismatch, StoreMissing, StoreUnusable
from graph_store.settings import StoreSettings

DATABASE_FILE = "belvedere.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreState:
    """What a store was made with."""

    embedding_model: str
    dimension: int


def prepare_folder(folder: Path) -> None:
    """Make the folder of a store; raises ``StoreUnusable`` where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise StoreUnusable(f"{str(folder)!r} is a file: name a folder for the store") from None
    except OSError as error:
        raise StoreUnusable(f"cannot make the folder {str(folder)!r} for the store: {error.strerror}") from error


def open_for_writing(folder: Path, *, wanted: StoreState, settings: StoreSettings) -> Database:
    """Open the database of a store, making it where there is none; the caller holds the writer lock."""
    database = Database(folder / DATABASE_FILE, read_only=False, busy_timeout_ms=settings.busy_timeout_ms)
    try:
        if _is_empty(database):
            _create_tables(database, wanted)
        check_state(folder, read_state(folder, database), expected_model=wanted.embedding_model)
        _check_dimension(folder, read_state(folder, database), wanted)
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


def _create_tables(database: Database, wanted: StoreState) -> None:
    with database.transaction() as connection:
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(
            "INSERT INTO store_state (only_row, schema_version, embedding_model, dimension) VALUES (1, ?, ?, ?)",
            (SCHEMA_VERSION, wanted.embedding_model, wanted.dimension),
        )


def read_state(folder: Path, database: Database) -> StoreState:
    """Return what the store was made with; raises ``StoreMissing`` (not a store) or ``StoreMismatch`` (version)."""
    with database.snapshot() as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        try:
            found = connection.execute("SELECT schema_version, embedding_model, dimension FROM store_state").fetchone()
        except sqlite3.OperationalError:
            found = None
    if application != APPLICATION_ID or found is None:
        raise StoreMissing(f"{str(folder)!r} holds no Belvedere store: name another folder")
    version, model, dimension = found
    if version != SCHEMA_VERSION:
        raise StoreMismatch(
            f"the store {str(folder)!r} has format {version}, this version reads format {SCHEMA_VERSION}:"
            " index again into another folder"
        )
    return StoreState(embedding_model=model, dimension=dimension)


def check_state(folder: Path, state: StoreState, *, expected_model: str | None) -> None:
    """Raise ``StoreMismatch`` where another embedding model is expected than the store was made with."""
    if expected_model is not None and state.embedding_model != expected_model:
        raise StoreMismatch(
            f"the store {str(folder)!r} was made with the embedding model {state.embedding_model!r}, not"
            f" {expected_model!r}: configure that model, or index again into another folder"
        )


def _check_dimension(folder: Path, state: StoreState, wanted: StoreState) -> None:
    if state.dimension != wanted.dimension:
        raise StoreMismatch(
            f"the store {str(folder)!r} holds vectors of {state.dimension} dimensions, not {wanted.dimension}:"
            " configure the model it was made with, or index again into another folder"
        )

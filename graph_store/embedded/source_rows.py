"""What was read from which source file, as rows: forgotten with the first of its documents that changes or goes."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping

from graph_store.bundles import SourceState
from graph_store.errors import InvalidRecord
from graph_store.packing import pack_json


def read_sources(connection: sqlite3.Connection, tenant: str) -> dict[str, SourceState]:
    """Return path -> state of a whole tenant, ordered by path; ids of documents sorted."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sources'").fetchone() is None:
        return {}  # a store of format 2, open to read
    documents: defaultdict[int, list[str]] = defaultdict(list)
    found = connection.execute(
        "SELECT source_row, documents.id FROM sources JOIN source_documents ON source_row = sources.row"
        " JOIN documents ON documents.row = document_row WHERE sources.tenant = ? ORDER BY documents.id",
        (tenant,),
    )
    for row, document_id in found:
        documents[row].append(document_id)
    states = connection.execute(
        "SELECT path, row, mark, whole, failures FROM sources WHERE tenant = ? ORDER BY path", (tenant,)
    )
    return {
        path: SourceState(
            mark=mark,
            document_ids=tuple(documents[row]),
            failures=tuple((uri, sentence) for uri, sentence in json.loads(failures)),
            whole=bool(whole),
        )
        for path, row, mark, whole, failures in states
    }


def replace_sources(
    connection: sqlite3.Connection, tenant: str, states: Mapping[str, SourceState], *, forget: Collection[str]
) -> None:
    """Write states by path in place of what stood there, and delete those of ``forget``."""
    gone = json.dumps([*states, *forget])
    connection.execute(
        "DELETE FROM sources WHERE tenant = ? AND path IN (SELECT value FROM json_each(?))", (tenant, gone)
    )
    for path, state in states.items():
        _insert_source(connection, tenant, path, state)


def _insert_source(connection: sqlite3.Connection, tenant: str, path: str, state: SourceState) -> None:
    inserted = connection.execute(
        "INSERT INTO sources (tenant, path, mark, whole, failures) VALUES (?, ?, ?, ?, ?)",
        (tenant, path, state.mark, state.whole, pack_json(state.failures)),
    )
    wanted = set(state.document_ids)
    linked = connection.execute(
        "INSERT INTO source_documents (source_row, document_row) SELECT ?, row FROM documents"
        " WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
        (inserted.lastrowid, tenant, json.dumps(sorted(wanted))),
    )
    if linked.rowcount != len(wanted):
        raise InvalidRecord(f"the source {path!r} names documents that the tenant does not have: write them first")


def forget_sources_of(connection: sqlite3.Connection, document_rows: str) -> None:
    """Delete the states of all sources that gave one of the documents, whose row numbers are a JSON list."""
    connection.execute(
        "DELETE FROM sources WHERE row IN (SELECT source_row FROM source_documents"
        " WHERE document_row IN (SELECT value FROM json_each(?)))",
        (document_rows,),
    )

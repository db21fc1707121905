"""The texts that the keyword indexes are made from."""

import json
import sqlite3
from collections.abc import Iterator, Sequence

from graph_store.embedded.document_reads import CHUNK_COLUMNS, CHUNK_TABLES, chunk_of
from graph_store.embedded.keyword_index import KeywordText
from graph_store.indexed_text import indexed_text
from graph_store.packing import unpack_sentences
from graph_store.records import SearchKind

_DERIVED_TABLE = {"report": "communities", "tree_node": "tree_nodes"}


def read_keyword_texts(
    connection: sqlite3.Connection, tenant: str, kind: SearchKind, rows: Sequence[int] | None = None
) -> Iterator[KeywordText]:
    """Yield the current texts of a tenant and kind by row number: those of ``rows`` that exist, or all."""
    parameters = {"tenant": tenant, "rows": json.dumps(rows if rows is None else list(rows))}
    if kind == "chunk":
        chosen = "" if rows is None else " AND chunks.row IN (SELECT value FROM json_each(:rows))"
        found = connection.execute(
            f"SELECT chunks.row, chunks.audience, documents.row, documents.title, {CHUNK_COLUMNS} {CHUNK_TABLES}"
            f" WHERE chunks.tenant = :tenant{chosen} ORDER BY chunks.row",
            parameters,
        )
        for row, audience, document, title, *columns in found:
            text = indexed_text(title, chunk_of(tuple(columns)))
            yield KeywordText(row=row, audience=audience, document=document, text=text)
        return
    chosen = "" if rows is None else " AND row IN (SELECT value FROM json_each(:rows))"
    found = connection.execute(
        f"SELECT row, audience, title, sentences FROM {_DERIVED_TABLE[kind]} WHERE tenant = :tenant{chosen}"
        " ORDER BY row",
        parameters,
    )
    for row, audience, title, sentences in found:
        text = " ".join(sentence.text for sentence in unpack_sentences(sentences))
        yield KeywordText(row=row, audience=audience, document=0, text=f"{title}\n{text}")

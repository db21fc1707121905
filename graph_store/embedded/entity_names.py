"""Which document rows support which names of entity rows (see :mod:`graph_store.entity_names`)."""

import sqlite3
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from graph_store import entity_names
from graph_store.bundles import Generation
from graph_store.entity_names import NamedChunk

RowSupport: TypeAlias = tuple[int, int, int]
"""(entity row, number of the name, document row)"""


def find_support(
    connection: sqlite3.Connection, generation: Generation, entity_rows: Mapping[str, int]
) -> set[RowSupport]:
    """Return which documents of the tenant support which names of the entities of a generation."""
    found = entity_names.find_support(_named_chunks(connection, generation.tenant), generation)
    return {(entity_rows[entity_id], number, int(document)) for entity_id, number, document in found}


def _named_chunks(connection: sqlite3.Connection, tenant: str) -> Iterator[NamedChunk]:
    found = connection.execute(
        "SELECT id, document_row, text, coalesce(mentions, '[]'), coalesce(homes, '[]') FROM chunks"
        " JOIN chunk_texts USING (row) LEFT JOIN chunk_extractions USING (row) WHERE tenant = ?",
        (tenant,),
    )
    for chunk_id, document, text, mentions, homes in found:
        yield NamedChunk(id=chunk_id, document=document, text=text, mentions=mentions, homes=homes)

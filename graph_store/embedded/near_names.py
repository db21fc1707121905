"""Where names stand, read for a few names or passages: what a question needs of a large collection.

The order of joins is fixed in every query: it goes out from what is asked for, whatever SQLite takes to be the smaller.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from graph_store.bundles import NamePlaces, NamesOfPassages
from graph_store.embedded.access_sql import Scope, readable
from graph_store.embedded.document_reads import with_ids
from graph_store.embedded.entity_reads import VisibleNames, visible_names
from graph_store.embedded.passage_graph import IN_DOCUMENT_ORDER

_Standing: TypeAlias = Mapping[str, Sequence[str]]
"""name key -> ids of chunks, in document order, each once"""


def read_name_places(
    connection: sqlite3.Connection, scope: Scope, keys: Collection[str], *, most: int
) -> dict[str, NamePlaces]:
    """Read where names stand; names that no readable chunk has are missing."""
    wanted = frozenset(key for key in keys if key)
    found = connection.execute(
        "SELECT DISTINCT entities.row FROM json_each(:keys) AS wanted"
        " CROSS JOIN entity_names ON entity_names.name_key = wanted.value"
        " CROSS JOIN entities ON entities.row = entity_names.entity_row WHERE entities.tenant = :tenant",
        {**scope.parameters, "keys": json.dumps(sorted(wanted))},
    )
    visible = visible_names(connection, scope, [row for (row,) in found])
    homes = _standing(connection, scope, "homes", visible, wanted)
    mentions = _standing(connection, scope, "mentions", visible, wanted)
    return {
        key: NamePlaces(
            homes=tuple(homes.get(key, ())[:most]),
            mentions=tuple(mentions.get(key, ())[:most]),
            home_count=len(homes.get(key, ())),
            mention_count=len(mentions.get(key, ())),
        )
        for key in sorted({*homes, *mentions})
    }


def read_passage_names(
    connection: sqlite3.Connection, scope: Scope, chunk_ids: Sequence[str], *, most: int
) -> NamesOfPassages:
    """Read the names of readable chunks, and where they stand."""
    about = _entities_of(connection, scope, "homes", chunk_ids)
    mentioned = _entities_of(connection, scope, "mentions", chunk_ids)
    visible = visible_names(connection, scope, sorted({row for _, row in (*about, *mentioned)}))
    named = _keys_by_chunk(mentioned, visible), _keys_by_chunk(about, visible)
    keys = {key for of_chunks in named for own in of_chunks.values() for key in own}
    places = read_name_places(connection, scope, keys, most=most)
    return NamesOfPassages(mentioned=named[0], about=named[1], places=places)


def _entities_of(
    connection: sqlite3.Connection, scope: Scope, table: str, chunk_ids: Sequence[str]
) -> list[tuple[str, int]]:
    return connection.execute(
        "SELECT DISTINCT chunks.id, entity_row FROM json_each(:ids) AS wanted"
        " CROSS JOIN chunks ON chunks.tenant = :tenant AND chunks.id = wanted.value"
        f" CROSS JOIN {table} ON chunk_row = chunks.row WHERE {readable('chunks')} ORDER BY 1, 2",
        with_ids(scope, chunk_ids),
    ).fetchall()


def _keys_by_chunk(found: Iterable[tuple[str, int]], visible: VisibleNames) -> dict[str, frozenset[str]]:
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for chunk_id, row in found:
        keys[chunk_id].update(key for key in visible.get(row, {}).values() if key)
    return {chunk_id: frozenset(own) for chunk_id, own in keys.items() if own}


def _standing(
    connection: sqlite3.Connection, scope: Scope, table: str, visible: VisibleNames, wanted: frozenset[str]
) -> _Standing:
    rows = connection.execute(
        f"SELECT DISTINCT {table}.entity_row, chunks.id, {IN_DOCUMENT_ORDER} FROM json_each(:rows) AS wanted"
        f" CROSS JOIN {table} ON {table}.entity_row = wanted.value"
        f" CROSS JOIN chunks ON chunks.row = {table}.chunk_row"
        " CROSS JOIN documents ON documents.row = chunks.document_row"
        f" WHERE {readable('chunks')} ORDER BY {IN_DOCUMENT_ORDER}",
        {**scope.parameters, "rows": json.dumps(list(visible))},
    )
    standing: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row, chunk_id, *_ in rows:
        for key in wanted.intersection(visible.get(row, {}).values()):
            standing[key].setdefault(chunk_id)
    return {key: list(ids) for key, ids in standing.items()}

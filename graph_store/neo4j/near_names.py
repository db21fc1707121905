"""Where names stand, read for a few names or passages: what a question needs of a large collection."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from neo4j import Record

from graph_store.bundles import NamePlaces, NamesOfPassages, PassageSample
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.derived_rows import name_token
from graph_store.neo4j.document_reads import IN_DOCUMENT_ORDER, WHOLE_COLUMNS
from graph_store.neo4j.names import text_index
from graph_store.neo4j.scope import Scope, readable
from graph_store.neo4j.search import as_map

_Row: TypeAlias = Record | Mapping[str, Any]

# Lucene refuses a query of more than 1,024 terms.
_TERMS_AT_ONCE = 500
# Columns of ``standing``, after the id of the chunk.
_IS_HOME, _IS_MENTION = 1, 2
COLUMNS = ("keys", "standing", "homes", "mentions", "home_count", "mention_count")
NO_NAMES = NamesOfPassages(mentioned={}, about={}, places={})

# The keys of the names of an entity e that ``visible_numbers`` of entity_reads gives for ``support``.
_VISIBLE = (
    "[i IN range(0, size(e.name_keys) - 1) WHERE e.name_keys[i] <> '' AND (any(own IN support WHERE i IN own)"
    " OR (NOT e.supported[i] AND size(support) = e.documents)) | e.name_keys[i]]"
)
_SUPPORTED = f"MATCH (d:Document)-[s:SUPPORTS]->(e) WHERE {readable('d')} WITH"
_ENTITIES_OF_PASSAGES = (
    f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.id IN $named AND {readable('c')}"
    " MATCH (c)-[r:HAS_ENTITY]->(e:__Entity__) WHERE e.generation = $generation"
)
_TOKENS_OF_PASSAGES = (
    f"{_ENTITIES_OF_PASSAGES} WITH DISTINCT e UNWIND e.name_tokens AS token WITH collect(DISTINCT token) AS tokens"
)
_NAMES_OF_PASSAGES = (
    f"{_ENTITIES_OF_PASSAGES} WITH e, collect([c.id, size(r.homes) > 0, size(r.starts) > 0]) AS standing"
    f" {_SUPPORTED} e, standing, collect(s.numbers) AS support"
    f" RETURN {_VISIBLE} AS keys, standing, null AS homes, null AS mentions, 0 AS home_count, 0 AS mention_count"
)


def read_sample(transaction: Transaction, scope: Scope, *, most: int) -> PassageSample:
    """Count the readable chunks and choose some evenly; the server orders all of them."""
    (row,) = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE {readable('c')} WITH c.id AS id {IN_DOCUMENT_ORDER}"
        " WITH collect(id) AS ids WITH ids, size(ids) / $most AS step RETURN size(ids),"
        " [place IN range(0, size(ids) - 1, CASE WHEN step > 1 THEN step ELSE 1 END) | ids[place]][..$most]",
        most=most,
        **scope.parameters,
    )
    return PassageSample(count=row[0], chunk_ids=tuple(row[1]))


def read_name_places(
    transaction: Transaction, scope: Scope, keys: Collection[str], *, most: int
) -> dict[str, NamePlaces]:
    """Read where names stand; names that no readable chunk has are missing."""
    if not any(keys):
        return {}
    query, parameters = places_query(scope, keys, most)
    return places_of(transaction.rows(query, **parameters, **scope.parameters))


def places_query(scope: Scope, keys: Collection[str], most: int) -> tuple[str, dict[str, Any]]:
    """Return what ``read_name_places`` asks, with the columns ``COLUMNS``, and its parameters."""
    wanted = sorted({key for key in keys if key})
    parameters = {
        "terms": [name_token(key) for key in wanted],
        "keys": wanted,
        "index": text_index(scope.tenant),
        "most": most,
    }
    return f"WITH $terms AS tokens {_places_of_tokens(most, among='WHERE key IN $keys')}", parameters


def read_passage_names(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, most: int
) -> NamesOfPassages:
    """Read the names of readable chunks, and where they stand, by one statement."""
    if not chunk_ids:
        return NO_NAMES
    query, parameters = _names_query(scope, chunk_ids, most)
    return _names(transaction.rows(query, **parameters, **scope.parameters))


def read_names_and_passages(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, most: int, passages: tuple[str, dict[str, Any]]
) -> tuple[NamesOfPassages, list[Mapping[str, Any]]]:
    """Read the names of readable chunks and, by the same statement, whole passages.

    ``passages`` is what ``whole_passages_query`` returns; the passages come as rows of its columns.
    """
    query, parameters = _names_query(scope, chunk_ids, most)
    rows = transaction.rows(
        f"CALL () {{ {query} }} RETURN {as_map(COLUMNS)} AS names, null AS passage UNION ALL"
        f" CALL () {{ {passages[0]} }} RETURN null AS names, {as_map(WHOLE_COLUMNS)} AS passage",
        **parameters,
        **passages[1],
        **scope.parameters,
    )
    names = [row["names"] for row in rows if row["names"] is not None]
    return _names(names), [row["passage"] for row in rows if row["passage"] is not None]


def _names_query(scope: Scope, chunk_ids: Sequence[str], most: int) -> tuple[str, dict[str, Any]]:
    """Return a query with the columns ``COLUMNS``, and its parameters: names of passages, and places of names."""
    parameters = {"named": list(dict.fromkeys(chunk_ids)), "index": text_index(scope.tenant), "most": most}
    return f"{_NAMES_OF_PASSAGES} UNION ALL {_TOKENS_OF_PASSAGES} {_places_of_tokens(most)}", parameters


def _names(rows: Sequence[_Row]) -> NamesOfPassages:
    about, mentioned = _keys_by_chunk(rows, _IS_HOME), _keys_by_chunk(rows, _IS_MENTION)
    keys = set().union(*mentioned.values(), *about.values())
    places = places_of(row for row in rows if row["standing"] is None)
    # Of entities that share a name with one of these passages, other names came as well.
    return NamesOfPassages(
        mentioned=mentioned, about=about, places={key: own for key, own in places.items() if key in keys}
    )


def _keys_by_chunk(rows: Iterable[_Row], column: int) -> dict[str, frozenset[str]]:
    """Return chunk id -> keys of the names that it has in one of the two ways that ``standing`` tells of."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        for standing in row["standing"] or ():
            if standing[column]:
                keys[standing[0]].update(row["keys"])
    return {chunk_id: frozenset(own) for chunk_id, own in keys.items() if own}


def _places_of_tokens(most: int, *, among: str = "") -> str:
    """Return the rest of a query that has ``tokens``: the places of the names of the entities that have one of them."""
    return (
        f"WITH tokens WHERE size(tokens) > 0 UNWIND range(0, size(tokens) - 1, {_TERMS_AT_ONCE}) AS first"
        " CALL db.index.fulltext.queryNodes($index,"
        f" 'name_tokens:(' + reduce(text = '', token IN tokens[first..first + {_TERMS_AT_ONCE}] |"
        " text + ' ' + token) + ')') YIELD node AS e WITH DISTINCT e"
        " WHERE e:__Entity__ AND e.tenant = $tenant AND e.generation = $generation"
        f" {_SUPPORTED} e, collect(s.numbers) AS support UNWIND {_VISIBLE} AS key WITH DISTINCT e, key {among}"
        f" MATCH (c:Chunk)-[r:HAS_ENTITY]->(e) WHERE {readable('c')}"
        " WITH key, c, max(size(r.homes)) > 0 AS is_home, max(size(r.starts)) > 0 AS is_mention"
        f" {IN_DOCUMENT_ORDER if most else ''}"
        " WITH key, collect(CASE WHEN is_home THEN c.id END) AS homes,"
        " collect(CASE WHEN is_mention THEN c.id END) AS mentions"
        " RETURN [key] AS keys, null AS standing, homes[..$most] AS homes, mentions[..$most] AS mentions,"
        " size(homes) AS home_count, size(mentions) AS mention_count"
    )


def places_of(rows: Iterable[_Row]) -> dict[str, NamePlaces]:
    """Return name key -> where it stands, from rows with the columns ``COLUMNS``."""
    found = {
        row["keys"][0]: NamePlaces(
            homes=tuple(row["homes"]),
            mentions=tuple(row["mentions"]),
            home_count=row["home_count"],
            mention_count=row["mention_count"],
        )
        for row in rows
    }
    return {key: places for key, places in sorted(found.items()) if places.home_count or places.mention_count}

"""Constraints and indexes of a store, and the proof that they are what they should be.

``IF NOT EXISTS`` does nothing, and says nothing, where the name is taken by something else; so what there is is read
back and compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_store.errors import StoreMismatch
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.names import INSIDE, LABEL_OF, TERMS_OF, tenant_label, text_index
from graph_store.neo4j.slots import Slot, StoredSpace
from graph_store.records import SearchKind

_READY_SECONDS = 300

_UNIQUE: dict[str, tuple[str, tuple[str, ...]]] = {
    "belvedere_store_key": ("BelvedereStore", ("only",)),
    "belvedere_tenant_key": ("BelvedereTenant", ("tenant",)),
    "belvedere_document_key": ("Document", ("tenant", "id")),
    "belvedere_chunk_key": ("Chunk", ("tenant", "id")),
    "belvedere_parent_key": ("Parent", ("tenant", "id")),
    "belvedere_source_key": ("Source", ("tenant", "path")),
    "belvedere_entity_key": ("__Entity__", ("tenant", "generation", "id")),
    "belvedere_community_key": ("__Community__", ("tenant", "generation", "id")),
    "belvedere_summary_key": ("Summary", ("tenant", "generation", "id")),
}
_RANGE_NODES: dict[str, tuple[str, tuple[str, ...]]] = {
    "belvedere_chunk_document": ("Chunk", ("tenant", "document_id")),
    "belvedere_document_supersedes": ("Document", ("tenant", "supersedes")),
}
_RANGE_LINKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "belvedere_related": ("RELATED", ("tenant", "generation", "id")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Index:
    """What is compared of an index: its type, label or relationship type, properties, and dimensions of vectors."""

    kind: str
    label: str
    properties: tuple[str, ...]
    dimension: int = 0
    similarity: str = ""
    inside: tuple[str, ...] = field(default=(), compare=False)
    """Further properties that a vector index holds, to filter by; an older server makes an index without."""

    def __str__(self) -> str:
        """Return what it indexes, in words."""
        told = f"{self.kind.lower()} index of {self.label} over {', '.join(self.properties)}"
        if self.kind != "VECTOR":
            return told
        return f"{told}, of {self.dimension} dimensions by {self.similarity.lower() or 'no similarity'}"


def make_schema(connection: Connection, *spaces: StoredSpace) -> None:
    """Make what is missing of the schema, wait until it is ready, and verify it; raises ``StoreMismatch``."""
    for name, (label, keys) in _UNIQUE.items():
        columns = ", ".join(f"n.{key}" for key in keys)
        connection.run_alone(f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({columns}) IS UNIQUE")
    for pattern, indexes in (("(n:{})", _RANGE_NODES), ("()-[n:{}]-()", _RANGE_LINKS)):
        for name, (label, keys) in indexes.items():
            columns = ", ".join(f"n.{key}" for key in keys)
            connection.run_alone(f"CREATE INDEX {name} IF NOT EXISTS FOR {pattern.format(label)} ON ({columns})")
    for space in spaces:
        _make_vector_indexes(connection, space)
    connection.run_alone("CALL db.awaitIndexes($seconds)", seconds=_READY_SECONDS)
    verify_schema(connection, *spaces)


def make_vector_indexes(connection: Connection, space: StoredSpace) -> None:
    """Make what is missing of the indexes of a space, wait until they are ready, and verify them.

    Raises ``StoreMismatch``.
    """
    _make_vector_indexes(connection, space)
    connection.run_alone("CALL db.awaitIndexes($seconds)", seconds=_READY_SECONDS)
    _compare(_wanted_vectors(space), _found(connection), str(connection.address))


def drop_unfit_vector_indexes(connection: Connection, space: StoredSpace) -> None:
    """Drop those vector indexes of a slot that are for vectors of another sort: there must be no records in it.

    They are left where a store was removed node by node. What has the name of one and is about something else stays.
    """
    found = _found(connection)
    for name, wanted in _wanted_vectors(space).items():
        held = found.get(name)
        ours = held is not None and (held.kind, held.label, held.properties) == (
            "VECTOR",
            wanted.label,
            wanted.properties,
        )
        if ours and held != wanted:
            connection.run_alone(f"DROP INDEX {name} IF EXISTS")


def drop_vector_indexes(connection: Connection, slot: Slot) -> None:
    """Drop the vector indexes of a slot; nothing where there are none."""
    for name in slot.indexes.values():
        connection.run_alone(f"DROP INDEX {name} IF EXISTS")


def _make_vector_indexes(connection: Connection, space: StoredSpace) -> None:
    for kind in space.slot.indexes:
        connection.run_alone(_vector_index(kind, space, filtered=connection.has_search))


def _vector_index(kind: SearchKind, space: StoredSpace, *, filtered: bool) -> str:
    name = space.slot.indexes[kind]
    inside = f" WITH [{', '.join(f'n.{key}' for key in INSIDE[kind])}]" if filtered else ""
    return (
        f"{'CYPHER 25 ' if filtered else ''}CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (n:{LABEL_OF[kind]})"
        f" ON (n.{space.slot.embedding}){inside} OPTIONS {{indexConfig: {{`vector.dimensions`: {space.dimension},"
        " `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}"
    )


def mend_schema(connection: Connection, *spaces: StoredSpace) -> None:
    """Make indexes that were dropped anew, and verify all; raises ``StoreMismatch``."""
    if set(_wanted(spaces)) <= set(_found(connection)):
        verify_schema(connection, *spaces)
    else:
        make_schema(connection, *spaces)


def kinds_by_tenant(connection: Connection, slot: Slot) -> frozenset[SearchKind]:
    """Return the kinds whose vector index can be searched for one tenant: server and index must both be fit for it."""
    if not connection.has_search:
        return frozenset()
    found = _found(connection)
    return frozenset(
        kind for kind, name in slot.indexes.items() if name in found and set(INSIDE[kind]) <= set(found[name].inside)
    )


def verify_schema(connection: Connection, *spaces: StoredSpace) -> None:
    """Raise ``StoreMismatch`` where an index or constraint is missing or is another than it should be."""
    _compare(_wanted(spaces), _found(connection), str(connection.address))


def make_text_index(connection: Connection, tenant: str) -> None:
    """Make the full-text index of a tenant where it is missing, and verify it."""
    name = text_index(tenant)
    properties = (*TERMS_OF.values(), "name_tokens", "acl")
    connection.run_alone(
        f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{tenant_label(tenant)}) ON EACH"
        f" [{', '.join(f'n.{key}' for key in properties)}]"
        # The terms are made by us, separated by blanks; a search must find what was committed just before.
        " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}"
    )
    connection.run_alone("CALL db.awaitIndexes($seconds)", seconds=_READY_SECONDS)
    wanted = {name: _Index(kind="FULLTEXT", label=tenant_label(tenant).strip("`"), properties=properties)}
    _compare(wanted, _found(connection), str(connection.address))


def _wanted(spaces: Sequence[StoredSpace]) -> dict[str, _Index]:
    wanted = {
        name: _Index(kind="RANGE", label=label, properties=keys)
        for indexes in (_UNIQUE, _RANGE_NODES, _RANGE_LINKS)
        for name, (label, keys) in indexes.items()
    }
    for space in spaces:
        wanted |= _wanted_vectors(space)
    return wanted


def _wanted_vectors(space: StoredSpace) -> dict[str, _Index]:
    return {
        name: _Index(
            kind="VECTOR",
            label=LABEL_OF[kind],
            properties=(space.slot.embedding,),
            dimension=space.dimension,
            similarity="COSINE",
        )
        for kind, name in space.slot.indexes.items()
    }


def _found(connection: Connection) -> dict[str, _Index]:
    rows = connection.run_alone(
        "SHOW INDEXES YIELD name, type, state, labelsOrTypes, properties, options WHERE name STARTS WITH 'belvedere_'"
        " AND state <> 'FAILED' RETURN name, type, labelsOrTypes, properties, options.indexConfig AS options"
    )
    found = {}
    for name, kind, labels, properties, options in rows:
        found[name] = _Index(
            kind=kind,
            label=(labels or [""])[0],
            properties=tuple(properties or ())[: 1 if kind == "VECTOR" else None],
            inside=tuple(properties or ())[1:] if kind == "VECTOR" else (),
            dimension=options.get("vector.dimensions", 0),
            similarity=options.get("vector.similarity_function", ""),
        )
    return found


def _compare(wanted: Mapping[str, _Index], found: Mapping[str, _Index], address: str) -> None:
    for name, index in wanted.items():
        held = found.get(name)
        if held is None:
            raise StoreMismatch(
                f"the index {name} of {address} is missing, or has failed: run `DROP INDEX {name} IF EXISTS` on the"
                " server, then `belvedere index`, which makes it"
            )
        if held != index:
            raise StoreMismatch(
                f"the index {name} of {address} is a {held}, and the store needs a {index}: run `DROP INDEX {name}`, or"
                " `DROP CONSTRAINT` where it belongs to one, on the server, then `belvedere index`, which makes it anew"
            )

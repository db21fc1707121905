"""Looking over a store on a Neo4j server without changing anything."""

from collections.abc import Iterator

from graph_store.errors import StoreMismatch, StoreMissing, StoreUnusable
from graph_store.findings import Finding, second_space_finding, unfinished_copy_finding
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.connection import Connection
from graph_store.neo4j.names import DERIVED_LABELS, text_index
from graph_store.neo4j.schema import kinds_by_tenant, verify_schema
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.space_state import Spaces, count_unfilled
from graph_store.neo4j.store_state import existing_state, read_tenants
from graph_store.settings import Neo4jSettings


def examine_store(address: ServerAddress, settings: Neo4jSettings) -> tuple[Finding, ...]:
    """Return what an examination finds. Raises ``StoreMissing`` where there is no store."""
    try:
        connection = Connection(address, settings)
    except StoreUnusable as error:
        return (_problem("server", error),)
    try:
        connection.connect()
        state = existing_state(connection)
        return tuple(_examine(connection, state, settings))
    except StoreMissing:
        raise
    except StoreUnusable as error:
        return (_problem("server", error),)
    finally:
        connection.close()


def _problem(check: str, error: StoreUnusable) -> Finding:
    says, _, remedy = str(error).rpartition(": ")
    return Finding(check=check, level="problem", says=says or str(error), remedy=remedy)


def _examine(connection: Connection, state: Spaces, settings: Neo4jSettings) -> Iterator[Finding]:
    yield _server(connection)
    try:
        verify_schema(connection, state.live, *([] if state.spare is None else [state.spare]))
    except StoreMismatch as error:
        yield _problem("indexes", error)
    else:
        yield from _examine_indexes(connection, settings)
        yield from _examine_vector_indexes(connection, state.live)
    yield from _examine_spaces(connection, state)
    yield from _examine_copy(connection)
    yield _examine_writer(connection)
    yield _examine_generations(connection)


def _server(connection: Connection) -> Finding:
    (found,) = connection.run_alone(
        "CALL dbms.components() YIELD name, versions, edition WHERE name CONTAINS 'Kernel' RETURN versions[0], edition"
    )
    version, edition = found
    protocol = "vectors are sent as such" if connection.has_vectors else "vectors are sent as lists"
    return Finding(check="server", level="fine", says=f"Neo4j {version}, {edition}; {protocol}")


def _examine_indexes(connection: Connection, settings: Neo4jSettings) -> Iterator[Finding]:
    found = connection.run_alone(
        "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'belvedere_' RETURN name, state ORDER BY name"
    )
    states = {row[0]: row[1] for row in found}
    tenants = connection.read(read_tenants)
    missing = [tenant for tenant in tenants if text_index(tenant) not in states]
    slow = [name for name, state in states.items() if state != "ONLINE"]
    if missing:
        yield Finding(
            check="indexes",
            level="problem",
            says=f"the text index of the tenant {missing[0]!r} is missing",
            remedy="run `belvedere index` for this tenant, which makes it",
        )
    if slow:
        yield Finding(
            check="indexes",
            level="note",
            says=f"{len(slow)} indexes are not ready, such as {slow[0]} ({states[slow[0]]})",
            remedy="wait until the server has built them, or look at its log",
        )
    if len(tenants) > settings.many_tenants:
        yield Finding(
            check="indexes",
            level="note",
            says=f"{len(tenants):,} tenants have a full-text index each, which takes memory and files of the server",
            remedy="spread them over several servers, or raise neo4j.many_tenants where this one bears it",
        )
    if not missing and not slow:
        yield Finding(check="indexes", level="fine", says=f"{len(states)} indexes are as they should be, and ready")


def _examine_copy(connection: Connection) -> Iterator[Finding]:
    (found,) = connection.run_alone("MATCH (s:BelvedereStore {only: 1}) RETURN s.unfinished_copy")
    if found.value() is not None:
        yield unfinished_copy_finding(found.value())


def _examine_spaces(connection: Connection, state: Spaces) -> Iterator[Finding]:
    spare = state.spare
    if spare is not None:
        lacking = connection.read(lambda tx: count_unfilled(tx, spare))
        yield second_space_finding(spare.told, lacking=lacking)
    if state.dropping is not None:
        yield Finding(
            check="vector spaces",
            level="note",
            says="vectors of a vector space that was dropped are left, which nobody is shown",
            remedy="the next run of `belvedere index` or `belvedere migrate embeddings` removes them",
        )


def _examine_vector_indexes(connection: Connection, live: StoredSpace) -> Iterator[Finding]:
    by_tenant = kinds_by_tenant(connection, live.slot)
    plain = [name for kind, name in live.slot.indexes.items() if kind not in by_tenant]
    if connection.has_search and plain:
        yield Finding(
            check="indexes",
            level="note",
            says=f"{', '.join(plain)} were made by an older server and cannot be searched for one tenant alone, so"
            " questions of small tenants take longer",
            remedy="drop them while nobody asks, and run `belvedere index`, which makes them anew",
        )


def _examine_writer(connection: Connection) -> Finding:
    (found,) = connection.run_alone(
        "MATCH (s:BelvedereStore {only: 1}) RETURN s.writer, coalesce(s.writer_until, 0) > timestamp()"
    )
    writer, alive = found
    if writer is None or not alive:
        return Finding(check="writer", level="fine", says="no process writes to the store")
    return Finding(check="writer", level="note", says=f"process {writer.rpartition(':')[0]} writes to the store")


def _examine_generations(connection: Connection) -> Finding:
    left = 0
    for label in DERIVED_LABELS:
        (found,) = connection.run_alone(
            f"MATCH (t:BelvedereTenant) MATCH (n:{label} {{tenant: t.tenant}}) WHERE n.generation <> t.generation"
            " RETURN count(n)"
        )
        left += found.value()
    if not left:
        return Finding(check="generations", level="fine", says="nothing of an older or unfinished generation is left")
    return Finding(
        check="generations",
        level="note",
        says=f"{left:,} records of an older or unfinished generation, which nobody is shown, are left",
        remedy="the next run of `belvedere index` removes them",
    )

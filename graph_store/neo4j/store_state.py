"""What a store was made with, and how far each tenant is."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from graph_store.errors import StoreMismatch, StoreMissing, StoreUnusable
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.names import DERIVED_LABELS
from graph_store.neo4j.schema import drop_unfit_vector_indexes, make_schema
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.space_state import FORMAT, FORMAT_OF_SLOT, TOLD_OF_SPACES, Spaces, spaces_of
from graph_store.spaces import VectorSpace

_LARGEST_DIMENSION = 4_096
_MAKE_TENANT = (
    "MERGE (t:BelvedereTenant {tenant: $tenant}) ON CREATE SET t.data = 0, t.derived = 0, t.generation = 0,"
    " t.last_generation = 0, t.changed_documents = 0"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a tenant is: numbers that rise with every change of its documents or of its derived layer.

    ``generation`` is that of the derived layer which readers see; ``fingerprint`` is None where it is stale.
    """

    data: int = 0
    derived: int = 0
    generation: int = 0
    fingerprint: str | None = None


def read_progress(transaction: Transaction, tenant: str) -> Progress:
    """Return how far a tenant is; nowhere where it is not known."""
    return read_progresses(transaction, [tenant])[tenant]


def read_progresses(transaction: Transaction, tenants: Sequence[str]) -> dict[str, Progress]:
    """Return how far tenants are."""
    return look(transaction, tenants)[0]


def look(transaction: Transaction, tenants: Sequence[str]) -> tuple[dict[str, Progress], Spaces]:
    """Return how far tenants are, and the spaces of the store, in one exchange; raises ``StoreMissing``."""
    found = transaction.rows(
        "MATCH (s:BelvedereStore {only: 1}) OPTIONAL MATCH (t:BelvedereTenant) WHERE t.tenant IN $tenants"
        f" RETURN {TOLD_OF_SPACES}, t.tenant, t.data, t.derived, t.generation, t.fingerprint",
        tenants=list(tenants),
    )
    if not found:
        raise StoreMissing("the store is not in its database any more: run `belvedere index` to make it anew")
    known = {
        tenant: Progress(data=data, derived=derived, generation=generation, fingerprint=fingerprint)
        for _, tenant, data, derived, generation, fingerprint in found
    }
    return {tenant: known.get(tenant, Progress()) for tenant in tenants}, spaces_of(found[0][0])


def mark_data_changed(transaction: Transaction, tenant: str, *, documents: int) -> None:
    """Tell readers that documents of a tenant changed; the derived layer is stale by that many documents more.

    Makes the node of the tenant where there is none.
    """
    transaction.run(
        f"{_MAKE_TENANT} SET t.data = t.data + 1, t.fingerprint = null,"
        " t.changed_documents = t.changed_documents + $documents",
        tenant=tenant,
        documents=documents,
    )


def forget_settings(transaction: Transaction, tenant: str) -> None:
    """Make the derived layer stale, and let nothing be repaired from it."""
    transaction.run(
        "MATCH (t:BelvedereTenant {tenant: $tenant}) SET t.fingerprint = null, t.made_with = null", tenant=tenant
    )


def mark_derived_changed(transaction: Transaction, tenant: str) -> None:
    """Tell readers that the derived layer of a tenant changed."""
    transaction.run("MATCH (t:BelvedereTenant {tenant: $tenant}) SET t.derived = t.derived + 1", tenant=tenant)


def make_tenant(transaction: Transaction, tenant: str) -> None:
    """Make the node of a tenant where there is none."""
    transaction.run(_MAKE_TENANT, tenant=tenant)


def read_tenants(transaction: Transaction) -> tuple[str, ...]:
    """Return the tenants that have documents or a derived layer, sorted."""
    layers = " OR ".join(
        f"EXISTS {{ MATCH (:{label} {{tenant: t.tenant, generation: t.generation}}) }}" for label in DERIVED_LABELS
    )
    found = transaction.rows(
        "MATCH (t:BelvedereTenant) WHERE EXISTS { MATCH (:Document {tenant: t.tenant}) } OR"
        f" {layers} RETURN t.tenant ORDER BY t.tenant"
    )
    return tuple(tenant for (tenant,) in found)


def read_state(connection: Connection) -> Spaces | None:
    """Return the spaces of a store, None where there is none; raises ``StoreMismatch`` for another format."""
    found = connection.read(lambda tx: tx.rows("MATCH (s:BelvedereStore {only: 1}) RETURN properties(s)"))
    if not found:
        return None
    state = found[0].value()
    if state["format"] not in FORMAT_OF_SLOT.values():
        raise StoreMismatch(
            f"the store {str(connection.address)!r} has format {state['format']}, this version reads format {FORMAT}:"
            " index again into another database"
        )
    return spaces_of(state)


def existing_state(connection: Connection) -> Spaces:
    """Return the spaces of an existing store; raises ``StoreMissing``."""
    state = read_state(connection)
    if state is None:
        raise no_store(str(connection.address))
    return state


def no_store(address: str) -> StoreMissing:
    """Return what is raised for a database without a store."""
    return StoreMissing(f"there is no store in {address!r}: run `belvedere index` first, or name another database")


def check_dimension(space: VectorSpace) -> None:
    """Raise ``StoreUnusable`` for vectors that a server cannot index."""
    if not 1 <= space.dimension <= _LARGEST_DIMENSION:
        raise StoreUnusable(f"Neo4j indexes vectors of up to {_LARGEST_DIMENSION} dimensions, not of {space.dimension}")


def make_store(connection: Connection, wanted: VectorSpace) -> Spaces:
    """Return the spaces of a store, making it where there is none.

    Raises ``StoreUnusable`` for a database that holds something else.
    """
    state = read_state(connection)
    if state is not None:
        return state
    check_dimension(wanted)
    if connection.read(lambda tx: tx.rows("MATCH (n) RETURN 1 LIMIT 1")):
        raise StoreUnusable(f"the database {str(connection.address)!r} holds other data: name an empty database")
    drop_unfit_vector_indexes(connection, StoredSpace(space=wanted))
    make_schema(connection, StoredSpace(space=wanted))
    connection.write(
        lambda tx: tx.run(
            "MERGE (s:BelvedereStore {only: 1}) ON CREATE SET s.format = $format, s.embedding_model = $model,"
            " s.dimension = $dimension, s.token_space = $space, s.token_dimension = $width, s.id = $id",
            format=FORMAT,
            model=wanted.embedding_model,
            dimension=wanted.dimension,
            space=wanted.token_space,
            width=wanted.token_dimension,
            id=os.urandom(16).hex(),
        )
    )
    return existing_state(connection)

"""What a store was made with, and how far each tenant is."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from graph_store.errors import StoreMismatch, StoreMissing, StoreUnusable
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.names import DERIVED_LABELS
from graph_store.neo4j.schema import make_schema
from graph_store.packing import pack_json
from graph_store.spaces import LiveSpace, VectorSpace

FORMAT = 1
"""Raised with every change of the nodes or of what an old property means."""

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
    found = transaction.rows(
        "MATCH (t:BelvedereTenant) WHERE t.tenant IN $tenants"
        " RETURN t.tenant, t.data, t.derived, t.generation, t.fingerprint",
        tenants=list(tenants),
    )
    known = {
        tenant: Progress(data=data, derived=derived, generation=generation, fingerprint=fingerprint)
        for tenant, data, derived, generation, fingerprint in found
    }
    return {tenant: known.get(tenant, Progress()) for tenant in tenants}


def keep_live(transaction: Transaction, live: LiveSpace) -> None:
    """Write down what is known of the live space beside what the store was made with."""
    replaced = pack_json([asdict(space) for space in live.replaced])
    transaction.run(
        "MATCH (s:BelvedereStore {only: 1}) SET s.recipe = $recipe, s.replaced = $replaced",
        recipe=live.recipe,
        replaced=replaced,
    )


def read_live(transaction: Transaction, space: VectorSpace) -> LiveSpace:
    """Return the live space with what is known of it."""
    (found,) = transaction.rows("MATCH (s:BelvedereStore {only: 1}) RETURN s.recipe, coalesce(s.replaced, '[]')")
    recipe, replaced = found
    return LiveSpace(
        space=space, recipe=recipe or "", replaced=tuple(VectorSpace(**item) for item in json.loads(replaced))
    )


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


def read_state(connection: Connection) -> VectorSpace | None:
    """Return what the store was made with, None where there is none; raises ``StoreMismatch`` for another format."""
    found = connection.read(lambda tx: tx.rows("MATCH (s:BelvedereStore {only: 1}) RETURN properties(s)"))
    if not found:
        return None
    state = found[0].value()
    if state["format"] != FORMAT:
        raise StoreMismatch(
            f"the store {str(connection.address)!r} has format {state['format']}, this version reads format {FORMAT}:"
            " index again into another database"
        )
    return VectorSpace(
        embedding_model=state["embedding_model"],
        dimension=state["dimension"],
        token_space=state["token_space"],
        token_dimension=state["token_dimension"],
    )


def existing_state(connection: Connection) -> VectorSpace:
    """Return what an existing store was made with; raises ``StoreMissing``."""
    state = read_state(connection)
    if state is None:
        raise StoreMissing(
            f"there is no store in {str(connection.address)!r}: run `belvedere index` first, or name another database"
        )
    return state


def make_store(connection: Connection, wanted: VectorSpace) -> VectorSpace:
    """Return what the store was made with, making it where there is none.

    Raises ``StoreUnusable`` for a database that holds something else.
    """
    state = read_state(connection)
    if state is not None:
        return state
    if not 1 <= wanted.dimension <= _LARGEST_DIMENSION:
        raise StoreUnusable(
            f"Neo4j indexes vectors of up to {_LARGEST_DIMENSION} dimensions, not of {wanted.dimension}"
        )
    if connection.read(lambda tx: tx.rows("MATCH (n) RETURN 1 LIMIT 1")):
        raise StoreUnusable(f"the database {str(connection.address)!r} holds other data: name an empty database")
    make_schema(connection, dimension=wanted.dimension)
    connection.write(
        lambda tx: tx.run(
            "MERGE (s:BelvedereStore {only: 1}) ON CREATE SET s.format = $format, s.embedding_model = $model,"
            " s.dimension = $dimension, s.token_space = $space, s.token_dimension = $width",
            format=FORMAT,
            model=wanted.embedding_model,
            dimension=wanted.dimension,
            space=wanted.token_space,
            width=wanted.token_dimension,
        )
    )
    return existing_state(connection)

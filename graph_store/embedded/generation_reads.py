"""Reading the derived texts of a tenant as they stand, for the next generation to be repaired from."""

import sqlite3
from collections.abc import Sequence

from graph_store.bundles import FloatMatrix, PreviousGeneration
from graph_store.embedded.access_sql import whole_tenant
from graph_store.embedded.derived_reads import read_communities, read_tree_nodes
from graph_store.embedded.entity_reads import read_entities
from graph_store.packing import unpack_vectors


def read_generation(connection: sqlite3.Connection, tenant: str, *, dimension: int) -> PreviousGeneration:
    """Read reports and tree nodes with their vectors; memory is about that of both."""
    scope = whole_tenant(connection, tenant)
    communities = sorted(read_communities(connection, scope), key=lambda item: (item.level, item.id))
    nodes = sorted(read_tree_nodes(connection, scope), key=lambda item: (item.level, item.id))
    # A store of format 2, open to read, has no columns for this: its layer is whole as long as it is current.
    stands = _has_standing(connection)
    columns = "made_with, changed_documents" if stands else "fingerprint, 0"
    state = connection.execute(f"SELECT {columns} FROM tenants WHERE tenant = ?", (tenant,)).fetchone()
    made_with, changed = state or (None, 0)
    return PreviousGeneration(
        fingerprint=made_with,
        changed_documents=changed,
        communities=tuple(communities),
        community_vectors=_vectors(connection, "communities", "community", tenant, dimension=dimension),
        tree_nodes=tuple(nodes),
        tree_vectors=_vectors(connection, "tree_nodes", "tree_node", tenant, dimension=dimension),
        mended=frozenset(_mended(connection, tenant) if stands else ()),
        described_entities=tuple(item for item in read_entities(connection, scope) if item.description_chunk_ids),
    )


def _has_standing(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM pragma_table_info('tenants') WHERE name = 'made_with'").fetchall())


def _vectors(connection: sqlite3.Connection, owner: str, parts: str, tenant: str, *, dimension: int) -> FloatMatrix:
    found = connection.execute(
        f"SELECT vector FROM {owner} JOIN {parts}_vectors USING (row) WHERE tenant = ? ORDER BY level, id", (tenant,)
    )
    return unpack_vectors([blob for (blob,) in found], dimension)


def _mended(connection: sqlite3.Connection, tenant: str) -> Sequence[str]:
    found = connection.execute(
        "SELECT id FROM communities WHERE tenant = ?1 AND mended"
        " UNION ALL SELECT id FROM tree_nodes WHERE tenant = ?1 AND mended",
        (tenant,),
    )
    return [record_id for (record_id,) in found]

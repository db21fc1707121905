"""Reading the derived texts of a tenant as they stand, for the next generation to be repaired from."""

from graph_store.bundles import FloatMatrix, PreviousGeneration
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.derived_reads import read_communities, read_tree_nodes
from graph_store.neo4j.entity_reads import read_entities
from graph_store.neo4j.scope import Scope
from graph_store.neo4j.slots import StoredSpace
from graph_store.neo4j.vectors import from_list


def read_generation(transaction: Transaction, scope: Scope, *, space: StoredSpace) -> PreviousGeneration:
    """Read reports and tree nodes with their vectors; memory is about that of both."""
    communities = sorted(read_communities(transaction, scope), key=lambda item: (item.level, item.id))
    nodes = sorted(read_tree_nodes(transaction, scope), key=lambda item: (item.level, item.id))
    found = transaction.rows(
        "MATCH (t:BelvedereTenant {tenant: $tenant}) RETURN t.made_with, coalesce(t.changed_documents, 0)",
        tenant=scope.tenant,
    )
    made_with, changed = found[0] if found else (None, 0)
    report_vectors, mended_reports = _vectors(transaction, scope, "__Community__", space)
    node_vectors, mended_nodes = _vectors(transaction, scope, "Summary", space)
    return PreviousGeneration(
        fingerprint=made_with,
        changed_documents=changed,
        communities=tuple(communities),
        community_vectors=report_vectors,
        tree_nodes=tuple(nodes),
        tree_vectors=node_vectors,
        mended=frozenset(mended_reports + mended_nodes),
        described_entities=tuple(item for item in read_entities(transaction, scope) if item.description_chunk_ids),
    )


def _vectors(transaction: Transaction, scope: Scope, label: str, space: StoredSpace) -> tuple[FloatMatrix, list[str]]:
    """Return the vectors by level and id, and the ids of what was mended."""
    found = transaction.rows(
        f"MATCH (n:{label} {{tenant: $tenant, generation: $generation}})"
        f" RETURN n.id, n.{space.slot.embedding}, coalesce(n.mended, false) ORDER BY n.level, n.id",
        **scope.parameters,
    )
    return from_list([row[1] for row in found], space.dimension), [row[0] for row in found if row[2]]

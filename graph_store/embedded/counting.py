"""Counting what a scope may read, and naming the tenants."""

import sqlite3

from graph_store.bundles import StoreCounts
from graph_store.embedded.access_sql import Scope, readable
from graph_store.entity_names import ANY_EVIDENCE


def count_records(connection: sqlite3.Connection, scope: Scope) -> StoreCounts:
    """Count the readable records of each kind."""

    def number(statement: str) -> int:
        found: int = connection.execute(statement, {**scope.parameters, "any": ANY_EVIDENCE}).fetchone()[0]
        return found

    def owned(table: str) -> int:
        return number(f"SELECT count(*) FROM {table} WHERE tenant = :tenant AND {readable(table)}")

    return StoreCounts(
        documents=owned("documents"),
        chunks=owned("chunks"),
        entities=number(
            "SELECT count(DISTINCT part.entity_row) FROM documents JOIN entity_name_support AS part"
            f" ON part.document_row = documents.row AND part.ordinal = :any"
            f" WHERE documents.tenant = :tenant AND {readable('documents')}"
        ),
        relations=number(
            "SELECT count(DISTINCT part.relation_row) FROM relation_evidence AS part"
            f" JOIN chunks ON chunks.row = part.chunk_row WHERE chunks.tenant = :tenant AND {readable('chunks')}"
        ),
        communities=owned("communities"),
        tree_nodes=owned("tree_nodes"),
    )


def read_tenants(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the tenants that have documents or a derived layer, sorted."""
    tables = ("documents", "entities", "communities", "tree_nodes")
    statement = " UNION ".join(f"SELECT tenant FROM {table}" for table in tables)
    return tuple(tenant for (tenant,) in connection.execute(f"{statement} ORDER BY tenant"))

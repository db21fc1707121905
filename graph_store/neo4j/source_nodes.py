"""What was read from which source file: forgotten with the first of its documents that changes or goes."""

import json
from collections.abc import Collection, Mapping, Sequence

from graph_store.bundles import SourceState
from graph_store.errors import InvalidRecord
from graph_store.neo4j.connection import Transaction
from graph_store.packing import pack_json


def read_sources(transaction: Transaction, tenant: str) -> dict[str, SourceState]:
    """Return path -> state of a whole tenant, ordered by path; ids of documents sorted."""
    found = transaction.rows(
        "MATCH (s:Source {tenant: $tenant}) OPTIONAL MATCH (s)-[:GAVE]->(d:Document)"
        " RETURN s.path, s.mark, s.whole, s.failures, collect(d.id) ORDER BY s.path",
        tenant=tenant,
    )
    return {
        path: SourceState(
            mark=mark,
            document_ids=tuple(sorted(document_ids)),
            failures=tuple((uri, sentence) for uri, sentence in json.loads(failures)),
            whole=whole,
        )
        for path, mark, whole, failures, document_ids in found
    }


def replace_sources(
    transaction: Transaction, tenant: str, states: Mapping[str, SourceState], *, forget: Collection[str]
) -> None:
    """Write states by path in place of what stood there, and delete those of ``forget``."""
    transaction.run(
        "MATCH (s:Source {tenant: $tenant}) WHERE s.path IN $paths DETACH DELETE s",
        tenant=tenant,
        paths=sorted({*states, *forget}),
    )
    rows = [
        {
            "path": path,
            "properties": {"mark": state.mark, "whole": state.whole, "failures": pack_json(state.failures)},
            "documents": sorted(set(state.document_ids)),
        }
        for path, state in sorted(states.items())
    ]
    found = transaction.rows(
        "UNWIND $rows AS row CREATE (s:Source {tenant: $tenant, path: row.path}) SET s += row.properties"
        " WITH s, row OPTIONAL MATCH (d:Document {tenant: $tenant}) WHERE d.id IN row.documents"
        " WITH s, row, collect(d) AS documents FOREACH (d IN documents | CREATE (s)-[:GAVE]->(d))"
        " RETURN row.path, size(documents), size(row.documents)",
        rows=rows,
        tenant=tenant,
    )
    for path, linked, wanted in found:
        if linked != wanted:
            raise InvalidRecord(f"the source {path!r} names documents that the tenant does not have: write them first")


def forget_sources_of(transaction: Transaction, tenant: str, document_ids: Sequence[str]) -> None:
    """Delete the states of all sources that gave one of the documents."""
    transaction.run(
        "MATCH (s:Source)-[:GAVE]->(d:Document {tenant: $tenant}) WHERE d.id IN $ids DETACH DELETE s",
        tenant=tenant,
        ids=list(document_ids),
    )

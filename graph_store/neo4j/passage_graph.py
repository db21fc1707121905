"""The passage graph, whole or by single passages, as one caller sees it."""

from collections.abc import Iterable, Sequence

from graph_store.bundles import PassageGraph, PassageLinks
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.document_reads import IN_DOCUMENT_ORDER
from graph_store.neo4j.entity_reads import read_names_and_chunks
from graph_store.neo4j.scope import Scope, readable
from graph_store.passage_assembly import assemble_graph, strongest_links


def read_edges(transaction: Transaction, scope: Scope) -> Iterable[tuple[str, str, float]]:
    """Return (source, target, weight) of the edges of the passage graph from readable chunks."""
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE {readable('c')} MATCH (c)-[r:LEADS_TO]->(b:Chunk)"
        " WHERE r.generation = $generation RETURN c.id, b.id, r.weight",
        **scope.parameters,
    )
    return [(source, target, weight) for source, target, weight in found]


def read_graph(transaction: Transaction, scope: Scope) -> PassageGraph:
    """Read the graph: all readable chunks, by document id and position; O(chunks + mentions + edges)."""
    chunks = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE {readable('c')} RETURN c.id {IN_DOCUMENT_ORDER}", **scope.parameters
    )
    homes, mentions = read_names_and_chunks(transaction, scope)
    ids = [row[0] for row in chunks]
    edges = read_edges(transaction, scope)
    return assemble_graph(list(zip(ids, ids, strict=True)), edges=edges, homes=homes, mentions=mentions)


def read_links(
    transaction: Transaction, scope: Scope, chunk_ids: Sequence[str], *, most: int
) -> dict[str, PassageLinks]:
    """Read the strongest edges of readable chunks by one statement, in the order asked."""
    if not chunk_ids:
        return {}
    rows = transaction.rows(
        f"UNWIND $ids AS id MATCH (c:Chunk {{tenant: $tenant, id: id}}) WHERE {readable('c')}"
        " MATCH (c)-[r:LEADS_TO]->(b:Chunk)"
        f" WHERE r.generation = $generation AND {readable('b')}"
        " WITH c.id AS source, b.id AS target, r.weight AS weight ORDER BY source, weight DESC, target"
        " WITH source, collect(target) AS targets, collect(weight) AS weights"
        " RETURN source, targets[..$most], weights[..$most], reduce(total = 0.0, own IN weights | total + own)",
        ids=list(dict.fromkeys(chunk_ids)),
        most=most,
        **scope.parameters,
    )
    links = strongest_links((row[0], row[1], row[2], row[3]) for row in rows)
    return {chunk_id: links[chunk_id] for chunk_id in chunk_ids if chunk_id in links}

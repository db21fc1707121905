"""Writing and deleting documents with all that belongs to them."""

from collections.abc import Iterable, Sequence

from graph_store.bundles import DocumentBundle
from graph_store.neo4j.batching import Row, batches
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.document_rows import chunk_links, chunk_rows, document_row, parent_rows
from graph_store.neo4j.names import tenant_label
from graph_store.neo4j.slots import Slot
from graph_store.neo4j.source_nodes import forget_sources_of
from graph_store.settings import Neo4jSettings

_DOCUMENTS = "UNWIND $rows AS row CREATE (d:Document) SET d = row"
_PARENTS = (
    "UNWIND $rows AS row MATCH (d:Document {tenant: row.tenant, id: row.document_id})"
    " CREATE (d)-[:HAS_PARENT]->(p:Parent) SET p = row"
)
_CHUNKS = (
    "UNWIND $rows AS row MATCH (d:Document {{tenant: $tenant, id: row.document}})"
    " CREATE (d)<-[:PART_OF]-(c:Chunk:{label})-[:HAS_DATA]->(x:ChunkData)"
    " SET c = row.properties, x = row.data"
    " FOREACH (_ IN CASE WHEN row.first THEN [1] ELSE [] END | CREATE (d)-[:FIRST_CHUNK]->(c))"
    " WITH c, row CALL db.create.setNodeVectorProperty(c, $embedding, row.vector)"
)
_NEXT = (
    "UNWIND $rows AS row MATCH (a:Chunk {tenant: $tenant, id: row.first})"
    " MATCH (b:Chunk {tenant: $tenant, id: row.second}) CREATE (a)-[:NEXT_CHUNK]->(b)"
)


class DocumentWriter:
    """Writes documents of one tenant in a transaction."""

    def __init__(
        self, transaction: Transaction, tenant: str, *, slot: Slot, settings: Neo4jSettings, as_vector: bool
    ) -> None:
        self._transaction = transaction
        self._tenant = tenant
        self._slot = slot
        self._settings = settings
        self._as_vector = as_vector

    def insert(self, bundles: Sequence[DocumentBundle]) -> None:
        """Insert documents that are not in the store."""
        ordered = sorted(bundles, key=lambda bundle: bundle.document.id)
        self._run(_DOCUMENTS, (document_row(bundle) for bundle in ordered))
        self._run(_PARENTS, (row for bundle in ordered for row in parent_rows(bundle)))
        chunks = (row for bundle in ordered for row in chunk_rows(bundle, self._slot, as_vector=self._as_vector))
        self._run(_CHUNKS.format(label=tenant_label(self._tenant)), chunks)
        self._run(_NEXT, chunk_links(ordered))

    def _run(self, query: str, rows: Iterable[Row]) -> None:
        for batch in batches(rows, most_rows=self._settings.batch_rows, most_bytes=self._settings.batch_bytes):
            self._transaction.run(query, rows=batch, tenant=self._tenant, embedding=self._slot.embedding)


def existing_documents(transaction: Transaction, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
    """Return those of the ids that documents have, in the order asked."""
    found = transaction.rows(
        "MATCH (d:Document {tenant: $tenant}) WHERE d.id IN $ids RETURN d.id", tenant=tenant, ids=list(document_ids)
    )
    existing = {document_id for (document_id,) in found}
    return tuple(dict.fromkeys(document_id for document_id in document_ids if document_id in existing))


def delete_documents(transaction: Transaction, tenant: str, document_ids: Sequence[str]) -> None:
    """Delete documents with their parts.

    What else rests on them is mended by :mod:`graph_store.neo4j.lost_evidence`.
    """
    parameters = {"tenant": tenant, "ids": sorted(document_ids)}
    forget_sources_of(transaction, tenant, document_ids)
    chosen = "MATCH (d:Document {tenant: $tenant}) WHERE d.id IN $ids"
    transaction.run(f"{chosen} MATCH (d)<-[:PART_OF]-(:Chunk)-[:HAS_DATA]->(x) DETACH DELETE x", **parameters)
    transaction.run(f"{chosen} MATCH (d)<-[:PART_OF]-(c:Chunk) DETACH DELETE c", **parameters)
    transaction.run(f"{chosen} MATCH (d)-[:HAS_PARENT]->(p) DETACH DELETE p", **parameters)
    transaction.run(f"{chosen} DETACH DELETE d", **parameters)

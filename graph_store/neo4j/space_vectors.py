"""The vectors of the spare space: what it lacks, what that is made from, writing them, and removing them."""

from collections.abc import Iterator, Sequence
from functools import partial

from graph_store.bundles import FloatMatrix
from graph_store.errors import InvalidRecord
from graph_store.in_order import in_order
from graph_store.neo4j.batching import Row, batches
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.derived_reads import read_communities, read_tree_nodes
from graph_store.neo4j.document_reads import IN_DOCUMENT_ORDER, read_chunks, read_documents
from graph_store.neo4j.schema import drop_vector_indexes
from graph_store.neo4j.scope import Scope, whole_tenant
from graph_store.neo4j.slots import SLOTS, Slot, StoredSpace
from graph_store.neo4j.space_state import need_spare, note_dropped, read_spaces
from graph_store.neo4j.store_state import read_progress
from graph_store.neo4j.vectors import sendable_rows
from graph_store.neo4j.writer_lease import WriterLease
from graph_store.packing import pack_tokens, quantise, unpack_spans
from graph_store.record_checks import check_vectors
from graph_store.records import Sentence
from graph_store.settings import Neo4jSettings
from graph_store.spaces import SpaceVectors, Unfilled, UnfilledContent
from graph_store.token_checks import check_token_vectors

_CHUNKS = (
    "UNWIND $rows AS row MATCH (c:Chunk {tenant: $tenant, id: row.id}) MATCH (c)-[:HAS_DATA]->(x)"
    " SET c += row.properties, x += row.data"
    " WITH c, row CALL db.create.setNodeVectorProperty(c, $embedding, row.vector)"
)
_DERIVED = (
    "UNWIND $rows AS row MATCH (n:{label} {{tenant: $tenant, generation: $generation, id: row.id}})"
    " CALL db.create.setNodeVectorProperty(n, $embedding, row.vector)"
)
_DROPPED_AT_ONCE = 500


def whole_scope(transaction: Transaction, tenant: str) -> Scope:
    """Return the scope of all that a tenant has, in the generation that is shown."""
    return whole_tenant(tenant).at(read_progress(transaction, tenant).generation)


def read_unfilled(transaction: Transaction, tenant: str) -> Unfilled:
    """Return what a tenant lacks in the spare space; raises ``SpaceMissing``."""
    embedding = need_spare(read_spaces(transaction)).slot.embedding
    scope = whole_scope(transaction, tenant)

    def derived(label: str) -> tuple[str, ...]:
        found = transaction.rows(
            f"MATCH (n:{label} {{tenant: $tenant, generation: $generation}}) WHERE n.{embedding} IS NULL"
            " RETURN n.id ORDER BY n.level, n.id",
            **scope.parameters,
        )
        return tuple(record_id for (record_id,) in found)

    chunks = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.{embedding} IS NULL RETURN c.id {IN_DOCUMENT_ORDER}",
        tenant=tenant,
    )
    return Unfilled(
        chunk_ids=tuple(chunk_id for (chunk_id,) in chunks),
        community_ids=derived("__Community__"),
        tree_node_ids=derived("Summary"),
    )


def read_content(transaction: Transaction, tenant: str, part: Unfilled, *, space: StoredSpace) -> UnfilledContent:
    """Return the records of ``part`` in its order; ``space`` is the live one."""
    scope = whole_scope(transaction, tenant)
    chunks = read_chunks(transaction, scope, part.chunk_ids, space=space)
    documents = tuple(dict.fromkeys(chunk.document_id for chunk in chunks))
    communities = {item.id: item for item in read_communities(transaction, scope, ids=part.community_ids)}
    nodes = {item.id: item for item in read_tree_nodes(transaction, scope, ids=part.tree_node_ids)}
    spans = _read_spans(transaction, tenant, part.chunk_ids)
    return UnfilledContent(
        documents=read_documents(transaction, scope, documents),
        chunks=chunks,
        sentences=tuple(
            Sentence(chunk_id=chunk.id, position=position, char_start=start, char_end=end)
            for chunk in chunks
            for position, start, end in unpack_spans(spans[chunk.id])
        ),
        communities=in_order(part.community_ids, communities),
        tree_nodes=in_order(part.tree_node_ids, nodes),
    )


def _read_spans(transaction: Transaction, tenant: str, chunk_ids: Sequence[str]) -> dict[str, bytes]:
    found = transaction.rows(
        "MATCH (c:Chunk {tenant: $tenant}) WHERE c.id IN $ids MATCH (c)-[:HAS_DATA]->(x) RETURN c.id, x.sentence_spans",
        tenant=tenant,
        ids=list(chunk_ids),
    )
    return {chunk_id: spans for chunk_id, spans in found}


def write_vectors(transaction: Transaction, vectors: SpaceVectors, *, settings: Neo4jSettings, as_vector: bool) -> None:
    """Write vectors into the spare space; raises ``SpaceMissing`` and ``InvalidRecord``."""
    found = read_spaces(transaction)
    spare = need_spare(found)
    scope = whole_scope(transaction, vectors.tenant)
    _check(transaction, vectors, scope, live=found.live, spare=spare)
    derived = partial(_vector_rows, as_vector=as_vector)
    for query, rows in (
        (_CHUNKS, _chunk_rows(vectors, spare, as_vector=as_vector)),
        (_DERIVED.format(label="__Community__"), derived(vectors.community_ids, vectors.community_vectors)),
        (_DERIVED.format(label="Summary"), derived(vectors.tree_node_ids, vectors.tree_vectors)),
    ):
        for batch in batches(rows, most_rows=settings.batch_rows, most_bytes=settings.batch_bytes):
            transaction.run(query, rows=batch, embedding=spare.slot.embedding, **scope.parameters)


def _check(
    transaction: Transaction, vectors: SpaceVectors, scope: Scope, *, live: StoredSpace, spare: StoredSpace
) -> None:
    chunks = read_chunks(transaction, scope, vectors.chunk_ids, space=live)
    _check_ids([chunk.id for chunk in chunks], vectors.chunk_ids)
    for label, ids in (("__Community__", vectors.community_ids), ("Summary", vectors.tree_node_ids)):
        known = transaction.rows(
            f"MATCH (n:{label} {{tenant: $tenant, generation: $generation}}) WHERE n.id IN $ids RETURN n.id",
            ids=list(ids),
            **scope.parameters,
        )
        _check_ids([record_id for (record_id,) in known], ids)
    for owner, ids, matrix in (
        ("chunks", vectors.chunk_ids, vectors.chunk_vectors),
        ("communities", vectors.community_ids, vectors.community_vectors),
        ("tree nodes", vectors.tree_node_ids, vectors.tree_vectors),
    ):
        check_vectors(matrix, rows=len(ids), dimension=spare.dimension, owner=owner)
    if len(vectors.sentence_vectors) != len(chunks):
        raise InvalidRecord(f"{len(chunks)} chunks have sentence vectors of {len(vectors.sentence_vectors)}")
    spans = _read_spans(transaction, vectors.tenant, vectors.chunk_ids)
    for chunk_id, matrix in zip(vectors.chunk_ids, vectors.sentence_vectors, strict=True):
        expected = len(unpack_spans(spans[chunk_id]))
        check_vectors(matrix, rows=expected, dimension=spare.dimension, owner="sentences")
    check_token_vectors(chunks, vectors.token_vectors, dimension=spare.token_dimension, owner="the second vector space")


def _check_ids(found: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise ``InvalidRecord`` where a record is not there, or is named twice."""
    if len(set(found)) != len(wanted):
        strangers = [record_id for record_id in wanted if record_id not in set(found)]
        what = f"no record has the id {strangers[0]!r}" if strangers else "an id is named twice"
        raise InvalidRecord(f"the vectors do not fit the store ({what}): read again what the second space lacks")


def _chunk_rows(vectors: SpaceVectors, space: StoredSpace, *, as_vector: bool) -> Iterator[Row]:
    slot = space.slot
    named = {slot.embedding_model: space.embedding_model}
    rows = sendable_rows(vectors.chunk_vectors, as_vector=as_vector)
    for place, (chunk_id, vector) in enumerate(zip(vectors.chunk_ids, rows, strict=True)):
        data: dict[str, object] = {slot.sentence_vectors: quantise(vectors.sentence_vectors[place]).tobytes()}
        if vectors.token_vectors:
            starts, tokens = pack_tokens(vectors.token_vectors[place])
            data |= {slot.token_starts: starts, slot.token_vectors: tokens}
        yield {"id": chunk_id, "vector": vector, "properties": named, "data": data}


def _vector_rows(ids: Sequence[str], matrix: FloatMatrix, *, as_vector: bool) -> Iterator[Row]:
    for record_id, vector in zip(ids, sendable_rows(matrix, as_vector=as_vector) if ids else [], strict=True):
        yield {"id": record_id, "vector": vector}


def finish_drop(connection: Connection, lease: WriterLease) -> None:
    """Remove the vectors of a space that was dropped, in steps; nothing where nothing is left to be removed."""
    dropping = connection.read(read_spaces).dropping
    if dropping is None:
        return
    slot = SLOTS[dropping]
    drop_vector_indexes(connection, slot)
    tenants = connection.read(lambda tx: tx.rows("MATCH (t:BelvedereTenant) RETURN t.tenant ORDER BY t.tenant"))
    for (tenant,) in tenants:
        after: str | None = ""
        while after is not None:
            after = connection.write(partial(_remove_of_chunks, lease=lease, tenant=tenant, after=after, slot=slot))
        for label in ("__Community__", "Summary"):
            step = partial(_remove_of_texts, lease=lease, tenant=tenant, label=label, slot=slot)
            while connection.write(step):
                pass

    def end(transaction: Transaction) -> None:
        lease.check(transaction)
        note_dropped(transaction)

    connection.write(end)


def _remove_of_chunks(
    transaction: Transaction, *, lease: WriterLease, tenant: str, after: str, slot: Slot
) -> str | None:
    """Remove the vectors of the next chunks by id; return the last of these ids, None where there were none."""
    lease.check(transaction)
    removed = ", ".join(f"x.{key}" for key in (slot.sentence_vectors, slot.token_starts, slot.token_vectors))
    (found,) = transaction.rows(
        "MATCH (c:Chunk {tenant: $tenant}) WHERE c.id > $after WITH c ORDER BY c.id LIMIT $most"
        " OPTIONAL MATCH (c)-[:HAS_DATA]->(x)"
        f" REMOVE c.{slot.embedding}, c.{slot.embedding_model}, {removed} RETURN max(c.id)",
        tenant=tenant,
        after=after,
        most=_DROPPED_AT_ONCE,
    )
    last: str | None = found.value()
    return last


def _remove_of_texts(transaction: Transaction, *, lease: WriterLease, tenant: str, label: str, slot: Slot) -> int:
    """Remove the vectors of some reports or summaries; return of how many."""
    lease.check(transaction)
    (found,) = transaction.rows(
        f"MATCH (n:{label} {{tenant: $tenant}}) WHERE n.{slot.embedding} IS NOT NULL WITH n LIMIT $most"
        f" REMOVE n.{slot.embedding} RETURN count(n)",
        tenant=tenant,
        most=_DROPPED_AT_ONCE,
    )
    number: int = found.value()
    return number

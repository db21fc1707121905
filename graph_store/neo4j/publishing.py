"""Publishing a derived layer: written beside the old one, shown by one change of a number, the old one deleted after.

A layer of any size is written in as many transactions as it takes, since none may outgrow the memory of the server.
Until the number of the tenant's generation changes nobody sees any of it; where writing stops before that, what was
written is swept away by the next writer.
"""

from collections.abc import Collection as AnyCollection
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TypeAlias

from graph_store.bundles import Generation
from graph_store.copies import LayerStanding
from graph_store.entity_names import NamedChunk, find_support
from graph_store.evidence_checks import check_audiences, check_evidence
from graph_store.neo4j import derived_rows
from graph_store.neo4j.batching import Row, batches, in_halves
from graph_store.neo4j.connection import Connection, Transaction
from graph_store.neo4j.failures import BatchTooLarge
from graph_store.neo4j.names import DERIVED_LABELS, tenant_label
from graph_store.neo4j.slots import Slot
from graph_store.neo4j.store_state import make_tenant, mark_derived_changed
from graph_store.neo4j.writer_lease import WriterLease
from graph_store.settings import Neo4jSettings

_Statement: TypeAlias = tuple[str, Iterable[Row]]
_Batch: TypeAlias = tuple[str, list[Row]]

_DELETED_AT_ONCE = 2_000

# What a transaction creates it must not create again, should it run once more after a commit of unknown outcome.
_NEXT_STEP = "MATCH (t:BelvedereTenant {tenant: $tenant}) WHERE t.step < $step SET t.step = $step RETURN 1"
_KEY = "{{tenant: $tenant, generation: $generation, id: row.{column}}}"
_NODE = (
    "UNWIND $rows AS row CREATE (n:{label}:{tenant} {{tenant: $tenant, generation: $generation, id: row.id}})"
    " SET n += row.properties"
)
_MENDED = (
    "UNWIND $rows AS row MATCH (n:{label} {{tenant: $tenant, generation: $generation, id: row.id}}) SET n.mended = true"
)
_WITH_VECTOR = " WITH n, row CALL db.create.setNodeVectorProperty(n, $embedding, row.vector)"
_CHUNK = "(c:Chunk {tenant: $tenant, id: row.chunk})"


def _derived(name: str, label: str, column: str) -> str:
    return f"({name}:{label} {_KEY.format(column=column)})".replace("{{", "{").replace("}}", "}")


_ENTITY = _derived("e", "__Entity__", "entity")
_OCCURRENCES = (
    f"UNWIND $rows AS row MATCH {_CHUNK} MATCH {_ENTITY} CREATE (c)-[r:HAS_ENTITY]->(e)"
    " SET r.starts = row.starts, r.ends = row.ends, r.homes = row.homes"
)
_SUPPORT = (
    f"UNWIND $rows AS row MATCH (d:Document {{tenant: $tenant, id: row.document}}) MATCH {_ENTITY}"
    " CREATE (d)-[r:SUPPORTS]->(e) SET r.numbers = row.numbers"
)
_RELATIONS = (
    f"UNWIND $rows AS row MATCH {_derived('a', '__Entity__', 'source')} MATCH {_derived('b', '__Entity__', 'target')}"
    " CREATE (a)-[r:RELATED {id: row.id}]->(b)"
    " SET r += row.properties, r.tenant = $tenant, r.generation = $generation"
)
_STATEMENTS = (
    f"UNWIND $rows AS row MATCH {_CHUNK} MATCH {_ENTITY} CREATE (c)-[r:STATES]->(e) SET r.relations = row.relations"
)
_EDGES = (
    "UNWIND $rows AS row MATCH (a:Chunk {tenant: $tenant, id: row.source}) MATCH (b:Chunk {tenant: $tenant, id:"
    " row.target}) CREATE (a)-[r:LEADS_TO {generation: $generation}]->(b) SET r.weight = row.weight, r.tenant = $tenant"
)
_MEMBERS = (
    f"UNWIND $rows AS row MATCH {_ENTITY} MATCH {_derived('g', '__Community__', 'community')}"
    " CREATE (e)-[:IN_COMMUNITY]->(g)"
)
_COMMUNITY_PARENTS = (
    f"UNWIND $rows AS row MATCH {_derived('a', '__Community__', 'child')} MATCH"
    f" {_derived('b', '__Community__', 'parent')} CREATE (a)-[:PARENT_COMMUNITY]->(b)"
)
_REPORT_EVIDENCE, _SUMMARY_EVIDENCE = (
    f"UNWIND $rows AS row MATCH {_derived('t', label, 'text')} MATCH {_CHUNK} CREATE (t)-[:RESTS_ON]->(c)"
    for label in ("__Community__", "Summary")
)
_OVER_CHUNKS = (
    f"UNWIND $rows AS row MATCH {_derived('s', 'Summary', 'summary')}"
    " MATCH (c:Chunk {tenant: $tenant, id: row.child}) CREATE (s)-[:SUMMARIZES]->(c)"
)
_OVER_SUMMARIES = (
    f"UNWIND $rows AS row MATCH {_derived('s', 'Summary', 'summary')} MATCH {_derived('c', 'Summary', 'child')}"
    " CREATE (s)-[:SUMMARIZES]->(c)"
)


_OUTDATED = (
    *(
        f"MATCH (t:BelvedereTenant {{tenant: $tenant}}) MATCH (n:{label} {{tenant: $tenant}})"
        " WHERE n.generation <> t.generation WITH n LIMIT $most DETACH DELETE n RETURN count(*)"
        for label in DERIVED_LABELS
    ),
    "MATCH (t:BelvedereTenant {tenant: $tenant}) MATCH (:Chunk)-[r:LEADS_TO {tenant: $tenant}]->(:Chunk)"
    " WHERE r.generation <> t.generation WITH r LIMIT $most DELETE r RETURN count(*)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What the evidence of a layer is checked against: chunk id -> its document, chunk id -> its groups, and texts."""

    documents: dict[str, str]
    groups: dict[str, list[str]]
    names: list[NamedChunk]


class Publisher:
    """Publishes the derived layers of one store."""

    def __init__(self, connection: Connection, lease: WriterLease, settings: Neo4jSettings, *, slot: Slot) -> None:
        self._connection = connection
        self._lease = lease
        self._settings = settings
        self._slot = slot

    def publish(self, generation: Generation, standing: LayerStanding | None = None) -> None:
        """Write a layer that was checked, show it, and delete what was shown before.

        It is current, unless it is to stand as it stood elsewhere.
        """
        tenant = generation.tenant
        mended = frozenset() if standing is None else standing.mended
        ground = self._connection.read(lambda tx: _read_ground(tx, tenant))
        check_evidence(generation, ground.documents)
        check_audiences(generation, ground.groups)
        number = self._connection.write(lambda tx: self._next_number(tx, tenant))
        steps = count(1)
        for statements in self._transactions(self._statements(generation, ground, mended)):
            in_halves(statements, lambda part: self._write(tenant, number, part, steps))
        self._connection.write(lambda tx: self._show(tx, generation, number, standing))
        if number > 1:
            self.sweep(tenant)

    def _write(self, tenant: str, number: int, statements: Sequence[_Batch], steps: Iterator[int]) -> None:
        """Write batches in one transaction, one that is alone in halves of its rows where the server needs that."""
        step = next(steps)
        try:
            self._connection.write(
                partial(self._run, statements=statements, tenant=tenant, generation=number, step=step)
            )
        except BatchTooLarge:
            if len(statements) > 1 or len(statements[0][1]) < 2:
                raise
            ((query, rows),) = statements
            middle = len(rows) // 2
            for half in (rows[:middle], rows[middle:]):
                self._write(tenant, number, [(query, half)], steps)

    def _next_number(self, transaction: Transaction, tenant: str) -> int:
        self._lease.check(transaction)
        make_tenant(transaction, tenant)
        (found,) = transaction.rows(
            "MATCH (t:BelvedereTenant {tenant: $tenant}) SET t.last_generation = t.last_generation + 1, t.step = 0"
            " RETURN t.last_generation",
            tenant=tenant,
        )
        number: int = found.value()
        return number

    def _statements(self, generation: Generation, ground: _Ground, mended: AnyCollection[str]) -> Iterator[_Statement]:
        support = derived_rows.support_of(find_support(ground.names, generation))
        as_vector = self._connection.has_vectors
        label = tenant_label(generation.tenant)
        over_chunks, over_summaries = derived_rows.child_rows(generation)
        entity = _NODE.format(label="__Entity__", tenant=label) + ", n:$(row.labels)"
        yield entity, derived_rows.entity_rows(generation, support)
        for name, rows in (
            ("__Community__", derived_rows.community_rows(generation, ground.documents, as_vector=as_vector)),
            ("Summary", derived_rows.summary_rows(generation, ground.documents, as_vector=as_vector)),
        ):
            yield _NODE.format(label=name, tenant=label) + _WITH_VECTOR, rows
        yield _SUPPORT, derived_rows.support_rows(support)
        yield _OCCURRENCES, derived_rows.occurrence_rows(generation)
        yield _RELATIONS, derived_rows.relation_rows(generation)
        yield _STATEMENTS, derived_rows.statement_rows(generation)
        yield _EDGES, derived_rows.edge_rows(generation)
        yield _MEMBERS, derived_rows.member_rows(generation)
        yield _COMMUNITY_PARENTS, derived_rows.parent_links(generation.communities)
        yield _REPORT_EVIDENCE, derived_rows.evidence_rows(generation.communities)
        yield _SUMMARY_EVIDENCE, derived_rows.evidence_rows(generation.tree_nodes)
        yield _OVER_CHUNKS, over_chunks
        yield _OVER_SUMMARIES, over_summaries
        for name, texts in (("__Community__", generation.communities), ("Summary", generation.tree_nodes)):
            yield _MENDED.format(label=name), [{"id": text.id} for text in texts if text.id in mended]

    def _transactions(self, statements: Iterable[_Statement]) -> Iterator[list[_Batch]]:
        """Yield batches of rows with their statements, as many as one transaction should write."""
        chosen: list[_Batch] = []
        size = 0
        for query, rows in statements:
            for batch in batches(rows, most_rows=self._settings.batch_rows, most_bytes=self._settings.batch_bytes):
                chosen.append((query, batch))
                size += len(batch)
                if size >= self._settings.transaction_rows:
                    yield chosen
                    chosen, size = [], 0
        if chosen:
            yield chosen

    def _run(
        self, transaction: Transaction, *, statements: Iterable[_Batch], tenant: str, generation: int, step: int
    ) -> None:
        """Write batches unless they are there: their commit may have been done although nobody could tell."""
        self._lease.check(transaction)
        if not transaction.rows(_NEXT_STEP, tenant=tenant, step=step):
            return
        for query, rows in statements:
            transaction.run(query, rows=rows, tenant=tenant, generation=generation, embedding=self._slot.embedding)

    def _show(
        self, transaction: Transaction, generation: Generation, number: int, standing: LayerStanding | None
    ) -> None:
        self._lease.check(transaction)
        mark_derived_changed(transaction, generation.tenant)
        if standing is None:
            changed = 0 if generation.whole else None
            standing = LayerStanding(fingerprint=generation.fingerprint, made_with=generation.fingerprint)
        else:
            changed = standing.changed_documents
        transaction.run(
            "MATCH (t:BelvedereTenant {tenant: $tenant}) SET t.generation = $number, t.fingerprint = $fingerprint,"
            " t.made_with = $made_with, t.changed_documents = coalesce($changed, t.changed_documents)",
            changed=changed,
            tenant=generation.tenant,
            number=number,
            fingerprint=standing.fingerprint,
            made_with=standing.made_with,
        )

    def sweep(self, tenant: str) -> None:
        """Delete every generation of a tenant but the one that is shown, in steps."""
        most = _DELETED_AT_ONCE
        while True:
            try:
                full = self._connection.write(partial(self._sweep_step, tenant=tenant, most=most))
            except BatchTooLarge:
                if most == 1:
                    raise
                most //= 2
                continue
            if not full:
                return

    def _sweep_step(self, transaction: Transaction, *, tenant: str, most: int) -> bool:
        """Delete at most so many records; tell whether there may be more."""
        self._lease.check(transaction)
        for query in _OUTDATED:
            (found,) = transaction.rows(query, tenant=tenant, most=most)
            if found.value() == most:
                return True
        return False


def _read_ground(transaction: Transaction, tenant: str) -> _Ground:
    found = transaction.rows(
        "MATCH (c:Chunk {tenant: $tenant})-[:HAS_DATA]->(x) RETURN c.id, c.document_id, c.groups, c.text, x.mentions,"
        " x.homes",
        tenant=tenant,
    )
    return _Ground(
        documents={row[0]: row[1] for row in found},
        groups={row[0]: row[2] for row in found},
        names=[NamedChunk(id=row[0], document=row[1], text=row[3], mentions=row[4], homes=row[5]) for row in found],
    )

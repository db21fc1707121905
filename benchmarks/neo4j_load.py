"""How fast a store in Neo4j is filled: ``python -m benchmarks.neo4j_load [--store DIR | --chunks 100000]``.

Loads documents with chunks, vectors and whatever else belongs to them into the server of ``make neo4j-start``, by the
store and by the driver alone, and prints chunks a second and the ratio. Both fill one database, a transaction of
about a thousand chunks each in turn; a second pass over an empty database has them change places, so that either has
written every row. The driver alone is given the same rows, made beforehand, and writes them with the same labels,
properties, indexes and batches: nothing of it is the store's. What the store does in its time besides is making the
rows (index terms, packed sentences), looking for what it replaces, the lease, and its checks. The documents are those
of a store in a folder (``--store``), or made up: ``--chunks`` with random vectors. THE DATABASE IS EMPTIED.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import click
import numpy as np
from neo4j import Driver, GraphDatabase, ManagedTransaction

from belvedere.evaluation.machine import describe_machine
from graph_store.access import DEFAULT_TENANT
from graph_store.bundles import DocumentBundle
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.neo4j.address import parse_address
from graph_store.neo4j.batching import Row, batches
from graph_store.neo4j.document_rows import chunk_links, chunk_rows, document_row, parent_rows
from graph_store.neo4j.names import tenant_label
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.slots import FIRST_SLOT, SLOTS
from graph_store.records import Chunk, Document, Sentence
from graph_store.settings import Neo4jSettings
from graph_store.spaces import VectorSpace
from tests.neo4j.control import running
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

WORDS = 20_000
CHUNKS_A_DOCUMENT = 10
WORDS_A_CHUNK = 60
DIMENSION = 384
AT_ONCE = 1_000
WAYS = ("store", "driver")

Parts: TypeAlias = list[list[DocumentBundle]]
Statement: TypeAlias = tuple[str, list[Row]]

_LABEL = tenant_label(DEFAULT_TENANT)
_DOCUMENTS = "UNWIND $rows AS row CREATE (d:Document) SET d = row"
_PARENTS = (
    "UNWIND $rows AS row MATCH (d:Document {tenant: row.tenant, id: row.document_id})"
    " CREATE (d)-[:HAS_PARENT]->(p:Parent) SET p = row"
)
_CHUNKS = (
    f"UNWIND $rows AS row MATCH (d:Document {{tenant: row.properties.tenant, id: row.document}})"
    f" CREATE (d)<-[:PART_OF]-(c:Chunk:{_LABEL})-[:HAS_DATA]->(x:ChunkData) SET c = row.properties, x = row.data"
    " FOREACH (_ IN CASE WHEN row.first THEN [1] ELSE [] END | CREATE (d)-[:FIRST_CHUNK]->(c))"
    " WITH c, row CALL db.create.setNodeVectorProperty(c, 'embedding', row.vector)"
)
_NEXT = (
    "UNWIND $rows AS row MATCH (a:Chunk {tenant: $tenant, id: row.first})"
    " MATCH (b:Chunk {tenant: $tenant, id: row.second}) CREATE (a)-[:NEXT_CHUNK]->(b)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is loaded: the space of the vectors, and documents in parts of about a thousand chunks."""

    space: VectorSpace
    parts: Parts

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return sum(len(bundle.chunks) for part in self.parts for bundle in part)


@click.command(help=__doc__)
@click.option("--server", "name", type=click.Choice(["5", "2026"]), default="5", show_default=True)
@click.option("--store", type=click.Path(path_type=Path, exists=True), help="Folder of the store to load.")
@click.option("--chunks", default=10_000, show_default=True, help="Made-up chunks, where no store is named.")
@click.option("--passes", default=2, show_default=True, help="Passes over all documents; an even number is fair.")
@click.option("--seed", default=0, show_default=True, help="Seed of what is made up.")
def main(name: str, store: Path | None, chunks: int, passes: int, seed: int) -> None:
    """Load in turns and print the figures."""
    server = running(name)
    if server is None:
        raise click.ClickException(f"no server runs: make neo4j-start NEO4J={name}")
    os.environ["BELVEDERE_NEO4J_USER"], os.environ["BELVEDERE_NEO4J_PASSWORD"] = USER, server.password
    load = _made_up(chunks, seed) if store is None else _stored(store)
    what = f"{chunks:,} made-up chunks, seed {seed}" if store is None else str(store)
    documents = sum(map(len, load.parts))
    click.echo(f"Neo4j {server.release.version} · {what}: {documents:,} documents, {load.chunks:,} chunks")
    click.echo(f"{passes} passes, transactions in turn, a warming one of each before · {describe_machine()}")
    _one_pass(server, replace(load, parts=[load.parts[0], load.parts[-1]]), first=0)
    total = {way: Spent() for way in WAYS}
    for number in range(passes):
        for way, spent in _one_pass(server, load, first=number).items():
            total[way] = total[way] + spent
            click.echo(f"pass {number + 1}, {way}: {spent.chunks:,} chunks in {spent.seconds:.1f} s")
    for way, spent in total.items():
        click.echo(f"{way}: {spent.rate:,.0f} chunks/s")
    click.echo(f"ratio {total['store'].rate / total['driver'].rate:.2f}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Chunks that were written, and the seconds that it took."""

    chunks: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Chunks a second."""
        return self.chunks / self.seconds

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        return Spent(chunks=self.chunks + other.chunks, seconds=self.seconds + other.seconds)


def _one_pass(server: Neo4jServer, load: Load, *, first: int) -> dict[str, Spent]:
    """Fill an empty database, one part by the store and one by the driver alone; ``first`` tells who begins."""
    total = {way: Spent() for way in WAYS}
    driver: Driver
    with (
        _empty_store(server, load) as store,
        GraphDatabase.driver(server.uri, auth=(USER, server.password)) as driver,
        driver.session() as session,
    ):
        store._need_text_index(DEFAULT_TENANT)
        as_vector = session.run("RETURN 1").consume().server.protocol_version[0] >= 6
        for number, part in enumerate(load.parts, first):
            way = WAYS[number % 2]
            statements = _statements(part, as_vector=as_vector) if way == "driver" else []
            start = time.perf_counter()
            if way == "driver":
                session.execute_write(_run, statements)
            else:
                store.write_documents(part)
            seconds = time.perf_counter() - start
            total[way] = total[way] + Spent(chunks=sum(len(bundle.chunks) for bundle in part), seconds=seconds)
    return total


def _empty_store(server: Neo4jServer, load: Load) -> Neo4jStore:
    empty_database(server, indexes=True)
    space = load.space
    return Neo4jStore.create_or_open(
        parse_address(server.uri),
        embedding_model=space.embedding_model,
        dimension=space.dimension,
        token_space=space.token_space,
        token_dimension=space.token_dimension,
    )


def _run(transaction: ManagedTransaction, statements: Sequence[Statement]) -> None:
    for query, rows in statements:
        transaction.run(query, rows=rows, tenant=DEFAULT_TENANT).consume()


def _statements(part: Sequence[DocumentBundle], *, as_vector: bool) -> list[Statement]:
    """Return the statements with their rows in the batches of the store."""
    settings = Neo4jSettings()
    ordered = sorted(part, key=lambda bundle: bundle.document.id)
    kinds: tuple[tuple[str, list[Row]], ...] = (
        (_DOCUMENTS, [document_row(bundle) for bundle in ordered]),
        (_PARENTS, [row for bundle in ordered for row in parent_rows(bundle)]),
        (_CHUNKS, [row for bundle in ordered for row in chunk_rows(bundle, SLOTS[FIRST_SLOT], as_vector=as_vector)]),
        (_NEXT, list(chunk_links(ordered))),
    )
    return [
        (query, batch)
        for query, rows in kinds
        for batch in batches(rows, most_rows=settings.batch_rows, most_bytes=settings.batch_bytes)
    ]


def _stored(folder: Path) -> Load:
    with EmbeddedStore.open(folder) as store:
        ids = sorted(store.document_states(DEFAULT_TENANT))
        bundles = store.document_bundles(DEFAULT_TENANT, ids)
        space = store.live_space().space
    return Load(space=space, parts=list(_parts(iter(bundles))))


def _parts(bundles: Iterator[DocumentBundle]) -> Iterator[list[DocumentBundle]]:
    part: list[DocumentBundle] = []
    chunks = 0
    for bundle in bundles:
        part.append(bundle)
        chunks += len(bundle.chunks)
        if chunks >= AT_ONCE:
            yield part
            part, chunks = [], 0
    if part:
        yield part


def _made_up(chunks: int, seed: int) -> Load:
    chance = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(WORDS)])
    shares = 1 / np.arange(1, WORDS + 1)
    shares /= shares.sum()

    def text() -> str:
        return " ".join(chance.choice(words, size=WORDS_A_CHUNK, p=shares))

    made = (_document(number, [text() for _ in range(CHUNKS_A_DOCUMENT)], chance) for number in range(10**9))
    return Load(
        space=VectorSpace(embedding_model="made-up", dimension=DIMENSION),
        parts=list(_parts(islice(made, -(-chunks // CHUNKS_A_DOCUMENT)))),
    )


def _document(number: int, texts: Sequence[str], chance: np.random.Generator) -> DocumentBundle:
    whole, start, chunks = "\n".join(texts), 0, []
    name = f"d{number:07}"
    for position, text in enumerate(texts):
        chunks.append(
            Chunk(
                id=f"{name}-{position}",
                document_id=name,
                document_version=1,
                text=text,
                heading_path=(),
                char_start=start,
                char_end=start + len(text),
                position=position,
                embedding_model="made-up",
            )
        )
        start += len(text) + 1
    vectors = chance.standard_normal((len(texts), DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return DocumentBundle(
        document=Document(
            id=name, source_uri=f"{name}.txt", title=f"Document {number}", media_type="text/plain", content_hash=name
        ),
        text=whole,
        parents=(),
        chunks=tuple(chunks),
        chunk_vectors=vectors,
        sentences=tuple(
            Sentence(chunk_id=chunk.id, position=0, char_start=0, char_end=len(chunk.text)) for chunk in chunks
        ),
        sentence_vectors=vectors,
    )


if __name__ == "__main__":
    main()

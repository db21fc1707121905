"""Vector searches on Neo4j servers: by the index, by the index for one tenant, and by looking at every record."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TypeAlias

import pytest

from graph_store.access import Access
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.connection import Connection, server_version
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.statements import Statements
from graph_store.records import Hit
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, vector_of
from tests.neo4j.server import Neo4jServer

LARGE, SMALL = Access(), Access(tenant="small", groups=frozenset({"staff"}))
QUESTIONS = [vector_of(f"question {number}") for number in range(4)]
OpenStore: TypeAlias = Callable[..., Neo4jStore]

neo4j = pytest.mark.neo4j


@pytest.fixture
def open_store(neo4j_address: ServerAddress) -> Iterator[OpenStore]:
    """Opens stores with these settings; a tenant of 400 chunks, and one of 170 with some for staff alone."""
    with Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION) as store:
        texts = [f"text {number}" for number in range(400)]
        store.write_documents(
            [
                document_bundle("large", texts),
                document_bundle("small", texts[:165], tenant="small"),
                document_bundle("hidden", texts[165:170], tenant="small", groups=("staff",)),
            ]
        )
    with ExitStack() as opened:
        yield lambda **settings: opened.enter_context(
            Neo4jStore.open(neo4j_address, settings=replace(Neo4jSettings(), **settings))
        )


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that are sent."""
    queries: list[str] = []
    rows = Statements.rows

    def kept(self: Statements, query: str, /, **parameters: object) -> list[object]:
        queries.append(query)
        return [*rows(self, query, **parameters)]

    monkeypatch.setattr(Statements, "rows", kept)
    return queries


def nearest(store: Neo4jStore, access: Access, k: int) -> list[tuple[Hit, ...]]:
    return [store.search_vectors(access, question, kind="chunk", k=k) for question in QUESTIONS]


@neo4j
def test_the_index_finds_what_looking_at_all_finds(open_store: OpenStore, sent: list[str]) -> None:
    exact = open_store(most_candidates=1)
    expected = [nearest(exact, access, 10) for access in (LARGE, SMALL)]
    assert all(len(hits) == 10 for own in expected for hits in own)
    assert not any("queryNodes" in query or "SEARCH" in query for query in sent)
    sent.clear()
    by_index = open_store()
    assert [nearest(by_index, access, 10) for access in (LARGE, SMALL)] == expected
    assert any("queryNodes" in query or "SEARCH" in query for query in sent)


@neo4j
def test_a_filter_leaves_no_search_with_too_few(open_store: OpenStore) -> None:
    staff = open_store().search_vectors(SMALL, QUESTIONS[0], kind="chunk", k=168)
    public = open_store().search_vectors(Access(tenant="small"), QUESTIONS[0], kind="chunk", k=168)
    assert (len(staff), len(public)) == (168, 165)
    assert {hit.id for hit in public} == {f"small-{number}" for number in range(165)}


@neo4j
def test_a_newer_server_searches_the_index_for_one_tenant(
    open_store: OpenStore, sent: list[str], neo4j_server: Neo4jServer
) -> None:
    nearest(open_store(), SMALL, 5)
    searches = [query for query in sent if "AS place" in query]
    assert len(searches) == len(QUESTIONS), "each is found at once"
    is_new = neo4j_server.release.version.startswith("2026")
    assert all(("SEARCH n IN" in query) == is_new for query in searches)


@neo4j
def test_indexes_that_cannot_filter_are_used_told_of_and_made_anew(
    open_store: OpenStore, neo4j_server: Neo4jServer, neo4j_address: ServerAddress, sent: list[str]
) -> None:
    is_new = neo4j_server.release.version.startswith("2026")
    expected = nearest(open_store(), SMALL, 5)
    with closing(Connection(neo4j_address, Neo4jSettings())) as connection:
        connection.run_alone("DROP INDEX belvedere_chunk_vectors")
        connection.run_alone(
            "CREATE VECTOR INDEX belvedere_chunk_vectors FOR (n:Chunk) ON (n.embedding) OPTIONS {indexConfig:"
            f" {{`vector.dimensions`: {DIMENSION}, `vector.similarity_function`: 'cosine',"
            " `vector.quantization.enabled`: false}}"
        )
        connection.run_alone("CALL db.awaitIndexes(60)")
        sent.clear()
        assert nearest(open_store(), SMALL, 5) == expected
        assert not any("SEARCH n IN" in query for query in sent)
        told = [finding.says for finding in Neo4jStore.examine(neo4j_address, Neo4jSettings())]
        assert any("belvedere_chunk_vectors" in says for says in told) == is_new
        connection.run_alone("DROP INDEX belvedere_chunk_vectors")
    Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION).close()
    assert nearest(open_store(), SMALL, 5) == expected
    told = [finding.says for finding in Neo4jStore.examine(neo4j_address, Neo4jSettings())]
    assert not any("belvedere_chunk_vectors" in says for says in told)


@pytest.mark.parametrize(
    ("agent", "version"),
    [("Neo4j/5.26.31", (5, 26, 31)), ("Neo4j/2026.09.0", (2026, 9, 0)), ("Neo4j/2026.04-aura", (2026, 4)), ("x", ())],
)
def test_the_version_of_a_server_is_read(agent: str, version: tuple[int, ...]) -> None:
    assert server_version(agent) == version

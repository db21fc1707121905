"""What others commit while a question is answered from a store on a Neo4j server, which keeps no snapshots."""

from collections.abc import Iterator

import pytest

from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.statements import Statements
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of, vector_of
from tests.graph_store.samples import PUBLIC, fill

pytestmark = pytest.mark.neo4j


@pytest.fixture
def writer(neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
    with Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION) as opened:
        fill(opened)
        yield opened


@pytest.fixture
def reader(neo4j_address: ServerAddress, writer: Neo4jStore) -> Iterator[Neo4jStore]:
    assert writer.tenants()
    with Neo4jStore.open(neo4j_address) as opened:
        yield opened


def test_work_is_done_again_where_something_was_committed_meanwhile(writer: Neo4jStore, reader: Neo4jStore) -> None:
    done: list[int] = []

    def work() -> tuple[int, int]:
        first = len(reader.document_chunks(PUBLIC, "open"))
        if not done:
            writer.write_documents([document_bundle("open", ["Alpha alone."], version=2)])
        done.append(first)
        return first, len(reader.search_keywords(PUBLIC, "Alpha Gamma", kind="chunk", k=5))

    assert reader.in_one_state(work) == (1, 1)
    assert done == [2, 1]


def test_what_a_deletion_breaks_is_tried_again(writer: Neo4jStore, reader: Neo4jStore) -> None:
    tries: list[str] = []

    def work() -> str:
        (hit, *_) = reader.search_vectors(PUBLIC, vector_of("Alpha meets Beta at the harbour."), kind="chunk", k=1)
        if not tries:
            writer.delete_documents("default", ["open"])
        tries.append(hit.id)
        return reader.chunks(PUBLIC, [hit.id])[0].text

    writer.write_documents([document_bundle("left", ["Beta stays at the harbour."])])
    assert reader.in_one_state(work) == "Beta stays at the harbour."
    assert tries == ["open-0", "left-0"]


def test_a_new_generation_is_noticed(writer: Neo4jStore, reader: Neo4jStore) -> None:
    seen: list[int] = []

    def work() -> int:
        number = len(reader.communities(PUBLIC))
        if not seen:
            bundles = [document_bundle("open", ["Alpha alone."])]
            writer.write_documents(bundles)
            writer.publish(generation_of(bundles))
        seen.append(number)
        return number

    reader.in_one_state(work)
    assert len(seen) == 2


def test_work_beside_a_writer_that_never_rests_is_let_through(writer: Neo4jStore, reader: Neo4jStore) -> None:
    versions: list[int] = []

    def work() -> int:
        versions.append(reader.documents(PUBLIC, ["open"])[0].version)
        writer.write_documents([document_bundle("open", ["Alpha."], version=versions[-1] + 1)])
        return versions[-1]

    assert reader.in_one_state(work) == 5
    assert versions == [1, 2, 3, 4, 5]


def test_what_another_tenant_commits_changes_nothing(writer: Neo4jStore, reader: Neo4jStore) -> None:
    times: list[int] = []

    def work() -> None:
        reader.documents(PUBLIC, ["open"])
        writer.write_documents([document_bundle(f"x{len(times)}", ["Delta."], tenant="other")])
        times.append(1)

    reader.in_one_state(work)
    assert len(times) == 1


def test_searches_and_a_whole_passage_are_a_statement_each(reader: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:
        chunk_ids = ["open-0", "open-1"]
        reader.search_keywords(PUBLIC, "Alpha", kind="chunk", k=5)
        reader.chunks(PUBLIC, chunk_ids)
        reader.sentences(PUBLIC, chunk_ids)
        reader.chunk_vectors(PUBLIC, chunk_ids)
        reader.documents(PUBLIC, ["open"])

    reader.in_one_state(work)
    sent: list[str] = []
    rows = Statements.rows

    def counted(self: Statements, query: str, /, **parameters: object) -> list[object]:
        sent.append(query)
        return [*rows(self, query, **parameters)]

    monkeypatch.setattr(Statements, "rows", counted)
    reader.in_one_state(work)
    assert len(sent) == 3, "a search, the passages, and the look back"

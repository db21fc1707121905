"""The second vector space of a store on a Neo4j server: what is left by a stop, and what readers are told meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest

from graph_store.errors import SpaceIncomplete, SpaceMissing, StoreMismatch, StoreSwitched
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.schema import drop_vector_indexes
from graph_store.neo4j.slots import SLOTS, StoredSpace
from graph_store.neo4j.space_state import change_places, note_drop, note_spare, read_spaces
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, vector_of
from tests.graph_store.samples import PUBLIC, fill
from tests.graph_store.store_space_contract import SECOND, WIDER, fill_spare, lacking, wide_vector

pytestmark = pytest.mark.neo4j

THIRD = replace(SECOND, embedding_model="third-model")


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def writer(neo4j_address: ServerAddress, opened: ExitStack) -> Neo4jStore:
    store = opened.enter_context(Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION))
    fill(store)
    return store


def told(address: ServerAddress) -> list[str]:
    found = Neo4jStore.examine(address, Neo4jSettings())
    assert not [finding for finding in found if finding.level == "problem"], found
    return [finding.says for finding in found if finding.check == "vector spaces"]


def left_in(store: Neo4jStore, slot: str) -> int:
    """Return how many nodes have vectors in a slot, or the name of their model."""
    names = SLOTS[slot]
    found = store._connection.run_alone(
        f"MATCH (n) WHERE n.{names.embedding} IS NOT NULL OR n.{names.sentence_vectors} IS NOT NULL"
        f" OR n.{names.embedding_model} IS NOT NULL AND n:Chunk"
        f" OR n.{names.token_starts} IS NOT NULL OR n.{names.token_vectors} IS NOT NULL RETURN count(n)"
    )
    number: int = found[0].value()
    return number


def test_a_reader_is_told_of_a_switch_even_where_its_vectors_are_gone(
    neo4j_address: ServerAddress, writer: Neo4jStore, opened: ExitStack
) -> None:
    reader = opened.enter_context(Neo4jStore.open(neo4j_address))
    writer.begin_space(SECOND, recipe="")
    fill_spare(writer)

    def work() -> None:
        assert reader.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=9)
        writer.switch_space()
        writer.drop_space()
        reader.sentences(PUBLIC, ["open-0"])

    with pytest.raises(StoreSwitched, match="wider-model"):
        reader.in_one_state(work)
    assert left_in(writer, "a") == 0
    opened.callback(drop_vector_indexes, writer._connection, SLOTS["a"])  # other tests have other dimensions in it
    writer.begin_space(THIRD, recipe="")
    fill_spare(writer)
    for read in (
        lambda: reader.chunk_vectors(PUBLIC, ["open-0"]),
        lambda: reader.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=9),
    ):
        with pytest.raises(StoreSwitched, match="wider-model"):
            read()
    assert reader.in_one_state(lambda: reader.search_keywords(PUBLIC, "Alpha", kind="chunk", k=9))
    writer.switch_space()
    assert writer.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)
    assert writer.live_space().replaced[-1] == SECOND
    with Neo4jStore.open(neo4j_address, expected_model="third-model") as again:
        assert again.chunk_vectors(PUBLIC, ["open-0"])["open-0"].shape == (WIDER,)


def test_a_drop_that_was_stopped_is_ended_by_the_next_writer(neo4j_address: ServerAddress, writer: Neo4jStore) -> None:
    writer.begin_space(SECOND, recipe="")
    assert "lacks" in told(neo4j_address)[0]
    fill_spare(writer)
    assert told(neo4j_address) == ["a second vector space, of 'wider-model', is whole and not in use"]
    writer._connection.write(note_drop)
    writer.close()
    assert "dropped" in told(neo4j_address)[0]
    with Neo4jStore.open(neo4j_address) as reader:
        assert reader.spare_space() is None
        assert left_in(reader, "b") > 0
    with Neo4jStore.open(neo4j_address, read_only=False) as next_writer:
        assert left_in(next_writer, "b") == 0
        assert told(neo4j_address) == []
        next_writer.begin_space(THIRD, recipe="")
        counts = next_writer.tenant_counts("default")
        assert next_writer.unfilled("default").total == counts.chunks + counts.communities + counts.tree_nodes


def test_a_beginning_that_was_stopped_goes_on(neo4j_address: ServerAddress, writer: Neo4jStore) -> None:
    writer._connection.write(lambda tx: note_spare(tx, SECOND, recipe="", live_recipe=""))
    writer.begin_space(SECOND, recipe="")
    fill_spare(writer)
    writer.switch_space()
    assert writer.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)
    assert told(neo4j_address) == [f"a second vector space, of {MODEL!r}, is kept from before the switch"]


def test_a_switch_that_is_done_again_stays_done(writer: Neo4jStore) -> None:
    writer.begin_space(SECOND, recipe="")
    fill_spare(writer)
    spare = writer._connection.read(read_spaces).spare
    assert spare is not None
    for _ in range(2):
        writer._connection.write(lambda tx: change_places(tx, spare.number))
        live: StoredSpace = writer._connection.read(read_spaces).live
        assert (live.space, live.slot_name) == (SECOND, "b")


def test_indexes_of_the_second_space_are_compared_before_the_switch(
    neo4j_address: ServerAddress, writer: Neo4jStore
) -> None:
    writer.begin_space(SECOND, recipe="")
    fill_spare(writer)
    name = SLOTS["b"].indexes["chunk"]
    writer._connection.run_alone(f"DROP INDEX {name}")
    writer._connection.run_alone(
        f"CREATE VECTOR INDEX {name} FOR (n:Chunk) ON (n.embedding_b) OPTIONS {{indexConfig:"
        " {`vector.dimensions`: 7, `vector.similarity_function`: 'euclidean'}}"
    )
    with pytest.raises(StoreMismatch, match="DROP INDEX belvedere_chunk_vectors_b"):
        writer.switch_space()
    assert [item.check for item in Neo4jStore.examine(neo4j_address, Neo4jSettings()) if item.level == "problem"] == [
        "indexes"
    ]
    assert writer.search_vectors(PUBLIC, vector_of("Alpha"), kind="chunk", k=9)
    writer._connection.run_alone(f"DROP INDEX {name}")
    writer.switch_space()
    assert writer.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)


def test_the_second_space_is_read_by_who_asks_for_it(
    neo4j_address: ServerAddress, writer: Neo4jStore, opened: ExitStack
) -> None:
    with pytest.raises(SpaceMissing):
        Neo4jStore.open(neo4j_address, spare=True)
    writer.begin_space(SECOND, recipe="")
    with pytest.raises(SpaceIncomplete):
        Neo4jStore.open(neo4j_address, spare=True)
    fill_spare(writer)
    with pytest.raises(StoreMismatch):
        Neo4jStore.open(neo4j_address, spare=True, expected_model=MODEL)
    reader = opened.enter_context(Neo4jStore.open(neo4j_address, spare=True, expected_model="wider-model"))
    assert (reader.embedding_model, reader.dimension, reader.token_dimension) == ("wider-model", WIDER, WIDER)
    assert reader.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)
    chunk = reader.document_chunks(PUBLIC, "open")[0]
    np.testing.assert_allclose(reader.chunk_vectors(PUBLIC, [chunk.id])[chunk.id], wide_vector(chunk.text), atol=1e-6)
    assert chunk.embedding_model == "wider-model"
    writer.drop_space()
    writer.begin_space(SECOND, recipe="")
    assert lacking(writer) > 0
    with pytest.raises(StoreSwitched):
        reader.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)


def test_reading_a_second_space_beside_who_indexes_is_told(
    neo4j_address: ServerAddress, writer: Neo4jStore, opened: ExitStack
) -> None:
    writer.begin_space(SECOND, recipe="")
    fill_spare(writer)
    reader = opened.enter_context(Neo4jStore.open(neo4j_address, spare=True))
    assert reader.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9)
    writer.write_documents([document_bundle("new", ["Alpha returns to the harbour."])])
    reads: list[Callable[[], object]] = [
        lambda: reader.search_vectors(PUBLIC, wide_vector("Alpha"), kind="chunk", k=9),
        lambda: reader.chunk_vectors(PUBLIC, ["new-0"]),
        lambda: reader.sentences(PUBLIC, ["new-0"]),
        lambda: reader.cosines(PUBLIC, wide_vector("Alpha"), ["new-0"]),
        lambda: reader.in_one_state(lambda: [reader.chunks(PUBLIC, ["new-0"]), reader.sentences(PUBLIC, ["new-0"])]),
    ]
    for read in reads:
        with pytest.raises(SpaceIncomplete, match=r"have no vectors in the second vector space yet.*migrate"):
            read()
    assert reader.search_keywords(PUBLIC, "Alpha", kind="chunk", k=9)
    fill_spare(writer)
    for read in reads:
        assert read()


def models_of_chunks(store: Neo4jStore) -> set[tuple[str | None, str | None]]:
    found = store._connection.run_alone("MATCH (c:Chunk) RETURN c.embedding_model, c.embedding_model_b")
    return {(first, second) for first, second in found}


def test_chunks_name_the_model_of_each_of_their_vectors(writer: Neo4jStore) -> None:
    assert models_of_chunks(writer) == {(MODEL, None)}
    writer.begin_space(SECOND, recipe="")
    fill_spare(writer)
    writer.switch_space()
    assert models_of_chunks(writer) == {(MODEL, "wider-model")}
    writer.drop_space()
    assert models_of_chunks(writer) == {(None, "wider-model")}
    (first, *_) = writer.document_bundles("default", ["open"])
    writer.write_documents([first])
    assert models_of_chunks(writer) == {(None, "wider-model")}

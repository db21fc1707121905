"""Exports from a store on a Neo4j server, and copies of one, while somebody writes to it or fills its database anew."""

import json
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path

import pytest

from belvedere import KnowledgeBase
from belvedere.export import export_to_file, export_to_stream
from belvedere.settings import Settings
from belvedere.store_comparison import Comparison, Side, compare_stores
from belvedere.store_copy import copy_store, verify_copy
from belvedere.store_location import StoreLocation, read_location
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import StoreChanged, StoreSwitched
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.store_watch import OneState
from graph_store.searches import Along, KeywordSearch
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle
from tests.graph_store.samples import PUBLIC, fill
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

pytestmark = pytest.mark.neo4j


@pytest.fixture
def address(neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch) -> ServerAddress:
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", neo4j_server.password)
    empty_database(neo4j_server)
    location = read_location(f"{neo4j_server.uri}/neo4j")
    assert isinstance(location, ServerAddress)
    write_anew(location)
    return location


@pytest.fixture
def reader(address: ServerAddress) -> Iterator[Neo4jStore]:
    with Neo4jStore.open(address) as opened:
        yield opened


def write_anew(address: ServerAddress) -> None:
    with Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION) as writer:
        fill(writer)


def write_one(address: ServerAddress, number: int) -> None:
    with Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION) as writer:
        writer.write_documents([document_bundle(f"new{number}", ["Alpha returns."])])


def happens_before(
    read: str, monkeypatch: pytest.MonkeyPatch, change: Callable[[int], None], *, times: int
) -> list[int]:
    """Let a change happen before each of the first calls of a read; return the numbers of those that were."""
    original, happened = getattr(Neo4jStore, read), list[int]()

    def beside(store: Neo4jStore, *given: object, **named: object) -> object:
        if len(happened) < times:
            happened.append(len(happened))
            change(happened[-1])
        return original(store, *given, **named)

    monkeypatch.setattr(Neo4jStore, read, beside)
    return happened


def ids_in(exported: bytes, kind: str = "document") -> list[str]:
    return [record["id"] for record in map(json.loads, exported.splitlines()) if record["kind"] == kind]


def test_an_export_begins_again_where_somebody_wrote_meanwhile(
    address: ServerAddress, reader: Neo4jStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    happened = happens_before("list_entities", monkeypatch, lambda number: write_one(address, number), times=2)
    counts = export_to_file(reader, PUBLIC, tmp_path / "all.jsonl", "jsonl")
    exported = (tmp_path / "all.jsonl").read_bytes()
    assert happened == [0, 1]
    assert ids_in(exported) == ["new0", "new1", "open"]
    assert counts["documents"] == 3
    assert len(exported.splitlines()) == sum(counts.values())


def test_an_export_beside_a_writer_that_never_rests_is_told_and_leaves_nothing(
    address: ServerAddress, reader: Neo4jStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    happened = happens_before("list_entities", monkeypatch, lambda number: write_one(address, number), times=99)
    stream = BytesIO()
    with pytest.raises(StoreChanged, match="run again when nobody writes"):
        export_to_stream(reader, PUBLIC, stream, "jsonl")
    assert stream.getvalue() == b""
    assert happened == [0, 1, 2]
    with pytest.raises(StoreChanged):
        export_to_file(reader, PUBLIC, tmp_path / "all.jsonl", "jsonl")
    assert list(tmp_path.iterdir()) == []


def test_an_export_keeps_no_passages(reader: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    monkeypatch.setattr(OneState, "memo", lambda _, scope: kept.append(scope))
    stream = BytesIO()
    export_to_stream(reader, PUBLIC, stream, "jsonl")
    assert kept == []
    assert ids_in(stream.getvalue(), "chunk") == ["open-0", "open-1"]


def test_within_a_long_read_searches_and_names_are_the_same_and_keep_no_passages(
    reader: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (name, *_) = (entity.name_key for entity in reader.list_entities(PUBLIC))
    searches = [KeywordSearch(text="Alpha", kind="chunk", k=5)]
    along = Along(names=frozenset({name}), places=5, vectors=("open-0",))

    def read() -> tuple[object, ...]:
        return (
            reader.search_many(PUBLIC, searches, along=along),
            reader.name_places(PUBLIC, [name], most=5),
            reader.passage_names(PUBLIC, ["open-0"], most=5),
        )

    alone = reader.in_one_state(read)
    assert all(alone)
    kept: list[object] = []
    monkeypatch.setattr(OneState, "memo", lambda _, scope: kept.append(scope))
    with reader.one_state():
        assert read() == alone
    assert kept == []


def test_an_export_of_a_database_that_is_filled_anew_is_of_the_new_store(
    address: ServerAddress, neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refill(number: int) -> None:
        empty_database(neo4j_server)
        write_anew(address)  # as far as the first one was, by all of its numbers
        write_one(address, number)

    stream = BytesIO()
    with KnowledgeBase.open(str(address)) as kb:
        assert kb.store.list_documents(PUBLIC)
        assert happens_before("list_entities", monkeypatch, refill, times=1) == []
        kb.export(stream, "jsonl")
    assert ids_in(stream.getvalue()) == ["new0", "open"]


def copy_is_unfinished(folder: Path) -> bool:
    with EmbeddedStore.open(folder) as copy:
        return copy.unfinished_copy() is not None


def test_a_copy_of_a_store_that_is_filled_anew_stays_unfinished(
    address: ServerAddress, neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refill(_: int) -> None:
        empty_database(neo4j_server)
        write_anew(address)

    happens_before("source_states", monkeypatch, refill, times=1)
    with pytest.raises(StoreSwitched, match="made anew"):
        copy_store(address, tmp_path / "copy", Settings())
    assert copy_is_unfinished(tmp_path / "copy")


def take_over(address: ServerAddress, number: int) -> None:
    """Write as one does who took the lease of a writer that slept."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("graph_store.neo4j.writer_lease.has_ended", lambda _: True)
        write_one(address, number)


def test_a_copy_whose_origin_is_written_to_once_it_was_compared_stays_unfinished(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def compare(origin: Side, copy: Side, tenants: Sequence[str], *, progress: None) -> Comparison:
        compared = compare_stores(origin, copy, tenants, progress=progress)
        assert compared.agrees
        take_over(address, 0)
        return compared

    monkeypatch.setattr("belvedere.store_copy.compare_stores", compare)
    with pytest.raises(StoreChanged, match="run again"):
        copy_store(address, tmp_path / "copy", Settings())
    assert copy_is_unfinished(tmp_path / "copy")


def test_a_copy_whose_origin_was_written_to_all_the_same_stays_unfinished_and_goes_on(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as patched:
        happens_before("stored_layer", patched, lambda number: take_over(address, number), times=1)
        with pytest.raises(StoreChanged, match="run again"):
            copy_store(address, tmp_path / "copy", Settings())
    assert copy_is_unfinished(tmp_path / "copy")
    report = copy_store(address, tmp_path / "copy", Settings())
    assert report.comparison.agrees
    assert report.written == 1
    assert not copy_is_unfinished(tmp_path / "copy")


def test_a_comparison_with_a_copy_that_is_written_to_is_told(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder: StoreLocation = tmp_path / "copy"
    assert copy_store(address, folder, Settings()).comparison.agrees
    happens_before("stored_layer", monkeypatch, lambda number: write_one(address, number), times=1)
    with pytest.raises(StoreChanged, match="run again"):
        verify_copy(folder, address, Settings())

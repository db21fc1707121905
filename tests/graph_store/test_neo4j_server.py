"""What a store in Neo4j does beside the contract: hostile texts, two writers, crashes, odd databases."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase, Session
from neo4j.exceptions import IncompleteCommit

from graph_store.access import Access
from graph_store.bundles import DocumentBundle
from graph_store.errors import StoreLocked, StoreMismatch, StoreMissing, StoreUnusable, UnknownMetadataKey
from graph_store.filters import MetadataFilter
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.failures import BatchTooLarge
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.publishing import Publisher
from graph_store.settings import Neo4jSettings
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of, vector_of
from tests.graph_store.samples import PUBLIC, STAFF, fill, search_ids
from tests.neo4j.server import USER, Neo4jServer

pytestmark = pytest.mark.neo4j

HOSTILE = "Foo`) DETACH DELETE (n) // ' \" \\ \u0060 $x {y} \\u0060 +a:b AND ("
Asked = Callable[..., list[Any]]


@pytest.fixture
def store(neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
    with opened(neo4j_address) as store:
        yield store


@pytest.fixture
def asked(neo4j_server: Neo4jServer) -> Iterator[Asked]:
    """Return a function that asks the server past the store."""
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as driver:
        yield lambda query, **parameters: driver.execute_query(query, parameters).records


def opened(address: ServerAddress, settings: Neo4jSettings | None = None) -> Neo4jStore:
    return Neo4jStore.create_or_open(address, embedding_model=MODEL, dimension=DIMENSION, settings=settings)


def hostile_bundle() -> DocumentBundle:
    """Return a document that is hostile in every field that comes from sources or models."""
    bundle = document_bundle(
        HOSTILE, [f"Alpha {HOSTILE}"], tenant=HOSTILE, groups=(HOSTILE,), metadata={HOSTILE: HOSTILE}
    )
    return replace(
        bundle,
        document=replace(bundle.document, title=HOSTILE, source_uri=HOSTILE, media_type=HOSTILE),
        mentions=tuple(replace(mention, type=HOSTILE) for mention in bundle.mentions),
        homes=tuple(replace(home, type=HOSTILE) for home in bundle.homes),
    )


def test_no_text_becomes_a_query(store: Neo4jStore) -> None:
    fill(store)
    before = store.content_digest("default")
    bundle = hostile_bundle()
    store.write_documents([bundle])
    generation = generation_of([bundle], tenant=HOSTILE)
    entities = tuple(replace(entity, type=HOSTILE, aliases=(HOSTILE,)) for entity in generation.entities)
    relations = tuple(replace(relation, predicate=HOSTILE) for relation in generation.relations)
    store.publish(replace(generation, entities=entities, relations=relations, fingerprint=HOSTILE))
    reader = Access(tenant=HOSTILE, groups=frozenset({HOSTILE}))
    assert store.documents(reader, [HOSTILE]) == (bundle.document,)
    assert store.document_chunks(reader, HOSTILE) == bundle.chunks
    assert {entity.type for entity in store.list_entities(reader)} == {HOSTILE}
    assert search_ids(store, reader, HOSTILE)
    assert store.search_vectors(reader, vector_of(HOSTILE), kind="chunk", k=3)
    condition = MetadataFilter(key=HOSTILE, operator="=", value=HOSTILE)
    assert store.filtered_documents(reader, (condition,)) == frozenset({HOSTILE})
    with pytest.raises(UnknownMetadataKey):
        store.filtered_documents(PUBLIC, (condition,))
    store.find_entities(reader, HOSTILE)
    assert store.tenants() == tuple(sorted(("default", "other", HOSTILE)))
    assert store.delete_documents(HOSTILE, [HOSTILE]) == (HOSTILE,)
    assert store.content_digest("default") == before


@pytest.mark.parametrize("entity_type", ["Document", "Chunk", "__Entity__", "BelvedereStore", "tenant x", "", "9"])
def test_a_type_never_becomes_a_label_of_ours(store: Neo4jStore, entity_type: str) -> None:
    bundles = [document_bundle("a", ["Alpha meets Beta."])]
    store.write_documents(bundles)
    generation = generation_of(bundles)
    entities = tuple(replace(entity, type=entity_type) for entity in generation.entities)
    store.publish(replace(generation, entities=entities))
    counts = store.tenant_counts("default")
    assert (counts.documents, counts.chunks, counts.entities) == (1, 1, 2)
    assert {entity.type for entity in store.list_entities(PUBLIC)} == {entity_type}


def test_there_is_one_writer(store: Neo4jStore, neo4j_address: ServerAddress) -> None:
    with pytest.raises(StoreLocked, match="being written by process"):
        opened(neo4j_address)
    with Neo4jStore.open(neo4j_address) as reader:
        fill(store)
        assert len(reader.list_documents(PUBLIC)) == 1
        with pytest.raises(StoreUnusable, match="read only"):
            reader.write_documents([])
    store.close()
    opened(neo4j_address).close()


def test_a_writer_that_lost_its_lease_changes_nothing(
    store: Neo4jStore, neo4j_address: ServerAddress, asked: Asked
) -> None:
    asked("MATCH (s:BelvedereStore) SET s.writer_until = 0")
    with opened(neo4j_address) as other:
        with pytest.raises(StoreLocked, match="another process"):
            store.write_documents([document_bundle("a", ["Alpha"])])
        assert other.tenants() == ()
        other.write_documents([document_bundle("b", ["Beta"])])
    assert store.document_states("default").keys() == {"b"}


def test_the_lease_of_a_killed_process_is_free_at_once(neo4j_address: ServerAddress) -> None:
    script = (
        "import os, signal\n"
        "from graph_store.neo4j.address import ServerAddress\n"
        "from tests.graph_store.test_neo4j_server import opened\n"
        f"store = opened(ServerAddress(uri={neo4j_address.uri!r}, database={neo4j_address.database!r}))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).resolve().parents[2]
    killed = subprocess.run([sys.executable, "-c", script], cwd=root, check=False)
    assert killed.returncode == -9
    opened(neo4j_address).close()


def test_a_lease_is_renewed(neo4j_address: ServerAddress, asked: Asked) -> None:
    with opened(neo4j_address, Neo4jSettings(writer_lease_s=0.6)):
        until = [asked("MATCH (s:BelvedereStore) RETURN s.writer_until")[0].value()]
        waited = threading.Event()
        while until[-1] == until[0] and len(until) < 100:
            waited.wait(0.1)
            until.append(asked("MATCH (s:BelvedereStore) RETURN s.writer_until")[0].value())
    assert until[-1] > until[0]


def test_a_commit_of_unknown_outcome_is_done_once(store: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server has committed, the connection breaks before it says so."""
    lost: list[str] = []
    really = Session.execute_write

    def lose_the_first(session: Session, work: Callable[..., Any]) -> Any:  # noqa: ANN401  # as the driver has it
        found = really(session, work)
        if not lost:
            lost.append("reply")
            raise IncompleteCommit("connection lost")
        return found

    bundles = fill(store)
    monkeypatch.setattr(Session, "execute_write", lose_the_first)
    store.write_documents(bundles)
    assert store.tenant_counts("default").chunks == 3
    for change in (lambda: store.publish(generation_of(bundles)), lambda: store.delete_documents("default", ["open"])):
        lost.clear()
        assert change() in {None, ("open",)}
    assert store.tenant_counts("default").documents == 1


def test_a_publication_of_unknown_outcome_doubles_nothing(store: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
    bundles = fill(store)
    before = store.content_digest("default")
    really = Session.execute_write
    times = iter(range(1_000))

    def lose_every_second(session: Session, work: Callable[..., Any]) -> Any:  # noqa: ANN401  # as the driver has it
        found = really(session, work)
        if next(times) % 2 == 0:
            raise IncompleteCommit("connection lost")
        return found

    monkeypatch.setattr(Session, "execute_write", lose_every_second)
    store.publish(generation_of(bundles, aliases={"Alpha": ("Omega",)}))
    assert store.content_digest("default") == before


def test_a_batch_that_is_too_large_is_halved(store: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    really = Neo4jStore._write  # where the server would complain

    def complain(self: Neo4jStore, transaction: Transaction, bundles: list[DocumentBundle], lease: Any) -> None:  # noqa: ANN401  # handed on
        sizes.append(len(bundles))
        if len(bundles) > 2:
            raise BatchTooLarge("not enough memory")
        really(self, transaction, bundles, lease)

    monkeypatch.setattr(Neo4jStore, "_write", complain)
    store.write_documents([document_bundle(f"d{number}", ["word"]) for number in range(5)])
    assert sizes == [5, 2, 3, 1, 2]
    assert store.tenant_counts("default").documents == 5


def test_a_layer_that_is_too_large_for_a_transaction_is_halved(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundles = fill(store)
    before = store.content_digest("default")
    refused: list[int] = []
    really = Publisher._run

    def complain(self: Publisher, transaction: Transaction, **given: Any) -> None:  # noqa: ANN401  # handed on
        if sum(len(rows) for _, rows in given["statements"]) > 1:
            refused.append(1)
            raise BatchTooLarge("not enough memory")
        really(self, transaction, **given)

    monkeypatch.setattr(Publisher, "_run", complain)
    store.publish(generation_of(bundles, aliases={"Alpha": ("Omega",)}))
    assert refused
    assert store.content_digest("default") == before


def test_deletions_and_sweeps_that_are_too_large_are_halved(
    store: Neo4jStore, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundles = fill(store)
    really_delete, really_sweep = Neo4jStore._delete, Publisher._sweep_step

    def delete(self: Neo4jStore, transaction: Transaction, tenant: str, ids: list[str]) -> tuple[str, ...]:
        if len(ids) > 1:
            raise BatchTooLarge("not enough memory")
        return really_delete(self, transaction, tenant, ids)

    def sweep(self: Publisher, transaction: Transaction, *, tenant: str, most: int) -> bool:
        if most > 3:
            raise BatchTooLarge("not enough memory")
        return really_sweep(self, transaction, tenant=tenant, most=most)

    monkeypatch.setattr(Neo4jStore, "_delete", delete)
    monkeypatch.setattr(Publisher, "_sweep_step", sweep)
    store.publish(generation_of(bundles))
    (kept,) = asked("MATCH (e:__Entity__ {tenant: 'default'}) RETURN count(DISTINCT e.generation)")
    assert kept.value() == 1
    assert store.delete_documents("default", ["staff", "nobody", "open"]) == ("staff", "open")
    assert store.tenant_counts("default").documents == 0


def test_an_unfinished_publication_is_never_seen_and_swept_away(
    store: Neo4jStore, neo4j_address: ServerAddress, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundles = fill(store)
    before = store.content_digest("default")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Publisher, "_show", stop)
        with pytest.raises(KeyboardInterrupt):
            store.publish(generation_of(bundles[:1]))
    assert store.content_digest("default") == before
    assert len(store.search_keywords(STAFF, "treasure", kind="report", k=9)) == 1
    left = "MATCH (t:BelvedereTenant) MATCH (n {tenant: t.tenant}) WHERE n.generation <> t.generation RETURN count(n)"
    assert asked(left)[0].value() > 0
    store.close()
    with opened(neo4j_address) as again:
        assert asked(left)[0].value() == 0
        assert again.content_digest("default") == before


def test_readers_see_one_generation_or_the_next(store: Neo4jStore, neo4j_address: ServerAddress) -> None:
    bundles = fill(store)
    whole, part = generation_of(bundles), generation_of(bundles[:1])
    mixtures: list[object] = []
    done = threading.Event()

    def read() -> None:
        with Neo4jStore.open(neo4j_address) as reader:
            while not done.is_set():
                counts = reader.counts(STAFF)
                if (counts.entities, counts.communities, counts.tree_nodes) not in {(4, 2, 2), (3, 1, 1)}:
                    mixtures.append(counts)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for generation in (part, whole) * 4:
            store.publish(generation)
    finally:
        done.set()
        thread.join()
    assert mixtures == []


def test_a_database_with_other_data_is_refused(neo4j_address: ServerAddress, asked: Asked) -> None:
    with pytest.raises(StoreMissing):
        Neo4jStore.open(neo4j_address)
    asked("CREATE (:Movie {title: 'Alien'})")
    with pytest.raises(StoreUnusable, match="other data"):
        opened(neo4j_address)
    assert asked("MATCH (n) RETURN count(n)")[0].value() == 1


def test_another_model_or_dimension_is_refused(store: Neo4jStore, neo4j_address: ServerAddress) -> None:
    store.close()
    with pytest.raises(StoreMismatch, match="test-model"):
        Neo4jStore.open(neo4j_address, expected_model="another")
    with pytest.raises(StoreMismatch, match="token vectors"):
        Neo4jStore.open(neo4j_address, expected_tokens="words")
    with pytest.raises(StoreMismatch, match="dimensions"):
        Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION + 1)


def test_a_search_by_index_finds_what_an_exact_one_does(neo4j_address: ServerAddress) -> None:
    texts = [f"word{number} word{number % 7} word{number % 11}" for number in range(60)]
    bundles = [document_bundle(f"d{number:02d}", [text], metadata={"n": number}) for number, text in enumerate(texts)]
    with opened(neo4j_address) as exact:
        exact.write_documents(bundles)
        wanted = [exact.search_vectors(PUBLIC, vector_of(text), kind="chunk", k=5) for text in texts[:20]]
        few = MetadataFilter(key="n", operator=">=", value="57")
        filtered = exact.search_vectors(PUBLIC, vector_of("word1"), kind="chunk", k=3, filters=(few,))
    with Neo4jStore.open(neo4j_address, settings=Neo4jSettings(exact_rows=0)) as by_index:
        assert [by_index.search_vectors(PUBLIC, vector_of(text), kind="chunk", k=5) for text in texts[:20]] == wanted
        assert by_index.search_vectors(PUBLIC, vector_of("word1"), kind="chunk", k=3, filters=(few,)) == filtered
        assert len(by_index.search_vectors(PUBLIC, vector_of("x"), kind="chunk", k=1_000)) == 60


def test_many_tenants_are_noted(store: Neo4jStore, neo4j_address: ServerAddress) -> None:
    fill(store)
    for most, notes in ((1, 1), (2, 0)):
        found = Neo4jStore.examine(neo4j_address, Neo4jSettings(many_tenants=most))
        told = [finding for finding in found if "2 tenants have a full-text index each" in finding.says]
        assert len(told) == notes
        assert all(finding.level == "note" for finding in told)

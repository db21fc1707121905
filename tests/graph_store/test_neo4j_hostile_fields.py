"""Fields that come from documents, models or users, hostile to Cypher, Lucene and JSON: they are kept as they are."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

import pytest
from neo4j import GraphDatabase

from graph_store.access import Access
from graph_store.bundles import DocumentBundle, Generation, SourceState
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.store import GraphStore
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of
from tests.graph_store.samples import KINDS, PUBLIC, fill
from tests.neo4j.server import USER, Neo4jServer

pytestmark = pytest.mark.neo4j

_Record = TypeVar("_Record")

HOSTILE = "`) DETACH DELETE (n) // ' \" \\ \\u0060 $x {y} +a:b AND ( \u2028 </script>"
AS_IT_IS = {"text", "kind", "embedding_model", "effective_from", "effective_to", "whole"}
"""Fields of which only some values are allowed, and the texts that spans point into; those hold it as it is."""


def hostile(record: _Record) -> _Record:
    """Return a record, with all records in it, whose texts end with what is hostile."""
    return _changed(record)  # type: ignore[return-value]  # the shape stays


def _changed(value: object) -> object:
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, tuple):
        return tuple(_changed(part) for part in value)
    if isinstance(value, Mapping):
        return {_changed(key): _changed(part) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value,
            **{
                field.name: _changed(getattr(value, field.name))
                for field in fields(value)
                if field.name not in AS_IT_IS
            },
        )
    return value


@pytest.fixture
def store(neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
    with Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION) as opened:
        yield opened


def hostile_layer() -> tuple[DocumentBundle, Generation]:
    bundle = document_bundle(
        "d",
        [f"Alpha meets Beta {HOSTILE}", "Gamma"],
        groups=("g",),
        metadata={"key": "value", "tags": ("a", "b"), "supersedes": "e"},
    )
    return hostile(bundle), hostile(generation_of([bundle], aliases={"Alpha": ("Omega",)}))


def write_all(store: GraphStore) -> None:
    bundle, generation = hostile_layer()
    store.write_documents([bundle])
    store.publish(generation)
    state = SourceState(mark=HOSTILE, document_ids=(bundle.document.id,), failures=((HOSTILE, HOSTILE),))
    store.remember_sources(bundle.document.tenant, {HOSTILE: state})


def test_every_field_is_kept_as_it_is(store: Neo4jStore, embedded_store: EmbeddedStore) -> None:
    fill(store)
    before = store.content_digest("default")
    for each in (store, embedded_store):
        write_all(each)
    store.write_notes(HOSTILE)
    tenant = f"default{HOSTILE}"
    caller = Access(tenant=tenant, groups=frozenset({f"g{HOSTILE}"}))
    assert store.read_notes() == HOSTILE
    assert store.source_states(tenant) == embedded_store.source_states(tenant) != {}
    assert store.content_digest(tenant) == embedded_store.content_digest(tenant)
    assert store.list_documents(caller) == embedded_store.list_documents(caller) != ()
    assert store.list_entities(caller) == embedded_store.list_entities(caller) != ()
    assert store.list_relations(caller) == embedded_store.list_relations(caller) != ()
    assert store.communities(caller) == embedded_store.communities(caller) != ()
    assert store.tree_nodes(caller) == embedded_store.tree_nodes(caller) != ()
    assert store.content_digest("default") == before


def test_what_is_asked_for_is_no_query(store: Neo4jStore) -> None:
    fill(store)
    before = store.content_digest("default")
    nobody = Access(tenant=HOSTILE, groups=frozenset({HOSTILE}))
    for caller in (PUBLIC, nobody):
        assert store.documents(caller, [HOSTILE]) == ()
        assert store.document_text(caller, HOSTILE) is None
        assert store.chunks(caller, [HOSTILE]) == ()
        assert store.entities(caller, [HOSTILE]) == ()
        assert store.find_entities(caller, HOSTILE) == ()
        assert store.entity_mentions(caller, HOSTILE) == ()
        assert store.entity_relations(caller, HOSTILE) == ()
        for kind in KINDS:
            store.search_keywords(caller, HOSTILE, kind=kind, k=3)
    assert store.delete_documents("default", [HOSTILE]) == ()
    assert store.delete_documents(HOSTILE, ["open"]) == ()
    assert store.content_digest("default") == before


def test_writers_of_the_same_documents_do_not_lock_each_other_out(store: Neo4jStore, neo4j_server: Neo4jServer) -> None:
    """The lease keeps processes apart; threads of one process may still write the same documents in any order."""
    bundles = [document_bundle(f"d{number}", ["Alpha meets Beta.", "Gamma rests."]) for number in range(6)]
    orders = [bundles, bundles[::-1], bundles[3:] + bundles[:3], bundles[::2] + bundles[1::2]]
    with ThreadPoolExecutor(len(orders)) as pool:
        list(pool.map(store.write_documents, orders))
    counts = store.tenant_counts("default")
    assert (counts.documents, counts.chunks) == (6, 12)
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as driver:
        found = driver.execute_query("MATCH (n:ChunkData) RETURN count(n)").records[0].value()
    assert found == 12

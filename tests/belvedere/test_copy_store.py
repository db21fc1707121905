"""``belvedere copy-store``: every direction, stopped and gone on with, and what the comparison at the end sees."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from belvedere.store_copy import CopyMistake, copy_store, verify_copy
from belvedere.store_location import StoreLocation, read_location
from belvedere.wiring import open_for_copy
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import StoreUnusable
from graph_store.spaces import LiveSpace, VectorSpace
from graph_store.store import GraphStore
from tests.belvedere.small_store import Belvedere, Place
from tests.graph_store.builders import (
    DIMENSION,
    MODEL,
    TOKEN_DIMENSION,
    TOKEN_SPACE,
    document_bundle,
    generation_of,
    with_tokens,
)
from tests.graph_store.samples import PUBLIC, STAFF, search_ids, three_documents
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer

ROOT = Path(__file__).resolve().parents[2]
SPACE = VectorSpace(
    embedding_model=MODEL, dimension=DIMENSION, token_space=TOKEN_SPACE, token_dimension=TOKEN_DIMENSION
)
MANY = 30
Compare = Callable[[StoreLocation, StoreLocation], None]

# Copies with documents in batches of one, and dies as soon as it has written so many batches.
DYING = """
import os, signal, sys
from belvedere import store_comparison
from belvedere.settings import Settings
from belvedere.store_copy import copy_store
from belvedere.store_location import read_location
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.neo4j.neo4j_store import Neo4jStore
store_comparison._CHUNKS_AT_ONCE = 4
left = int(sys.argv[3])
def dying(write):
    def written(*given):
        global left
        write(*given)
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
    return written
for kind in (EmbeddedStore, Neo4jStore):
    kind.write_documents = dying(kind.write_documents)
    kind.write_layer = dying(kind.write_layer)
copy_store(read_location(sys.argv[1]), read_location(sys.argv[2]), Settings())
"""


def make_origin(folder: Path) -> Path:
    """Make a store with two tenants and groups, a layer that lost evidence, and documents that came after it."""
    bundles = [with_tokens(bundle) for bundle in three_documents()]
    bundles += [with_tokens(document_bundle(f"more-{n}", [f"Alpha meets Zeta{n}.", "Rho."])) for n in range(MANY)]
    with EmbeddedStore.create_or_open(
        folder,
        embedding_model=MODEL,
        dimension=DIMENSION,
        token_space=TOKEN_SPACE,
        token_dimension=TOKEN_DIMENSION,
    ) as store:
        store.write_documents(bundles)
        store.publish(generation_of(bundles, aliases={"Alpha": ("Omega",)}))
        store.publish(generation_of(bundles, tenant="other"))
        store.delete_documents("default", ["more-3"])
        store.write_documents([with_tokens(document_bundle("late", ["Alpha leaves."]))])
    return folder


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_origin(tmp_path / "origin")


@pytest.fixture
def server_place(neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreLocation]:
    """An empty database without indexes."""
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", neo4j_server.password)
    empty_database(neo4j_server, indexes=True)
    yield read_location(f"{neo4j_server.uri}/neo4j")
    empty_database(neo4j_server, indexes=True)


def opened(location: StoreLocation) -> GraphStore:
    return open_for_copy(location, Settings(), SPACE)


def dies_after(origin: StoreLocation, target: StoreLocation, batches: int) -> None:
    """Copy in a process of its own, which is killed in the middle."""
    done = subprocess.run(
        [sys.executable, "-c", DYING, str(origin), str(target), str(batches)], cwd=ROOT, check=False, timeout=120
    )
    assert done.returncode == -9


def check_that_both_are_the_same(left: StoreLocation, right: StoreLocation) -> None:
    one, two = opened(left), opened(right)
    try:
        assert one.tenants() == two.tenants() == ("default", "other")
        for tenant in one.tenants():
            assert one.content_digest(tenant) == two.content_digest(tenant)
        for access in (PUBLIC, STAFF):
            assert one.counts(access) == two.counts(access)
            assert one.list_entities(access) == two.list_entities(access)
            for kind in ("chunk", "report", "tree_node"):
                assert search_ids(one, access, "Alpha Zeta4", kind=kind) == search_ids(
                    two, access, "Alpha Zeta4", kind=kind
                )
        assert two.derived_fingerprint("default") is None
        assert two.read_generation("default").mended == one.read_generation("default").mended != frozenset()
    finally:
        one.close()
        two.close()


def test_from_folder_to_folder(origin: Path, tmp_path: Path) -> None:
    report = copy_store(origin, tmp_path / "copy", Settings())
    assert report.comparison.agrees
    assert (report.written, report.kept, report.removed) == (MANY + 3, 0, 0)
    kinds = report.comparison.kinds
    assert kinds["document"].rows_to == MANY + 3
    assert kinds["tokens"].rows_to == kinds["chunk"].rows_to == kinds["sentence"].rows_to
    assert all(digest.digest_from == digest.digest_to for digest in kinds.values())
    check_that_both_are_the_same(origin, tmp_path / "copy")


@pytest.mark.neo4j
def test_to_a_server_and_back_to_a_folder(origin: Path, server_place: StoreLocation, tmp_path: Path) -> None:
    assert copy_store(origin, server_place, Settings()).comparison.agrees
    check_that_both_are_the_same(origin, server_place)
    assert copy_store(server_place, tmp_path / "back", Settings()).comparison.agrees
    check_that_both_are_the_same(server_place, tmp_path / "back")
    assert verify_copy(origin, tmp_path / "back", Settings()).comparison.agrees


def test_one_tenant_alone(origin: Path, tmp_path: Path) -> None:
    assert copy_store(origin, tmp_path / "copy", Settings(), tenant="other").comparison.agrees
    with EmbeddedStore.open(tmp_path / "copy") as store:
        assert store.tenants() == ("other",)


def check_the_way_of_a_killed_copy(origin: StoreLocation, target: StoreLocation) -> None:
    """Kill a copy in the middle of documents, then before the end, look at what is there, and go on."""
    for batches in (3, 16):
        dies_after(origin, target, batches)
        with KnowledgeBase.open(target) as kb, pytest.raises(StoreUnusable, match="not finished"):
            kb.status()
    report = copy_store(origin, target, Settings())
    assert report.comparison.agrees
    assert report.kept > 3
    assert report.written + report.kept == MANY + 3
    check_that_both_are_the_same(origin, target)


def test_a_killed_copy_is_no_store_and_goes_on(origin: Path, tmp_path: Path) -> None:
    check_the_way_of_a_killed_copy(origin, tmp_path / "copy")


@pytest.mark.neo4j
def test_a_killed_copy_to_a_server_is_no_store_and_goes_on(origin: Path, server_place: StoreLocation) -> None:
    check_the_way_of_a_killed_copy(origin, server_place)


@pytest.mark.neo4j
def test_an_unfinished_copy_is_known_by_any_address_of_its_origin(
    origin: Path, server_place: StoreLocation, tmp_path: Path
) -> None:
    copy_store(origin, server_place, Settings())
    dies_after(server_place, tmp_path / "copy", 2)
    other = read_location(str(server_place).replace("bolt://", "neo4j://").replace("/neo4j", "/NEO4J"))
    assert str(other) != str(server_place)
    assert copy_store(other, tmp_path / "copy", Settings()).kept
    with pytest.raises(CopyMistake, match="both places"):
        copy_store(other, server_place, Settings())


def test_what_changed_in_the_origin_meanwhile_is_copied_anew(origin: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    dies_after(origin, copy, 8)
    with EmbeddedStore.open(origin, read_only=False) as store:
        (late,) = store.document_bundles("default", ["late"])
        store.delete_documents("default", ["late"])
        store.delete_documents("other", ["foreign"])
        store.write_documents([with_tokens(document_bundle("more-1", ["Alpha sings."]))])
    report = copy_store(origin, copy, Settings())
    assert report.comparison.agrees
    assert report.removed == 1
    assert late.document.id == "late"
    with EmbeddedStore.open(copy) as store:
        assert "late" not in store.document_states("default")
        assert store.document_text(PUBLIC, "more-1") == "Alpha sings."


DAMAGES = {
    "chunk": "UPDATE chunk_vectors SET vector = (SELECT vector FROM chunk_vectors WHERE row > 1 LIMIT 1) WHERE row = 1",
    "sentence": "UPDATE chunk_sentences SET vectors = (SELECT vectors FROM chunk_sentences WHERE row > 1)",
    "tokens": "UPDATE chunk_tokens SET vectors = zeroblob(length(vectors)) WHERE row = 1",
    "edge": "UPDATE passage_edges SET weight = weight + 0.25 WHERE source_row = 4",
    "home": "UPDATE homes SET kind = 'definition' WHERE chunk_row = (SELECT row FROM chunks WHERE id = 'open-0')",
    "document": "UPDATE documents SET title = 'Changed' WHERE id = 'open'",
    "community": "UPDATE communities SET title = 'Changed' WHERE row = 1",
    "name": "UPDATE chunk_extractions SET mentions = '[]' WHERE row = 1",
    "standing": "UPDATE tenants SET changed_documents = 77",
}


def change_database(folder: Path, statement: str) -> int:
    with sqlite3.connect(folder / "belvedere.sqlite") as connection:
        changed = connection.execute(statement).rowcount
    connection.close()
    return changed


@pytest.mark.parametrize("kind", sorted(DAMAGES))
def test_a_row_that_was_damaged_after_the_copy_is_named(
    kind: str, origin: Path, tmp_path: Path, belvedere: Belvedere
) -> None:
    copy = tmp_path / "copy"
    assert belvedere("copy-store", origin, copy).code == 0
    assert change_database(copy, DAMAGES[kind]) > 0
    found = belvedere("copy-store", origin, copy, "--verify", "--json")
    assert found.code == 1
    content = json.loads(found.out)
    assert content["same"] is False
    assert content["differing"] == len(content["differences"]) > 0
    assert {item["kind"] for item in content["differences"]} == {kind}
    assert content["kinds"][kind]["digest_from"] != content["kinds"][kind]["digest_to"]
    told = belvedere("copy-store", origin, copy, "--verify")
    assert told.code == 1
    named = content["differences"][0]
    assert f"{kind} {named['id']!r} of tenant {named['tenant']!r} {named['says']}" in " ".join(told.out.split())


BEYOND_READING = {
    "document": "UPDATE chunk_vectors SET vector = x'00' WHERE row = (SELECT row FROM chunks WHERE id = 'open-0')",
    "standing": "UPDATE communities SET sentences = '[' WHERE row = 1",
}


@pytest.mark.parametrize("kind", sorted(BEYOND_READING))
def test_a_row_that_cannot_be_read_is_named(kind: str, origin: Path, tmp_path: Path) -> None:
    copy_store(origin, tmp_path / "copy", Settings())
    assert change_database(tmp_path / "copy", BEYOND_READING[kind]) == 1
    found = verify_copy(origin, tmp_path / "copy", Settings()).comparison
    named = [item for item in found.differences if "cannot be read in the copy" in item.says]
    assert [(item.kind, item.id) for item in named] == [(kind, "open" if kind == "document" else "layer")]


ON_THE_SERVER = {
    "chunk": "MATCH (c:Chunk {id: 'open-0'}) MATCH (d:Chunk {id: 'open-1'}) SET c.embedding = d.embedding",
    "tokens": "MATCH (:Chunk {id: 'open-1'})-[:HAS_DATA]->(x), (:Chunk {id: 'late-0'})-[:HAS_DATA]->(y)"
    " SET x.token_vectors = y.token_vectors, x.token_starts = y.token_starts",
    "mention": "MATCH (:Chunk {id: 'open-0'})-[r:HAS_ENTITY]->() SET r.starts = [], r.ends = []",
    "relation": "MATCH (:__Entity__)-[r:RELATED]->() SET r.weight = 9.5",
    "tree node": "MATCH (s:Summary {tenant: 'default'}) SET s.made_by = 'hand'",
    "parent": "MATCH (p:Parent {id: 'open-parent'}) DETACH DELETE p",
}


@pytest.mark.neo4j
def test_rows_that_were_damaged_on_the_server_are_named(
    origin: Path, server_place: StoreLocation, neo4j_server: Neo4jServer
) -> None:
    assert copy_store(origin, server_place, Settings()).comparison.agrees
    assert verify_copy(origin, server_place, Settings()).comparison.agrees
    with GraphDatabase.driver(neo4j_server.uri, auth=(USER, neo4j_server.password)) as driver:
        for damage in ON_THE_SERVER.values():
            driver.execute_query(damage)
    found = verify_copy(origin, server_place, Settings()).comparison
    assert {item.kind for item in found.differences} == set(ON_THE_SERVER)
    named = {(item.kind, item.id): item.says for item in found.differences}
    assert named["chunk", "open-0"] == "differs in vector"
    assert named["parent", "open-parent"] == "is missing from the copy"


def test_a_copy_that_comes_out_different_stays_unfinished(
    origin: Path, tmp_path: Path, belvedere: Belvedere, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"

    def lossy(self: EmbeddedStore, layer: object) -> None:
        """Write no layer at all."""

    with monkeypatch.context() as patched:
        patched.setattr(EmbeddedStore, "write_layer", lossy)
        done = belvedere("copy-store", origin, copy)
    assert done.code == 1
    assert "not taken for a store" in done.err
    assert "not finished" in belvedere("status", "--store", copy).err
    assert belvedere("copy-store", origin, copy).code == 0
    assert belvedere("status", "--store", copy).code == 0


def test_a_place_with_other_data_is_refused(origin: Path, tmp_path: Path, belvedere: Belvedere) -> None:
    other = make_origin(tmp_path / "other")
    done = belvedere("copy-store", origin, other)
    assert done.code == 2
    assert "holds a store with documents" in done.err
    dies_after(origin, tmp_path / "copy", 2)
    done = belvedere("copy-store", other, tmp_path / "copy")
    assert done.code == 2
    assert "holds another one that is not finished" in done.err
    for command in (("index", ROOT / "examples"), ("migrate", "embeddings", "--model", "hashing:32"), ("status",)):
        refused = belvedere(*command, "--store", tmp_path / "copy")
        assert refused.code == 2
    assert "not finished" in refused.err
    done = belvedere("copy-store", tmp_path / "copy", tmp_path / "another")
    assert "not finished" in done.err


def test_mistakes_are_told_in_a_sentence(origin: Path, tmp_path: Path, belvedere: Belvedere) -> None:
    cases = {
        (origin, origin): "name another one for the copy",
        (tmp_path / "nothing", tmp_path / "copy"): "there is no store",
        (origin, tmp_path / "copy", "--tenant", "nobody"): "has no tenant 'nobody'",
        (origin, tmp_path / "missing", "--verify"): "there is no store",
    }
    for arguments, sentence in cases.items():
        done = belvedere("copy-store", *arguments)
        assert done.code == 2, arguments
        assert sentence in done.err
    assert not (tmp_path / "copy").exists()
    with EmbeddedStore.create_or_open(tmp_path / "narrow", embedding_model="other", dimension=DIMENSION):
        pass
    assert "embedding model" in belvedere("copy-store", origin, tmp_path / "narrow").err


def test_doctor_tells_of_an_unfinished_copy(tmp_path: Path, belvedere: Belvedere) -> None:
    copy = tmp_path / "copy"
    with EmbeddedStore.create_or_open(copy, embedding_model=MODEL, dimension=DIMENSION) as store:
        store.begin_copy("of somewhere", store.live_space())
    done = belvedere("doctor", "--store", copy)
    assert done.code == 1
    assert "copy: " in done.out
    assert "of somewhere" in done.out


def test_what_is_known_of_the_live_space_goes_with_it(origin: Path, tmp_path: Path) -> None:
    live = LiveSpace(space=SPACE, recipe="how to load it", replaced=(VectorSpace(embedding_model="x", dimension=3),))
    with EmbeddedStore.open(origin, read_only=False) as store:
        store.begin_copy("x", live)
        store.end_copy()
    assert copy_store(origin, tmp_path / "copy", Settings()).comparison.agrees
    with EmbeddedStore.open(tmp_path / "copy") as store:
        assert store.live_space() == live


@pytest.mark.model
def test_a_copy_of_an_indexed_store_answers_alike(own_place: Place, belvedere: Belvedere) -> None:
    copy = own_place.folder / "copy"
    done = belvedere("copy-store", own_place.store, copy, "--json")
    assert done.code == 0
    assert done.json()["kinds"]["source"]["rows_to"] == 3
    assert done.json()["kinds"]["settings"]["rows_to"] == 1
    question = ("ask", "Who built the lighthouse of Norby?", "--config", own_place.config)
    answers = [belvedere(*question, "--store", place).out.partition("time:")[0] for place in (copy, own_place.store)]
    assert answers[0] == answers[1]
    assert belvedere("doctor", "--store", copy, "--config", own_place.config).code == 0
    again = belvedere("index", own_place.corpus, "--store", copy, "--config", own_place.config, "--json")
    assert again.code == 0

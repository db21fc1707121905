"""``belvedere migrate embeddings`` on a store in Neo4j, and what those who ask meanwhile see of it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from graph_store.access import Access
from graph_store.errors import StoreSwitched
from graph_store.store import GraphStore
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere, Place
from tests.neo4j.cutting_proxy import Cut, cutting_proxy
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer
from tests.neo4j.shared import SharedServers

pytestmark = [pytest.mark.neo4j, pytest.mark.model]

QUESTION = "Who built the lighthouse of Norby?"
EVERYBODY = Access()
ROOT = Path(__file__).resolve().parents[2]
COMMAND = "from belvedere.cli.main import main; main()"


@pytest.fixture
def server(neo4j_servers: SharedServers, monkeypatch: pytest.MonkeyPatch) -> Iterator[Neo4jServer]:
    """A server with neither data nor indexes."""
    found = neo4j_servers.running("5")
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", found.password)
    empty_database(found, indexes=True)
    yield found
    empty_database(found, indexes=True)


@pytest.fixture
def options(belvedere: Belvedere, own_place: Place, server: Neo4jServer) -> list[str]:
    """The options of a command on a copy of the small store in Neo4j."""
    address = f"{server.uri}/neo4j"
    done = belvedere("copy-store", own_place.store, address, "--config", str(own_place.config))
    assert done.code == 0, done.err
    return ["--store", address, "--config", str(own_place.config)]


def vectors_of(store: GraphStore) -> dict[str, bytes]:
    """Return all vectors of chunks, sentences and tokens, with the digest of everything else."""
    ids = [
        chunk.id
        for document in store.list_documents(EVERYBODY)
        for chunk in store.document_chunks(EVERYBODY, document.id)
    ]
    found = {name: vector.tobytes() for name, vector in store.chunk_vectors(EVERYBODY, ids).items()}
    found["sentences"] = store.sentences(EVERYBODY, ids).vectors.tobytes()
    found |= {f"tokens of {name}": item.vectors.tobytes() for name, item in store.token_vectors(EVERYBODY, ids).items()}
    found["digest"] = store.content_digest("default").encode()
    return found


def test_the_whole_way(belvedere: Belvedere, own_place: Place, options: list[str], tmp_path: Path) -> None:
    run = ("migrate", "embeddings")
    with KnowledgeBase.open(options[1], config=own_place.config) as kb:
        before = kb.ask(QUESTION)
        assert "Anna Lind" in before.answer
        assert belvedere(*run, "--model", "hashing:48", *options).code == 0
        assert kb.ask(QUESTION).answer == before.answer

        status = belvedere("status", "--json", *options).json()
        assert (status["embedding_model"], status["second_space"]["whole"]) == ("hashing-64", True)
        assert "is whole and not in use" in belvedere("doctor", *options).out
        other = Settings(embedder=EmbedderSettings(model="hashing:48"))
        with KnowledgeBase.open(options[1], config=other, second_space=True) as second:
            assert "Anna Lind" in second.ask(QUESTION).answer
            assert second.store.embedding_model == "hashing-48"
        copied = belvedere("copy-store", options[1], tmp_path / "copied", "--config", str(own_place.config))
        assert copied.code == 0, copied.err

        (own_place.corpus / "new.md").write_text("# Harbour of Oslo\n\nThe harbour of Oslo was dug by Jon Vik.\n")
        (own_place.corpus / "lens-company.md").unlink()
        indexed = belvedere("index", own_place.corpus, "--prune", *options)
        assert indexed.code == 0, indexed.err
        refused = belvedere(*run, "--switch", *options)
        assert refused.code == 2
        assert "have no vectors in the second vector space yet" in refused.err
        former = kb.store
        assert belvedere(*run, "--model", "hashing:48", "--switch", "--drop-old", *options).code == 0
        with pytest.raises(StoreSwitched):
            former.search_vectors(EVERYBODY, kb.embedder.embed_question(QUESTION), kind="chunk", k=1)
        assert "Jon Vik" in kb.ask("Who dug the harbour of Oslo?").answer
        assert kb.store.embedding_model == "hashing-48"
        doctor = belvedere("doctor", *options)
        assert doctor.code == 0
        assert "vector space" not in doctor.out

    with KnowledgeBase.open(tmp_path / "copied", config=own_place.config) as copy:
        assert copy.store.spare_space() is None
        with KnowledgeBase.open(own_place.store, config=own_place.config) as origin:
            assert vectors_of(copy.store) == vectors_of(origin.store)
    # Back to the first slot, and the model that a store was made with is no exception.
    assert belvedere(*run, "--model", "hashing:64", "--switch", "--drop-old", *options).code == 0
    assert "Anna Lind" in belvedere("ask", QUESTION, *options).out


@pytest.mark.crash
def test_runs_that_are_killed_end_as_one_that_was_not(
    belvedere: Belvedere, own_place: Place, options: list[str], server: Neo4jServer
) -> None:
    """Kill the run at some of its commits; one batch is one chunk, so that there are many."""
    own_place.config.write_text('embedder: {model: "hashing:64"}\nindexing: {batch_chunks: 1}\n', encoding="utf-8")
    whole = Place(folder=own_place.folder.parent / "whole")
    shutil.copytree(own_place.folder, whole.folder)
    steps = ("migrate", "embeddings", "--model", "hashing:48", "--switch", "--drop-old")
    assert belvedere(*steps, *whole.options).code == 0
    for commit in (3, 6, 12):
        with cutting_proxy(server.port) as proxy:
            address = f"{proxy.uri}/neo4j"
            arguments = [*steps, "--store", address, "--config", str(own_place.config)]
            run = subprocess.Popen(
                [sys.executable, "-c", COMMAND, *arguments],
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )

            def kill(step: str, number: int, at: int = commit, run: "subprocess.Popen[bytes]" = run) -> Cut:
                if step == "COMMIT" and number == at:
                    run.kill()
                return "pass"

            proxy.decide = kill
            assert run.wait(120) == -9
        assert belvedere("doctor", *options).code == 0
        assert "Anna Lind" in belvedere("ask", QUESTION, *options).out
    assert belvedere(*steps, *options).code == 0
    with (
        KnowledgeBase.open(options[1], config=own_place.config) as kb,
        KnowledgeBase.open(whole.store, config=own_place.config) as expected,
    ):
        assert kb.store.spare_space() is None
        assert kb.store.embedding_model == "hashing-48"
        assert vectors_of(kb.store) == vectors_of(expected.store)

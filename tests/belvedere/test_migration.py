"""``belvedere migrate embeddings`` from the command line, and what those who ask meanwhile see of it."""

import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from belvedere.embedder_choice import choose_embedder, from_recipe, other_embedder, recipe_of
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings, load_settings
from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import StoreMismatch
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere, Place

QUESTION = "Who built the lighthouse of Norby?"
EVERYBODY = Access()
ROOT = Path(__file__).resolve().parents[2]
COMMAND = "from belvedere.cli.main import main; main()"


@pytest.fixture
def kb(own_place: Place) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(own_place.store, config=own_place.config) as opened:
        yield opened


def name_model(place: Place, model: str) -> None:
    place.config.write_text(f'embedder: {{model: "{model}"}}\n', encoding="utf-8")


@pytest.mark.model
def test_the_whole_way(belvedere: Belvedere, own_place: Place) -> None:
    options = own_place.options
    before = belvedere("ask", QUESTION, *options).out
    assert "there is no second vector space" in belvedere("migrate", "embeddings", *options).out

    built = belvedere("migrate", "embeddings", "--model", "hashing:48", *options)
    assert built.code == 0
    assert "which is whole; --switch makes it the live one" in built.out
    assert belvedere("ask", QUESTION, *options).out.splitlines()[0] == before.splitlines()[0]
    assert "A second vector space, of hashing-48, is whole" in belvedere("status", *options).out
    doctor = belvedere("doctor", *options)
    assert doctor.code == 0
    assert "vector spaces: a second vector space, of 'hashing-48'" in doctor.out

    switched = belvedere("migrate", "embeddings", "--switch", *options)
    assert switched.code == 0
    assert "questions are answered with hashing-48" in switched.out
    assert "the one from before the switch" in switched.out
    assert belvedere("ask", QUESTION, *options).out.splitlines()[0] == before.splitlines()[0]
    status = belvedere("status", "--json", *options).json()
    assert (status["embedding_model"], status["dimension"]) == ("hashing-48", 48)
    assert status["settings_changed"] == {}
    assert status["second_space"] == {
        "embedding_model": "hashing-64",
        "dimension": 64,
        "token_space": "full",
        "token_dimension": 64,
        "old": True,
        "whole": True,
    }
    doctor = belvedere("doctor", *options)
    assert doctor.code == 0
    assert "which is used although 'hashing:64' is configured" in doctor.out

    dropped = belvedere("migrate", "embeddings", "--drop-old", *options)
    assert dropped.code == 0
    assert belvedere("status", "--json", *options).json()["second_space"] is None
    name_model(own_place, "hashing:48")
    assert belvedere("ask", QUESTION, *options).out.splitlines()[0] == before.splitlines()[0]
    doctor = belvedere("doctor", *options)
    assert doctor.code == 0
    assert "note" not in doctor.out


@pytest.mark.model
def test_all_steps_in_one_run_that_may_be_repeated(belvedere: Belvedere, own_place: Place) -> None:
    steps = ("migrate", "embeddings", "--model", "hashing:48", "--switch", "--drop-old", "--json", *own_place.options)
    first = belvedere(*steps).json()
    assert (first["switched"], first["dropped"], first["second"]) == (True, True, None)
    assert first["filled"]["chunks"] == belvedere("status", "--json", *own_place.options).json()["chunks"]
    again = belvedere(*steps).json()
    assert (again["switched"], again["dropped"]) == (False, False)
    assert again["live"] == first["live"]


@pytest.mark.model
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["--switch"], "no second vector space"),
        (["--abandon"], "no second vector space"),
        (["--abandon", "--switch"], "leave the other steps out"),
        (["--model", "hashing:64"], "those of 'hashing-64'"),
        (["--model", "hashing:x"], "number of dimensions"),
        (["--model", ""], "the name is empty"),
    ],
)
def test_steps_that_cannot_be_taken(belvedere: Belvedere, own_place: Place, steps: list[str], expected: str) -> None:
    outcome = belvedere("migrate", "embeddings", *steps, *own_place.options)
    assert outcome.code == 2
    assert expected in outcome.err


@pytest.mark.model
def test_a_second_space_is_abandoned_and_an_old_one_dropped(belvedere: Belvedere, own_place: Place) -> None:
    options = own_place.options
    run = ("migrate", "embeddings")
    assert belvedere(*run, "--model", "hashing:48", *options).code == 0
    other = belvedere(*run, "--model", "hashing:32", *options)
    assert other.code == 2
    assert "--abandon" in other.err
    assert "--switch makes it live" in belvedere(*run, "--drop-old", *options).err
    assert belvedere(*run, "--abandon", *options).code == 0
    assert belvedere(*run, "--model", "hashing:32", "--switch", *options).code == 0
    assert "--drop-old removes it" in belvedere(*run, "--abandon", *options).err
    assert "name it with --model" in belvedere(*run, "--switch", *options).err
    back = belvedere(*run, "--model", "hashing:64", "--switch", "--json", *options).json()
    assert back["live"]["embedding_model"] == "hashing-64"
    assert back["filled"]["chunks"] == 0


@pytest.mark.model
def test_settings_are_to_be_written_only_where_they_name_another_model(belvedere: Belvedere, own_place: Place) -> None:
    run = ("migrate", "embeddings", "--switch", *own_place.options)
    assert "Write that into the settings" in belvedere(*run, "--model", "hashing:48").out
    assert "Write that into the settings" not in belvedere(*run, "--model", "hashing:64").out


@pytest.mark.model
def test_token_vectors_change_as_models_do(belvedere: Belvedere, own_place: Place) -> None:
    options = own_place.options
    report = belvedere("migrate", "embeddings", "--token-vectors", "none", "--switch", "--json", *options).json()
    assert report["live"] == {
        "embedding_model": "hashing-64",
        "dimension": 64,
        "token_space": "none",
        "token_dimension": 0,
    }
    assert "Anna Lind" in belvedere("ask", QUESTION, *options).out


@pytest.mark.model
def test_an_index_run_meanwhile_leaves_the_second_space_to_be_filled(belvedere: Belvedere, own_place: Place) -> None:
    options = own_place.options
    assert belvedere("migrate", "embeddings", "--model", "hashing:48", *options).code == 0
    (own_place.corpus / "new.md").write_text("# Harbour of Oslo\n\nThe harbour of Oslo was dug by Jon Vik.\n")
    (own_place.corpus / "lens-company.md").unlink()
    assert belvedere("index", own_place.corpus, "--prune", *options).code == 0
    assert "is not whole yet" in belvedere("status", *options).out
    assert "lacks" in belvedere("doctor", *options).out
    refused = belvedere("migrate", "embeddings", "--switch", *options)
    assert refused.code == 2
    assert "have no vectors in the second vector space yet" in refused.err
    assert belvedere("migrate", "embeddings", "--model", "hashing:48", "--switch", *options).code == 0
    assert "Jon Vik" in belvedere("ask", "Who dug the harbour of Oslo?", *options).out
    # Settings that still name the former model go on indexing, with the model of the store.
    (own_place.corpus / "newer.md").write_text("# Bridge of Turku\n\nThe bridge of Turku was built by Mara Sund.\n")
    assert belvedere("index", own_place.corpus, *options).code == 0
    assert "Mara Sund" in belvedere("ask", "Who built the bridge of Turku?", *options).out
    status = belvedere("status", "--json", *options).json()
    assert status["settings_changed"] == {}
    assert status["second_space"]["whole"] is False


@pytest.mark.model
def test_a_model_that_is_gone_can_be_left(belvedere: Belvedere, own_place: Place) -> None:
    name_model(own_place, "bundled:gone")
    outcome = belvedere("migrate", "embeddings", "--model", "hashing:48", "--switch", *own_place.options)
    assert outcome.code == 0, outcome.err
    name_model(own_place, "hashing:48")
    assert "Anna Lind" in belvedere("ask", QUESTION, *own_place.options).out


@pytest.mark.model
def test_a_third_model_fits_neither(belvedere: Belvedere, own_place: Place) -> None:
    assert belvedere("migrate", "embeddings", "--model", "hashing:48", "--switch", *own_place.options).code == 0
    name_model(own_place, "hashing:32")
    outcome = belvedere("ask", QUESTION, *own_place.options)
    assert outcome.code == 2
    assert "migrate embeddings" in outcome.err
    assert belvedere("doctor", *own_place.options).code == 1


@pytest.mark.model
def test_a_knowledge_base_that_is_open_goes_over_with_its_next_question(
    belvedere: Belvedere, own_place: Place, kb: KnowledgeBase
) -> None:
    before = kb.ask(QUESTION)
    former = kb.engine
    assert belvedere("migrate", "embeddings", "--model", "hashing:48", "--switch", *own_place.options).code == 0
    assert kb.store.embedding_model == "hashing-64"
    assert kb.ask(QUESTION).answer == before.answer
    assert kb.engine is not former
    assert (kb.store.embedding_model, kb.embedder.model_id) == ("hashing-48", "hashing-48")
    assert kb.model_name == "hashing:48"
    assert belvedere("migrate", "embeddings", "--model", "hashing:64", "--switch", *own_place.options).code == 0
    assert kb.status().embedding_model == "hashing-64"
    for ask in (kb.search, kb.context, kb.explain_ranking):
        ask(QUESTION)
    assert kb.store.embedding_model == "hashing-64"
    assert belvedere("migrate", "embeddings", "--model", "hashing:48", "--switch", *own_place.options).code == 0
    assert kb.status().embedding_model == "hashing-48"


@pytest.mark.model
def test_a_knowledge_base_that_has_only_looked_asks_with_the_right_model(
    belvedere: Belvedere, own_place: Place, kb: KnowledgeBase
) -> None:
    assert kb.model_name == "hashing:64"
    assert kb.status().embedding_model == "hashing-64"
    assert belvedere("migrate", "embeddings", "--model", "hashing:48", "--switch", *own_place.options).code == 0
    assert "Anna Lind" in kb.ask(QUESTION).answer
    assert kb.model_name == "hashing:48"


@pytest.mark.model
def test_threads_that_ask_never_fail_and_never_mix(belvedere: Belvedere, own_place: Place, kb: KnowledgeBase) -> None:
    expected = kb.ask(QUESTION).answer
    ended = threading.Event()
    wrong: list[object] = []

    def ask() -> None:
        while not ended.is_set():
            try:
                found = kb.ask(QUESTION).answer
            except Exception as error:  # noqa: BLE001  # whatever is raised in a thread is the finding
                wrong.append(error)
                return
            if found != expected:
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for model in ("hashing:48", "hashing:64", "hashing:48"):
            assert belvedere("migrate", "embeddings", "--model", model, "--switch", *own_place.options).code == 0
            time.sleep(0.2)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert wrong == []


@pytest.mark.model
def test_both_spaces_can_be_asked(belvedere: Belvedere, own_place: Place) -> None:
    assert belvedere("migrate", "embeddings", "--model", "hashing:48", *own_place.options).code == 0
    other = Settings(embedder=EmbedderSettings(model="hashing:48"))
    with KnowledgeBase.open(own_place.store, config=other, second_space=True) as second:
        assert "Anna Lind" in second.ask(QUESTION).answer
        assert (second.store.embedding_model, second.store.dimension) == ("hashing-48", 48)
        assert second.engine.rank_chunks(QUESTION, "dense", 3)
        with KnowledgeBase.open(own_place.store, config=own_place.config) as first:
            assert first.store.embedding_model == "hashing-64"
            ids = [chunk.id for chunk in first.store.document_chunks(EVERYBODY, "lighthouse.md")]
            assert first.store.chunk_vectors(EVERYBODY, ids)[ids[0]].shape == (64,)
            assert second.store.chunk_vectors(EVERYBODY, ids)[ids[0]].shape == (48,)
        assert belvedere("migrate", "embeddings", "--abandon", *own_place.options).code == 0
        with pytest.raises(StoreMismatch):
            second.store.chunk_vectors(EVERYBODY, ids)


@pytest.mark.model
@pytest.mark.crash
def test_runs_that_are_killed_end_as_one_that_was_not(belvedere: Belvedere, own_place: Place) -> None:
    """Kill the run at random moments, until it gets through; one batch is one chunk, so that there are many moments."""
    own_place.config.write_text('embedder: {model: "hashing:64"}\nindexing: {batch_chunks: 1}\n', encoding="utf-8")
    whole = Place(folder=own_place.folder.parent / "whole")
    shutil.copytree(own_place.folder, whole.folder)
    steps = ("migrate", "embeddings", "--model", "hashing:48", "--switch", "--drop-old")
    assert belvedere(*steps, *whole.options).code == 0
    drawn = random.Random(6)
    killed = 0
    for _ in range(12):
        run = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *steps, *own_place.options], stderr=subprocess.DEVNULL, cwd=ROOT
        )
        time.sleep(drawn.uniform(0.3, 1.2))
        run.send_signal(signal.SIGKILL)
        killed += run.wait() == -signal.SIGKILL
        assert belvedere("doctor", *own_place.options).code == 0
        assert "Anna Lind" in belvedere("ask", QUESTION, *own_place.options).out
    assert killed
    assert belvedere(*steps, *own_place.options).code == 0
    assert vectors_of(own_place.store) == vectors_of(whole.store)
    assert belvedere("doctor", *own_place.options).code == 0


def vectors_of(folder: Path) -> dict[str, bytes]:
    """Return all vectors of chunks, sentences and tokens, with the digest of everything else."""
    with EmbeddedStore.open(folder) as store:
        assert store.embedding_model == "hashing-48"
        assert store.spare_space() is None
        ids = [
            chunk.id
            for document in store.list_documents(EVERYBODY)
            for chunk in store.document_chunks(EVERYBODY, document.id)
        ]
        found = {name: vector.tobytes() for name, vector in store.chunk_vectors(EVERYBODY, ids).items()}
        found["sentences"] = store.sentences(EVERYBODY, ids).vectors.tobytes()
        tokens = store.token_vectors(EVERYBODY, ids)
        found["tokens"] = np.concatenate([tokens[name].vectors for name in ids]).tobytes()
        found["digest"] = store.content_digest("default").encode()
        return found


def test_a_recipe_keeps_what_a_model_is_and_not_how_a_machine_runs_it(tmp_path: Path) -> None:
    settings = EmbedderSettings(
        model=str(tmp_path), revision="v1", question_prefix="q: ", token_vectors="full", threads=3
    )
    here = EmbedderSettings(threads=7, batch_size=5)
    assert from_recipe(recipe_of(settings), here) == EmbedderSettings(
        model=str(tmp_path.resolve()),
        revision="v1",
        question_prefix="q: ",
        token_vectors="full",
        threads=7,
        batch_size=5,
    )


def test_prefixes_and_revisions_belong_to_one_model() -> None:
    settings = EmbedderSettings(model="a", revision="v1", question_prefix="q: ", threads=3)
    assert other_embedder(settings, model="a", token_vectors="none").question_prefix == "q: "
    other = other_embedder(settings, model="b", token_vectors=None)
    assert (other.model, other.revision, other.question_prefix, other.threads) == ("b", "", "", 3)


def test_without_a_store_the_configured_model_is_chosen(tmp_path: Path) -> None:
    settings = load_settings(None)
    chosen = choose_embedder(tmp_path / "nothing", settings)
    assert (chosen.settings, chosen.switched) == (settings.embedder, False)

"""The embedder over HTTP, against a server whose vectors are hashes of words."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from belvedere.config import ConfigError
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from belvedere.wiring import make_embedder
from graph_store.errors import StoreMismatch
from model_clients.api_embedder import ApiEmbedder
from model_clients.chat import retrying_model
from model_clients.chat.errors import EndpointUnusable
from model_clients.embedder import Embedder, Passage
from model_clients.hashing_embedder import HashingEmbedder
from model_clients.settings import EmbedderSettings
from tests.llm.scripted_openai_server import Asked, Reply, ScriptedOpenAiServer, embeds, fails, raw, scripted_server
from tests.model_clients.embedder_contract import VectorContract

KEY = "sk-embed-0123456789"


def hashed(dimension: int = 32) -> Reply:
    hashing = HashingEmbedder(dimension=dimension, max_tokens=1_000_000)

    def vector(text: str) -> Sequence[float]:
        # Of any length: vectors are scaled when they come.
        return [float(3 * value) for value in hashing.embed_question(text)]

    return embeds(vector)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedOpenAiServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(retrying_model, "_FIRST_WAIT_S", 0.001)
    with scripted_server(hashed()) as running:
        yield running


@pytest.fixture
def make(server: ScriptedOpenAiServer) -> Iterator[Callable[..., ApiEmbedder]]:
    made: list[ApiEmbedder] = []

    def embedder(**given: object) -> ApiEmbedder:
        settings = EmbedderSettings(model="openai:small", base_url=server.base_url, max_tokens=60)
        made.append(ApiEmbedder("small", replace(settings, **given)))  # type: ignore[arg-type]  # any field
        return made[-1]

    yield embedder
    for item in made:
        item.close()


class TestApiEmbedder(VectorContract):
    @pytest.fixture
    def embedder(self, make: Callable[..., ApiEmbedder]) -> Embedder:
        return make()


def test_there_are_no_token_vectors(make: Callable[..., ApiEmbedder]) -> None:
    embedder = make()
    assert (embedder.token_space, embedder.token_dimension) == ("none", 0)
    assert embedder.embed_passages([Passage(text="one")], with_tokens=True).tokens == ()
    assert len(embedder.embed_question_tokens("one").tokens.starts) == 0


def test_texts_go_in_batches_equal_ones_once_and_empty_ones_not_at_all(
    server: ScriptedOpenAiServer, make: Callable[..., ApiEmbedder]
) -> None:
    embedder = make(batch_size=4)
    texts = [f"text {number % 9}" for number in range(20)] + ["", " "]
    vectors = embedder.embed_passages([Passage(text=text, spans=((0, len(text)),)) for text in texts])
    assert vectors.passages.shape == (22, 32)
    sent = [text for asked in server.asked for text in asked.body["input"]]
    assert sorted(sent) == [f"text {number}" for number in range(9)]
    assert [
        len(asked.body["input"]) for asked in sorted(server.asked, key=lambda asked: -len(asked.body["input"]))
    ] == [*(4, 4, 1)]
    assert server.asked[0].path == "/v1/embeddings"
    assert server.asked[0].body["model"] == "small"


def test_the_number_of_dimensions_is_asked_for_once(
    server: ScriptedOpenAiServer, make: Callable[..., ApiEmbedder]
) -> None:
    embedder = make()
    assert (embedder.model_id, len(server.asked)) == ("openai:small", 0)
    assert [embedder.dimension, embedder.dimension] == [32, 32]
    assert len(server.asked) == 1
    wanted = make(dimensions=32)
    assert wanted.model_id == "openai:small@32"
    wanted.embed_question("x")
    assert server.asked[-1].body["dimensions"] == 32


def test_prefixes_stand_before_texts_and_in_the_name(
    server: ScriptedOpenAiServer, make: Callable[..., ApiEmbedder]
) -> None:
    embedder = make(question_prefix="query: ", passage_prefix="passage: ")
    embedder.embed_question("x")
    embedder.embed_passages([Passage(text="y z", spans=((2, 3),))])
    assert [asked.body["input"] for asked in server.asked] == [["query: x"], ["passage: y z", "passage: z"]]
    assert embedder.model_id == "openai:small|question='query: '|passage='passage: '"


def _grows(asked: Asked) -> object:
    return hashed(32 if asked.number == 0 else 16)(asked)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (_grows, r"dimensions where 32 are expected"),
        (embeds(lambda text: [1.0] * (8 + len(text))), r"vectors of \[9, 11\] dimensions where"),
        (embeds(lambda _: []), "dimensions where 0 are expected"),
        (embeds(lambda _: [float("nan")] * 8), "not numbers"),
        (raw(b'{"object": "list", "data": []}'), "sent 0 vectors for"),
        (raw(b'{"object": "list"}'), "sent 0 vectors for|No embedding data|no reply of its protocol"),
        (raw(b"not JSON"), "failed|no reply of its protocol"),
        (fails(401, f"bad key {KEY}"), "refuses the key"),
        (fails(404, "no such model"), "knows no model 'small'"),
        (fails(500, "broken"), r"no vectors of 'small': .*HTTP 500: broken \(after 6 attempts\)"),
    ],
)
def test_every_fault_is_one_sentence_that_ends_the_work(
    server: ScriptedOpenAiServer, make: Callable[..., ApiEmbedder], script: Reply, sentence: str
) -> None:
    server.script = script
    embedder = make()

    def embed_twice() -> None:
        for text in ("a", "b"):
            embedder.embed_passages([Passage(text=text), Passage(text=text * 3)])

    with pytest.raises(EndpointUnusable, match=sentence) as caught:
        embed_twice()
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_busy_endpoint_is_asked_again(server: ScriptedOpenAiServer, make: Callable[..., ApiEmbedder]) -> None:
    server.script = [fails(429, retry_after="0"), fails(503), hashed()]
    assert make().embed_question("x").shape == (32,)
    assert len(server.asked) == 3


def test_a_lone_surrogate_does_no_harm(make: Callable[..., ApiEmbedder]) -> None:
    assert np.isfinite(make().embed_passages([Passage(text="broken \ud800 text")]).passages).all()


def test_it_is_named_in_the_settings() -> None:
    assert make_embedder(EmbedderSettings(model="openai:a/b")).model_id == "openai:a/b"
    with pytest.raises(ConfigError, match="'openai:' names no model"):
        make_embedder(EmbedderSettings(model="openai:"))
    with pytest.raises(ConfigError, match=r"embedder: api_key_env is not the name") as caught:
        make_embedder(EmbedderSettings(model="openai:x", api_key_env="sk-secret-1"))
    assert "secret" not in str(caught.value)


@pytest.mark.model
def test_a_store_is_filled_and_asked_with_it_and_fits_no_other_dimension(
    server: ScriptedOpenAiServer, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("The vault of Norby opens on Thursdays.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Bread is baked from flour and water.", encoding="utf-8")
    settings = Settings(embedder=EmbedderSettings(model="openai:small", base_url=server.base_url))
    with KnowledgeBase.open(tmp_path / "store", config=settings) as kb:
        kb.index([tmp_path / "a.txt", tmp_path / "b.txt"])
        assert kb.status().embedding_model == "openai:small"
        assert kb.status().dimension == 32
        assert "a.txt" in kb.search("When does the vault of Norby open?", k=1).results[0].document_id
    server.script = hashed(16)
    with KnowledgeBase.open(tmp_path / "store", config=settings) as kb:
        with pytest.raises(StoreMismatch, match=r"16.*32|32.*16"):
            kb.index([tmp_path / "a.txt"])
        with pytest.raises(StoreMismatch, match=r"16.*32|32.*16"):
            kb.search("When does the vault open?")


def _data(data: object) -> Reply:
    return raw(json.dumps({"object": "list", "data": data}).encode())


def _vectors(*, index: object = 0, embedding: object = (1.0, 2.0)) -> Reply:
    return _data([{"index": index, "embedding": embedding}])


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        *((_vectors(index=index), "without the index") for index in (None, "0", 0.0, True)),
        (_data([{"embedding": [1.0]}]), "without the index"),
        *(
            (_vectors(embedding=vector), "not numbers")
            for vector in (None, 5, "AAAA", ["1"], {"0": 1}, [[1, 2]], [[1], 2], [True], [10**400], [1e39])
        ),
        *((_data(data), "sent 0 vectors for 1 texts") for data in ("abc", 5, {"a": 1})),
        (_data([None]), "without the index"),
        (raw(b"5"), "sent 0 vectors for 1 texts"),
        (raw(b"[" * 50_000), "no reply of its protocol .RecursionError"),
    ],
)
def test_vectors_of_wrong_types_are_told_in_one_sentence(
    server: ScriptedOpenAiServer, make: Callable[..., ApiEmbedder], script: Reply, sentence: str
) -> None:
    server.script = script
    with pytest.raises(EndpointUnusable, match=sentence):
        make().embed_question("x")

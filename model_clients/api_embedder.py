"""The embedder behind an endpoint of OpenAI's protocol."""

import asyncio
import json
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from model_clients.bundled_model import BUNDLED_PREFIX, bundled_model, bundled_model_folder
from model_clients.chat.background_loop import wait_for
from model_clients.chat.errors import ChatFailed, EndpointBusy, EndpointUnusable
from model_clients.chat.limited_model import EndpointLimits
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.retrying_model import Retries
from model_clients.chat.settings import LlmSettings
from model_clients.chat.token_estimate import estimated_tokens
from model_clients.chat.wire import WrongVectors, read_vectors
from model_clients.embedder import FloatMatrix, FloatVector, Passage, PassageVectors, QuestionVectors, Span
from model_clients.errors import PassageTooLong
from model_clients.settings import EmbedderSettings
from model_clients.text_tokenizer import TextTokenizer
from model_clients.token_vectors import NO_TOKENS, no_token_vectors
from model_clients.unit_rows import unit_rows

_TOKENIZER_OF = f"{BUNDLED_PREFIX}all-MiniLM-L6-v2"
_CONCURRENCY = 4
# Any text tells how many dimensions there are.
_PROBE = "dimension"


class ApiEmbedder:
    """Embeds by calls. An endpoint tells nothing of single tokens, so a span gets the vector of its own text, and there
    are no token vectors; tokens are counted by the tokenizer of the bundled model, which is near enough to cut by.

    The number of dimensions is that of the first reply; a reply of another raises ``EndpointUnusable``, and so does an
    endpoint that fails for good: without vectors there is nothing to go on with. Threads may share one.
    """

    def __init__(self, name: str, settings: EmbedderSettings) -> None:
        self._name = name
        self._settings = settings
        self._endpoint = LlmSettings(base_url=settings.base_url, api_key_env=settings.api_key_env)
        self._client = OpenAiClient(self._endpoint)
        self._retries = Retries(self._endpoint.retries)
        self._limits = EndpointLimits(concurrency=_CONCURRENCY)
        self._tokenizer: TextTokenizer | None = None
        self._found_dimension = 0
        self._finding = threading.RLock()

    @property
    def model_id(self) -> str:
        """The name of the model, with its dimensions and prefixes where the settings ask for some."""
        settings = self._settings
        dimensions = f"@{settings.dimensions}" if settings.dimensions else ""
        prefixes = "".join(
            f"|{name}={prefix!r}"
            for name, prefix in (("question", settings.question_prefix), ("passage", settings.passage_prefix))
            if prefix
        )
        return f"openai:{self._name}{dimensions}{prefixes}"

    @property
    def dimension(self) -> int:
        """d, the number of dimensions; asks the endpoint where it is not known yet. Raises ``EndpointUnusable``."""
        with self._finding:
            if not self._found_dimension:
                self._embed([_PROBE])
            return self._found_dimension

    @property
    def token_space(self) -> str:
        """There is none."""
        return NO_TOKENS

    @property
    def token_dimension(self) -> int:
        """There are no token vectors."""
        return 0

    @property
    def max_tokens(self) -> int:
        """What the settings say."""
        return self._settings.max_tokens

    def token_spans(self, text: str) -> list[Span]:
        """Return the character span of each token of ``text``, as the tokenizer of the bundled model cuts it."""
        with self._finding:
            if self._tokenizer is None:
                bundled = bundled_model(_TOKENIZER_OF)
                assert bundled is not None
                path = bundled_model_folder(bundled) / "tokenizer.json"
                self._tokenizer = TextTokenizer.from_file(path, self._settings.max_tokens)
            return self._tokenizer.spans(_sendable(text))

    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:  # noqa: ARG002  # there are none
        """Embed passages, and each of their spans by itself, in the order given; raises ``PassageTooLong``."""
        for passage in passages:
            self._check_length(passage.text)
        texts = [passage.text for passage in passages]
        spans = [passage.text[start:end] for passage in passages for start, end in passage.spans]
        vectors = self._vectors(texts + spans, self._settings.passage_prefix)
        found, start = [], len(texts)
        for passage in passages:
            found.append(vectors[start : start + len(passage.spans)])
            start += len(passage.spans)
        return PassageVectors(passages=vectors[: len(texts)], spans=tuple(found))

    def embed_question(self, question: str) -> FloatVector:
        """Embed a question: (d,), cut at ``max_tokens`` tokens."""
        spans = self.token_spans(question)
        cut = question if len(spans) <= self.max_tokens else question[: spans[self.max_tokens - 1][1]]
        vector: FloatVector = self._vectors([cut], self._settings.question_prefix)[0]
        return vector

    def embed_question_tokens(self, question: str) -> QuestionVectors:
        """Embed a question; it has no tokens."""
        return QuestionVectors(vector=self.embed_question(question), tokens=no_token_vectors())

    def close(self) -> None:
        """Close the connections; the next call opens others."""
        if self._client.is_open:
            wait_for(self._client.close())

    def _check_length(self, text: str) -> None:
        tokens = len(self.token_spans(text))
        if tokens > self.max_tokens:
            raise PassageTooLong(text, tokens, self.max_tokens)

    def _vectors(self, texts: Sequence[str], prefix: str) -> FloatMatrix:
        """Return a unit vector per text, equal texts sent once and empty ones not at all."""
        wanted = list(dict.fromkeys(text for text in texts if text.strip()))
        made = dict(zip(wanted, self._embed([prefix + text for text in wanted]), strict=True)) if wanted else {}
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            if text in made:
                rows[row] = made[text]
        return unit_rows(rows)

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        size = self._settings.batch_size
        try:
            return wait_for(self._embed_all([texts[start : start + size] for start in range(0, len(texts), size)]))
        except ChatFailed as error:
            raise EndpointUnusable(f"no vectors of {self._name!r}: {error}") from error

    async def _embed_all(self, batches: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        calls = [asyncio.ensure_future(self._embed_batch(batch)) for batch in batches]
        try:
            return np.concatenate(await asyncio.gather(*calls))
        except BaseException:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            raise

    async def _embed_batch(self, batch: Sequence[str]) -> NDArray[np.float32]:
        tokens = sum(map(estimated_tokens, batch))

        async def call() -> object:
            async with self._limits.turn(tokens):
                return await self._create(batch)

        return self._checked(await self._retries.run(call), batch)

    async def _create(self, batch: Sequence[str]) -> object:
        from openai import APIError, omit  # noqa: PLC0415  # heavy import, only when used

        from model_clients.chat.endpoint_errors import translated  # noqa: PLC0415  # as above

        client = self._client.here()
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                # As it came: what the package would make of it may be anything.
                response = await client.embeddings.with_raw_response.create(
                    input=[_sendable(text) for text in batch],
                    model=self._name,
                    encoding_format="float",
                    dimensions=self._settings.dimensions or omit,
                )
                return json.loads(response.content)
        except TimeoutError:
            raise EndpointBusy(f"no vectors from {self._client.endpoint.base_url} in time") from None
        except (APIError, ValueError, RecursionError) as error:
            raise translated(error, self._client.endpoint, self._name) from None

    def _checked(self, response: object, batch: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors in the order of the texts. Raises ``EndpointUnusable`` where they are not as expected."""
        where = f"{self._client.endpoint.base_url}, model {self._name!r}"
        try:
            vectors = read_vectors(response, len(batch))
        except WrongVectors as error:
            raise EndpointUnusable(f"{where} {error}") from None
        lengths = set(map(len, vectors))
        expected = self._settings.dimensions or self._found_dimension or max(lengths)
        if lengths != {expected} or not expected:
            raise EndpointUnusable(
                f"{where} sends vectors of {sorted(lengths)} dimensions where {expected} are expected"
            )
        self._found_dimension = expected
        # What is beyond a number of this size becomes infinite.
        with np.errstate(over="ignore"):
            rows = np.array(vectors, dtype=np.float32)
        if not np.isfinite(rows).all():
            raise EndpointUnusable(f"{where} sends vectors that are not numbers")
        return rows


def _sendable(text: str) -> str:
    """Return the text with "?" for each lone surrogate, which cannot be sent; every character keeps its place."""
    return text.encode("utf-8", "replace").decode("utf-8")

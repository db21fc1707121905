"""A sentence-transformers model taken apart: token vectors, pooled vectors and span vectors from one forward pass."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from model_clients.errors import ModelMissing, ModelUnsupported
from model_clients.settings import EmbedderSettings, ModelDtype
from model_clients.text_tokenizer import TextTokenizer

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from tokenizers import Encoding

_BFLOAT16_FLAGS = frozenset({"amx_bf16", "avx512_bf16"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanWeights:
    """Which tokens make up which span: ``rows[i]`` is (spans of text i, its tokens) float32, rows sum to 1 or 0."""

    rows: tuple[NDArray[np.float32], ...]

    def padded(self, length: int) -> NDArray[np.float32]:
        """Return one (texts, most spans, ``length``) array, zeros where there is nothing."""
        most = max((len(matrix) for matrix in self.rows), default=0)
        padded = np.zeros((len(self.rows), most, length), dtype=np.float32)
        for index, matrix in enumerate(self.rows):
            padded[index, : matrix.shape[0], : matrix.shape[1]] = matrix
        return padded


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOutput:
    """What one forward pass over n texts gives, as float32, not yet of unit length.

    ``pooled`` is (n, d), ``spans`` (n, most spans, d), and ``tokens`` (chosen tokens, d), text after text.
    """

    pooled: NDArray[np.float32]
    spans: NDArray[np.float32]
    tokens: NDArray[np.float32]


class TransformerModel:
    """A model whose first module is a transformer and whose second pools its token vectors."""

    def __init__(self, model: "SentenceTransformer", settings: EmbedderSettings) -> None:
        import torch  # noqa: PLC0415  # heavy import, only when used

        self._torch = torch
        self._device = settings.device
        modules = list(model.children())
        self._transformer, self._pooling, self._rest = modules[0], modules[1].float(), [m.float() for m in modules[2:]]
        self._wants_types = "token_type_ids" in model.tokenizer.model_input_names
        self._pad_id = int(model.tokenizer.pad_token_id or 0)
        dimension = model.get_embedding_dimension()
        if dimension is None:
            raise ModelUnsupported(f"the model {settings.model!r} does not tell its dimension; choose another")
        self.dimension = int(dimension)
        self.prompts = {name: prompt for name, prompt in model.prompts.items() if prompt}

    def forward(
        self,
        encodings: Sequence["Encoding"],
        weights: SpanWeights | None = None,
        chosen: Sequence[NDArray[np.int64]] = (),
    ) -> ModelOutput:
        """Return vectors of texts, of the spans that ``weights`` tells of, and of the ``chosen`` tokens of each text.

        One forward pass; padding never changes a vector by more than rounding.
        """
        torch = self._torch
        with torch.inference_mode():
            features = self._transformer(self._features(encodings))
            # Pooling and scaling in float32: bfloat16 has 8 bits, too few for a sum over 250 tokens.
            tokens = features["token_embeddings"].float()
            features["token_embeddings"] = tokens
            return ModelOutput(
                pooled=self._finish(self._pooling(features)),
                spans=self._spans(tokens, weights),
                tokens=self._tokens(tokens, chosen),
            )

    def _spans(self, tokens: "torch.Tensor", weights: SpanWeights | None) -> NDArray[np.float32]:
        if weights is None:
            return np.zeros((len(tokens), 0, self.dimension), dtype=np.float32)
        rows = self._torch.from_numpy(weights.padded(tokens.shape[1])).to(self._device)
        spans = self._torch.bmm(rows, tokens)
        flat = self._finish({"sentence_embedding": spans.reshape(-1, spans.shape[2])})
        return flat.reshape(spans.shape[0], spans.shape[1], flat.shape[-1])

    def _tokens(self, tokens: "torch.Tensor", chosen: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
        length = tokens.shape[1]
        places = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(text * length + indices for text, indices in enumerate(chosen))]
        )
        if not places.size:
            return np.zeros((0, self.dimension), dtype=np.float32)
        rows = self._torch.from_numpy(places).to(self._device)
        return self._finish({"sentence_embedding": tokens.reshape(-1, tokens.shape[2]).index_select(0, rows)})

    def _features(self, encodings: Sequence["Encoding"]) -> dict[str, "torch.Tensor"]:
        length = max(len(encoding) for encoding in encodings)
        ids = np.full((len(encodings), length), self._pad_id, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding)] = encoding.ids
            mask[row, : len(encoding)] = 1
        arrays = {"input_ids": ids, "attention_mask": mask}
        if self._wants_types:
            arrays["token_type_ids"] = np.zeros_like(ids)
        return {name: self._torch.from_numpy(array).to(self._device) for name, array in arrays.items()}

    def _finish(self, features: dict[str, Any]) -> NDArray[np.float32]:
        """Pass pooled vectors through what follows the pooling (a projection, scaling)."""
        for module in self._rest:
            features = module(features)
        vectors: NDArray[np.float32] = features["sentence_embedding"].float().cpu().numpy()
        return vectors


def load_transformer(settings: EmbedderSettings, folder: Path | None) -> tuple[TransformerModel, TextTokenizer]:
    """Load the model in ``folder``, or by its name where ``folder`` is None; only then is the network asked.

    Raises ``ModelMissing`` where it cannot be loaded, ``ModelUnsupported`` where it lacks token vectors or offsets.
    """
    import torch  # noqa: PLC0415  # heavy import, only when used
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # heavy import, only when used

    if settings.threads:
        torch.set_num_threads(settings.threads)
    dtype = torch.bfloat16 if uses_bfloat16(settings.dtype, settings.device) else torch.float32
    with quiet_loading():
        try:
            model = SentenceTransformer(
                settings.model if folder is None else str(folder),
                device=settings.device,
                revision=settings.revision or None,
                local_files_only=folder is not None,
                model_kwargs={"dtype": dtype},
            )
        except (OSError, ValueError) as error:
            raise ModelMissing(
                f"the embedding model {settings.model!r} cannot be loaded ({error}); give the name of a "
                "sentence-transformers model that can be reached, a folder, or bundled:all-MiniLM-L6-v2"
            ) from error
    model.eval()
    tokenizer = _tokenizer_of(model, settings.model)
    return TransformerModel(model, settings), tokenizer


def _tokenizer_of(model: "SentenceTransformer", name: str) -> TextTokenizer:
    modules = list(model.children())
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if len(modules) < 2 or not hasattr(modules[0], "auto_model") or backend is None or not model.max_seq_length:
        raise ModelUnsupported(
            f"the embedding model {name!r} gives no token vectors with character offsets; "
            "choose one made of a transformer with a fast tokenizer and a pooling layer"
        )
    return TextTokenizer(backend, int(model.max_seq_length))


def uses_bfloat16(dtype: ModelDtype, device: str) -> bool:
    """Tell whether a model is to run in bfloat16; ``auto`` asks the processor (Linux; elsewhere float32)."""
    if dtype != "auto":
        return dtype == "bfloat16"
    return device == "cpu" and bool(_BFLOAT16_FLAGS & _cpu_flags())


def _cpu_flags() -> frozenset[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return frozenset()
    return next((frozenset(line.split()) for line in lines if line.startswith("flags")), frozenset())


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Keep progress bars, log lines and warnings of the libraries off the user's terminal while a model loads."""
    from transformers.utils import logging as transformers_logging  # noqa: PLC0415  # heavy import, only when used

    loggers = [logging.getLogger(name) for name in ("sentence_transformers", "transformers")]
    levels = [logger.level for logger in loggers]
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # untyped library
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)

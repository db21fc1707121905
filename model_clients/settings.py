"""Settings of the model clients."""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge, Interval

ModelDtype: TypeAlias = Literal["auto", "float32", "bfloat16"]
TokenVectorKind: TypeAlias = Literal["projected", "full", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """Which embedding model is used, and how."""

    model: str = "bundled:all-MiniLM-L6-v2"
    """``bundled:NAME`` for a model in an installed package, ``openai:NAME`` for one behind an endpoint of OpenAI's
    protocol, else a sentence-transformers hub name or a folder."""
    revision: str = ""
    """Commit or tag of a hub model; empty for its main branch."""
    question_prefix: str = ""
    """Stands before every question; empty for what the model is known to want."""
    passage_prefix: str = ""
    """Stands before every passage; empty for what the model is known to want."""
    dtype: ModelDtype = "auto"
    """``auto`` is bfloat16 where the processor multiplies bfloat16 matrices itself, float32 elsewhere."""
    device: str = "cpu"
    """The torch device that the model runs on."""
    batch_size: Annotated[int, Ge(1)] = 32
    """Passages per forward pass."""
    threads: Annotated[int, Ge(0)] = 0
    """Threads of one forward pass; 0 for torch's own choice."""
    token_vectors: TokenVectorKind = "projected"
    """Vectors of single tokens: ``projected`` to 64 dimensions (a model without projection: ``full``), or ``none``."""
    base_url: str = ""
    """Address of the endpoint of ``openai:NAME``; empty for OPENAI_BASE_URL, else OpenAI itself."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key of that endpoint."""
    dimensions: Annotated[int, Ge(0)] = 0
    """Dimensions that ``openai:NAME`` is asked for; 0 for as many as it has."""
    max_tokens: Annotated[int, Interval(ge=16, le=32_768)] = 512
    """Most tokens of a passage for ``openai:NAME``, as the bundled tokenizer counts; others know it themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerSettings:
    """Which cross-encoder judges the best passages once more, if any."""

    model: str = ""
    """A cross-encoder's hub name or folder (one label); ``overlap`` for shared words alone; empty for no reranking."""
    revision: str = ""
    """Commit or tag of a hub model; empty for its main branch."""
    device: str = "cpu"
    """The torch device that the model runs on."""
    batch_size: Annotated[int, Ge(1)] = 16
    """Pairs of question and passage per forward pass."""
    max_length: Annotated[int, Interval(ge=16, le=32_768)] = 512
    """Tokens read of a pair; what is longer is cut at the end of the passage."""

"""A tokenizer as an embedder needs it: character spans, exact lengths, nothing cut unless asked for."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from model_clients.embedder import Span

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


class TextTokenizer:
    """Wraps a ``tokenizers.Tokenizer`` for a model that reads ``sequence_tokens`` tokens, special tokens included.

    Special tokens that are spelt out in a text ("[SEP]") are read as ordinary text: documents must not steer the model.
    """

    def __init__(self, tokenizer: "Tokenizer", sequence_tokens: int) -> None:
        self.sequence_tokens = sequence_tokens
        self._whole = _copy(tokenizer)
        self._cut = _copy(tokenizer)
        self._cut.enable_truncation(max_length=sequence_tokens)

    @classmethod
    def from_file(cls, path: Path, sequence_tokens: int) -> "TextTokenizer":
        """Read a ``tokenizer.json``."""
        # Threads inside the tokenizer save little, and print a warning wherever the process forks afterwards.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from tokenizers import Tokenizer  # noqa: PLC0415  # heavy import, only when used

        return cls(Tokenizer.from_file(str(path)), sequence_tokens)

    @property
    def special_tokens(self) -> int:
        """The number of special tokens around a text."""
        return int(self._whole.num_special_tokens_to_add(is_pair=False))

    def spans(self, text: str) -> list[Span]:
        """Return the character span of each token of ``text``, in order, without special tokens."""
        return list(self._whole.encode(text, add_special_tokens=False).offsets)

    def encode(self, texts: Sequence[str]) -> list["Encoding"]:
        """Encode texts with special tokens, at whatever length they have."""
        return list(self._whole.encode_batch(list(texts)))

    def encode_cut(self, text: str) -> "Encoding":
        """Encode a text with special tokens, cut at the length that the model reads."""
        return self._cut.encode(text)


def _copy(tokenizer: "Tokenizer") -> "Tokenizer":
    copy = type(tokenizer).from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    copy.encode_special_tokens = True
    return copy

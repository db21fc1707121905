"""Errors of the model clients.

ModelClientError
├── ModelUnusable        the user can do something about it: install, reinstall, choose another model
│   ├── ModelMissing
│   ├── ModelCorrupt
│   └── ModelUnsupported
└── PassageTooLong       a passage has more tokens than the model reads: an error of whoever cut the passage
"""


class ModelClientError(Exception):
    """Root of what model clients raise. The message says what failed, the value, and what to do."""


class ModelUnusable(ModelClientError):
    """The configured model cannot be used as it is; the user can mend it."""


class ModelMissing(ModelUnusable):
    """The model, or the package that carries it, is not installed or cannot be loaded."""


class ModelCorrupt(ModelUnusable):
    """The weights are not the ones that were published."""


class ModelUnsupported(ModelUnusable):
    """The model lacks something that is needed, such as a tokenizer that reports offsets."""


class PassageTooLong(ModelClientError):
    """A passage has more tokens than the model reads. Nothing is cut off silently."""

    def __init__(self, text: str, tokens: int, limit: int) -> None:
        super().__init__(
            f"passage of {tokens} tokens, but the model reads {limit}: {text[:80]!r}...; cut it into smaller chunks"
        )
        self.text = text
        self.tokens = tokens
        self.limit = limit

"""Errors of loading.

LoadingError
├── SourceMissing      a path given by the user does not exist
├── LoadError          one source cannot be read; the others can
└── UnreadableSource   the same, said by a parser that does not know the source's name; never leaves this folder
"""


class LoadingError(Exception):
    """Root of what loading raises. The message says what failed, the value, and what to do."""


class SourceMissing(LoadingError):
    """A path given by the user does not exist."""


class LoadError(LoadingError):
    """One source cannot be read.

    ``uri`` names the source (the file, or ``FILE#ROW`` for a row), ``sentence`` says why and what to do.
    """

    def __init__(self, uri: str, sentence: str) -> None:
        super().__init__(f"{uri!r} cannot be read: {sentence}")
        self.uri = uri
        self.sentence = sentence


class UnreadableSource(LoadingError):
    """A parser cannot read a source; the message is one sentence for the user, without the source's name."""

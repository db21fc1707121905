"""Answers questions about a collection of documents, with the source of every sentence."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from belvedere.knowledge_base import KnowledgeBase
    from belvedere.settings import Settings

__version__ = "0.1.0"

__all__ = ["KnowledgeBase", "Settings", "__version__"]

_HOME = {"KnowledgeBase": "belvedere.knowledge_base", "Settings": "belvedere.settings"}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that importing the package alone costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)

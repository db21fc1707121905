"""A question on its way through the engine."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graph_store.access import Access
from graph_store.filters import CURRENT, Filters, Versions
from model_clients.embedder import FloatVector, TokenVectors
from query.question import Question

RouteChoice: TypeAlias = Literal["auto", "local", "community", "tree"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Who asks, by which route, for how many results (None: as the settings say), within which documents and which
    versions of them.
    """

    route: RouteChoice = "auto"
    k: int | None = None
    filters: Filters = ()
    versions: Versions = CURRENT
    access: Access = field(default_factory=Access)

    def __post_init__(self) -> None:
        """Refuse a number of results below 1."""
        if self.k is not None and self.k < 1:
            raise ValueError(f"cannot return {self.k!r} results: k must be 1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An analysed question with its vector ((d,), unit length), its token vectors, and the caller's limits.

    ``filters`` hold which versions of documents count, too, where that makes a difference.
    """

    question: Question
    vector: FloatVector
    tokens: TokenVectors
    access: Access
    filters: Filters
    k: int

"""A question on its way through the engine."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graph_store.access import Access
from graph_store.filters import CURRENT, Filters, Versions
from model_clients.embedder import FloatVector, TokenVectors
from query.question import Question

RouteChoice: TypeAlias = Literal["auto", "local", "community", "tree"]

Transformation: TypeAlias = Literal["rewrite", "multi_query", "hyde", "step_back", "decompose", "iterative"]
"""How a language model makes further searches of a question: the question in the words of documents, in several other
words, a passage that might answer it, the more general question behind it, the questions it is made of, or what is
still missing after what was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherSearch:
    """A text that is searched for beside the question; its findings are fused with those of the question by rank."""

    transformation: Transformation
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Who asks, by which route, for how many results (None: as the settings say), within which documents and which
    versions of them. ``further`` is searched for as well, on the local route. ``asked_from`` are the ids of the
    documents whose words may be in the question, where it was understood from earlier answers.
    """

    route: RouteChoice = "auto"
    k: int | None = None
    filters: Filters = ()
    versions: Versions = CURRENT
    access: Access = field(default_factory=Access)
    further: tuple[FurtherSearch, ...] = ()
    asked_from: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a number of results below 1."""
        if self.k is not None and self.k < 1:
            raise ValueError(f"cannot return {self.k!r} results: k must be 1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An analysed question with its vector ((d,), unit length), its token vectors, and the caller's limits.

    ``filters`` hold which versions of documents count, too, where that makes a difference. ``further`` are the other
    searches that are fused with this one, with the same limits.
    """

    question: Question
    vector: FloatVector
    tokens: TokenVectors
    access: Access
    filters: Filters
    k: int
    further: tuple["Request", ...] = ()

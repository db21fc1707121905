"""What asking and searching return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graph_store.records import SearchKind
from model_clients.chat.messages import TokenUsage
from query.chain_ranking.chains import ChainStep
from query.request import FurtherSearch

Route: TypeAlias = Literal["local", "community", "tree"]

ShortAnswerKind: TypeAlias = Literal["person", "place", "date", "number", "thing", "choice", "yes_no"]
"""A span by what was asked for; one of the two things that a question compares; or yes or no."""

NOT_FOUND = "Not found in the documents."


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedResult:
    """One result of a search, rank from 1. ``score`` is what ordered the ranking in the end: among results of one kind
    it never rises with the rank, and compares with nothing outside this search (:mod:`query.final_scores`).

    ``document_id`` and ``title`` are those of the chunk's document; for reports and for tree nodes across documents
    ``document_id`` is empty and ``title`` is their own. ``signals`` tells what spoke for the result: scores ("bm25",
    "dense", "ppr", "chain": log odds) and ranks within each list ("bm25_rank", ...), where it was in that list at all.
    ``chain`` is how other passages led to a passage, itself last; empty where none did. ``duplicates`` are the ids of
    readable passages that say nearly the same, and are no results of their own. ``made_by`` tells who put a report or
    tree node in words: "extractive", for passages too, or "llm:MODEL".
    """

    rank: int
    kind: SearchKind
    id: str
    document_id: str
    title: str
    score: float
    signals: Mapping[str, float]
    text: str
    chain: tuple[ChainStep, ...] = ()
    duplicates: tuple[str, ...] = ()
    made_by: str = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A quotation behind the mark ``[number]`` of an answer.

    ``quote`` is ``document_text[char_start:char_end]`` of the cleaned text of the document.
    """

    number: int
    chunk_id: str
    document_id: str
    title: str
    source_uri: str
    heading_path: tuple[str, ...]
    page: int | None
    quote: str
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortAnswer:
    """What was asked for in a few words: a span of the cited sentences, or what they decide ("yes", one of two names).

    ``citations`` are the numbers of the citations it rests on; ``confidence`` is the probability, 0 to 1, that it is
    right, by the questions that the choice was trained on.
    """

    text: str
    kind: ShortAnswerKind
    citations: tuple[int, ...]
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage that was weighed for the answer. ``cosine`` is its nearness to the question; ``weak`` where the answer
    abstained, or says that what is asked for is not there: then it is shown as the nearest thing found.
    """

    chunk_id: str
    document_id: str
    title: str
    cosine: float
    weak: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """How an answer came about, for explaining it.

    ``route_scores`` are the router's probabilities, empty where the caller chose the route. ``support`` is the
    probability that the documents answer the question, ``support_needed`` the threshold; ``chain_trust`` how far chains
    of passages were trusted beside the plain searches, 0 to 1; all None on global routes.
    """

    route_scores: Mapping[Route, float] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    chain_trust: float | None = None
    support: float | None = None
    support_needed: float | None = None
    support_features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOutcome:
    """Results of a search, best first, with the route that found them."""

    question: str
    route: Route
    route_reason: str
    results: tuple[RankedResult, ...]
    timings_ms: Mapping[str, float]
    trace: Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmUse:
    """What language models did for an answer.

    ``model`` is the one that answers; ``fell_back`` says why the answer is not its own, empty where it is.
    ``dropped`` counts the sentences that were not believed, by reason; ``unsupported`` are those that are shown all the
    same, marked as such. ``searches`` are the further searches that were made, without texts that only search with.
    ``trouble`` are failures that the answer could do without, one sentence each.
    """

    model: str = ""
    fell_back: str = ""
    dropped: Mapping[str, int] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()
    searches: tuple[FurtherSearch, ...] = ()
    trouble: tuple[str, ...] = ()
    usage: TokenUsage = field(default_factory=TokenUsage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with its verified citations.

    ``answer`` carries marks ``[n]``; every mark has its citation and every citation its mark. Where ``abstained``,
    it says that nothing was found, and there are no citations. ``tokens`` estimates, at four characters a token, the
    context that was weighed ("context") and the answer ("answer"). ``short_answer`` is the first line of the
    answer where the documents tell it in a few words, else None. ``asked_as`` is the question as it was understood
    from the conversation before it, where that is another, maybe with words of the documents ``asked_from``; ``llm`` is
    None where no language model had a part.
    """

    question: str
    answer: str
    abstained: bool
    route: Route
    route_reason: str
    made_by: str
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    results: tuple[RankedResult, ...]
    timings_ms: Mapping[str, float]
    tokens: Mapping[str, int]
    trace: Trace
    short_answer: ShortAnswer | None = None
    asked_as: str = ""
    asked_from: tuple[str, ...] = ()
    llm: LlmUse | None = None

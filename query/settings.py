"""Settings of question answering; the only place where a default stands."""

from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from annotated_types import Ge, Gt, Interval

from query.chain_ranking.settings import ChainSettings
from query.conversation.settings import ConversationSettings
from query.llm_answers.settings import LlmAnswerSettings
from query.packing.settings import PackingSettings
from query.transformations.settings import TransformationSettings

Count: TypeAlias = Annotated[int, Ge(1)]
CountOrNone: TypeAlias = Annotated[int, Ge(0)]
Share: TypeAlias = Annotated[float, Interval(ge=0, le=1)]
Cosine: TypeAlias = Annotated[float, Interval(ge=-1, le=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkBounds:
    """How much of names and passage graph is read: all in small collections, what a question meets in others."""

    whole_graph: CountOrNone = 20_000
    """Up to this many readable passages, all names and edges are read once, and kept until documents change."""
    hops: Count = 2
    """Beyond that, how many times for a question the edges of passages that the walk has reached are looked up."""
    passages: Count = 200
    """The edges of at most this many passages are looked up at once: of those that hold most mass."""
    edges: Count = 100
    """At most this many edges of each passage are followed, the strongest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """Search of passages: keywords, vectors, and the walk over the passage graph."""

    candidates: Count = 100
    """How many hits the keyword search and the vector search each contribute."""
    restart_ranks: Count = 20
    """The walk starts from this many best hits of the fused list."""
    restart_spread: Annotated[float, Gt(0)] = 1.0
    """A hit whose fused score (a sum of two standard scores) lies this much below the best starts with 1/e its mass."""
    home_restart: Annotated[float, Ge(0)] = 0.75
    """Mass of each home passage of a name in the question at the start of the walk; the best hit has 1."""
    most_homes: CountOrNone = 3
    """A name with more home passages than this is ambiguous and starts no walk."""
    shortest_name: Count = 4
    """Names of fewer characters are not looked up."""
    damping: Annotated[float, Interval(gt=0, lt=1)] = 0.5
    """Share of the mass that follows edges at each step; the rest returns to the start."""
    damping_without_names: Annotated[float, Interval(gt=0, lt=1)] = 0.2
    """The same where the question has no name with a home passage: then the found passages matter more than edges."""
    steps: Count = 20
    """Steps of the walk."""
    bounds: WalkBounds = field(default_factory=WalkBounds)
    """What the walk reads of the passage graph."""
    rarest_code: CountOrNone = 5
    """Passages with the exact identifier of the question come first where at most this many have it."""
    chains: ChainSettings = field(default_factory=ChainSettings)
    """Ranking by chains of passages, after the walk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSettings:
    """When texts are about the subject of a question, so that a digest of them answers it."""

    clear_cosine: Cosine = 0.45
    """A text as near to the question as this is about its subject, whatever its words."""
    collection_cosine: Cosine = 0.2
    """As near as this is enough for a question that speaks of the documents together, where they have a word of it."""
    wordless_cosine: Cosine = 0.38
    """The same where no text has any word of its subject."""
    least_cosine: Cosine
    """Where no text is as near as this, none is about the subject, whatever its words."""
    least_words: Share
    """Between the two, the texts must hold this share of the subject's words, by rarity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunitySettings:
    """Search of community reports, and the digest of themes made from them."""

    candidates: Count = 40
    """How many reports the keyword search and the vector search each contribute."""
    themes: Count = 8
    """At most this many themes are told."""
    sentences_per_theme: Count = 2
    """Sentences told of each theme."""
    share_of_best: Share = 0.5
    """Reports below this share of the best cosine are left out."""
    passages: Count = 60
    """How many passages the keyword search and the vector search each contribute for points on a subject."""
    points: Count = 10
    """At most this many points are told of a subject, each of another document where there are so many."""
    point_share_of_best: Share = 0.6
    """Points below this share of the best one's cosine are left out."""
    topic: TopicSettings = field(default_factory=lambda: TopicSettings(least_cosine=0.25, least_words=0.25))
    """Questions about themes are put in general words: few of them need stand in the reports or passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySettings:
    """Search of summary trees, and the digest made from their nodes."""

    candidates: Count = 40
    """How many nodes the keyword search and the vector search each contribute."""
    nodes: Count = 5
    """At most this many documents and nodes are told where the question names no document."""
    sentences: Count = 6
    """Sentences of the summary of one document."""
    sentences_per_node: Count = 2
    """Sentences told of each node where several are."""
    title_share: Share = 0.6
    """A document is named by the question where this share of its title's words, by rarity, stands in it."""
    share_of_best: Share = 0.6
    """Sentences below this share of the best sentence's cosine are left out where the question has a subject."""
    topic: TopicSettings = field(default_factory=lambda: TopicSettings(least_cosine=0.1, least_words=0.5))
    """A summary is asked for by the words of its subject: half of them must stand in the nodes and passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """Choice of the sentences that answer, and when to say that nothing was found."""

    results: Count = 10
    """Results returned where the caller does not say how many."""
    passages: Count = 10
    """Sentences are chosen from this many best passages."""
    most_sentences: Count = 4
    """At most this many sentences answer a local question."""
    least_gain: Share = 0.06
    """A further sentence must cover at least this share more of the question's words, by rarity."""
    abstention_margin: Annotated[float, Interval(ge=-1, le=1)] = 0.0
    """Added to the trained threshold of support (0 to 1): above 0 says "not found" more often, below 0 less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterSettings:
    """Choice of the route by ``auto``."""

    confident: Share = 0.6
    """Below this probability of the best global route the question stays local, with summaries as further results."""
    extra_results: CountOrNone = 3
    """How many reports and tree nodes, together, are appended where the router is undecided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """Reranking of the local route's best passages, where ``reranker.model`` names a cross-encoder."""

    candidates: Annotated[int, Interval(ge=10, le=200)] = 50
    """So many best passages are judged."""
    weight: Share = 0.6
    """Share of the cross-encoder beside the order before, times 1 - trust where chains of passages are trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversitySettings:
    """How alike the results of a search on the local route may be."""

    collapse: bool = True
    """Near-duplicates become one result, which names the others."""
    duplicate_cosine: Cosine = 0.95
    """Passages nearer than this may be near-duplicates,"""
    duplicate_shingles: Share = 0.8
    """and are where they share so much of their runs of five words (Jaccard), and every number."""
    mmr_lambda: Share = 1.0
    """Maximal marginal relevance: share of the rank beside unlikeness to results before; 1 changes no order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySettings:
    """All settings of question answering."""

    local: LocalSettings = field(default_factory=LocalSettings)
    community: CommunitySettings = field(default_factory=CommunitySettings)
    summary: SummarySettings = field(default_factory=SummarySettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    router: RouterSettings = field(default_factory=RouterSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    diversity: DiversitySettings = field(default_factory=DiversitySettings)
    packing: PackingSettings = field(default_factory=PackingSettings)
    llm_answer: LlmAnswerSettings = field(default_factory=LlmAnswerSettings)
    transformation: TransformationSettings = field(default_factory=TransformationSettings)
    conversation: ConversationSettings = field(default_factory=ConversationSettings)

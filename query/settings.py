"""Settings of question answering; the only place where a default stands."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """Search of passages: keywords, vectors, and the walk over the passage graph."""

    candidates: int = 100
    """How many hits the keyword search and the vector search each contribute."""
    restart_ranks: int = 20
    """The walk starts from this many best hits of the fused list."""
    restart_spread: float = 1.0
    """A hit whose fused score (a sum of two standard scores) lies this much below the best starts with 1/e its mass."""
    home_restart: float = 0.75
    """Mass of each home passage of a name in the question at the start of the walk; the best hit has 1."""
    most_homes: int = 3
    """A name with more home passages than this is ambiguous and starts no walk."""
    shortest_name: int = 4
    """Names of fewer characters are not looked up."""
    damping: float = 0.5
    """Share of the mass that follows edges at each step; the rest returns to the start."""
    damping_without_names: float = 0.2
    """The same where the question has no name with a home passage: then the found passages matter more than edges."""
    steps: int = 20
    """Steps of the walk."""
    rarest_code: int = 5
    """Passages with the exact identifier of the question come first where at most this many have it."""

    def __post_init__(self) -> None:
        """Refuse a spread that divides by nothing."""
        if self.restart_spread <= 0:
            raise ValueError(f"local setting restart_spread is {self.restart_spread!r}; give more than 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSettings:
    """When texts are about the subject of a question, so that a digest of them answers it."""

    clear_cosine: float = 0.45
    """A text as near to the question as this is about its subject, whatever its words."""
    collection_cosine: float = 0.2
    """As near as this is enough for a question that speaks of the documents together."""
    least_cosine: float
    """Where no text is as near as this, none is about the subject, whatever its words."""
    least_words: float
    """Between the two, the texts must hold this share of the subject's words, by rarity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunitySettings:
    """Search of community reports, and the digest of themes made from them."""

    candidates: int = 40
    """How many reports the keyword search and the vector search each contribute."""
    themes: int = 8
    """At most this many themes are told."""
    sentences_per_theme: int = 2
    """Sentences told of each theme."""
    share_of_best: float = 0.5
    """Reports below this share of the best cosine are left out."""
    passages: int = 60
    """How many passages the keyword search and the vector search each contribute for points on a subject."""
    points: int = 10
    """At most this many points are told of a subject, each of another document where there are so many."""
    point_share_of_best: float = 0.6
    """Points below this share of the best one's cosine are left out."""
    topic: TopicSettings = field(default_factory=lambda: TopicSettings(least_cosine=0.25, least_words=0.25))
    """Questions about themes are put in general words: few of them need stand in the reports or passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySettings:
    """Search of summary trees, and the digest made from their nodes."""

    candidates: int = 40
    """How many nodes the keyword search and the vector search each contribute."""
    nodes: int = 5
    """At most this many documents and nodes are told where the question names no document."""
    sentences: int = 6
    """Sentences of the summary of one document."""
    sentences_per_node: int = 2
    """Sentences told of each node where several are."""
    title_share: float = 0.6
    """A document is named by the question where this share of its title's words, by rarity, stands in it."""
    share_of_best: float = 0.6
    """Sentences below this share of the best sentence's cosine are left out where the question has a subject."""
    topic: TopicSettings = field(default_factory=lambda: TopicSettings(least_cosine=0.1, least_words=0.5))
    """A summary is asked for by the words of its subject: half of them must stand in the nodes and passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """Choice of the sentences that answer, and when to say that nothing was found."""

    results: int = 10
    """Results returned where the caller does not say how many."""
    passages: int = 10
    """Sentences are chosen from this many best passages."""
    most_sentences: int = 4
    """At most this many sentences answer a local question."""
    least_gain: float = 0.06
    """A further sentence must cover at least this share more of the question's words, by rarity."""
    abstention_margin: float = 0.0
    """Added to the trained threshold of support (0 to 1): above 0 says "not found" more often, below 0 less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterSettings:
    """Choice of the route by ``auto``."""

    confident: float = 0.6
    """Below this probability of the best global route the question stays local, with summaries as further results."""
    extra_results: int = 3
    """How many reports and tree nodes, together, are appended where the router is undecided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySettings:
    """All settings of question answering."""

    local: LocalSettings = field(default_factory=LocalSettings)
    community: CommunitySettings = field(default_factory=CommunitySettings)
    summary: SummarySettings = field(default_factory=SummarySettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    router: RouterSettings = field(default_factory=RouterSettings)

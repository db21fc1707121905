"""Settings of the summary trees."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from annotated_types import Ge, Interval

Count: TypeAlias = Annotated[int, Ge(1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettings:
    """How chunks are clustered into trees, and how long the summaries are."""

    cluster_size: Annotated[int, Ge(2)] = 8
    """Children that a node aims at; the steps of a tree are evened out around it, up to twice as many."""

    max_levels: Count = 5
    """Levels within a document, and again across documents; what is still apart there goes under one root."""

    max_summary_sentences: Count = 6
    """Sentences of a summary; a short text gets fewer (a quarter of its sentences)."""

    position_weight: Annotated[float, Ge(0)] = 0.5
    """How much the order of a document counts within it: chunks one cluster size apart are this far apart in space."""

    title_phrases: Count = 4
    """Key phrases in the title of a node that has neither a heading nor a theme of its own."""

    seed: Annotated[int, Interval(ge=0, le=2**32 - 1)] = 0
    """Seed of k-means."""

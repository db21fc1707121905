"""Settings of the summary trees."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettings:
    """How chunks are clustered into trees, and how long the summaries are."""

    cluster_size: int = 8
    """Children that a node aims at; the steps of a tree are evened out around it, up to twice as many."""

    max_levels: int = 5
    """Levels within a document, and again across documents; what is still apart there goes under one root."""

    max_summary_sentences: int = 6
    """Sentences of a summary; a short text gets fewer (a quarter of its sentences)."""

    position_weight: float = 0.5
    """How much the order of a document counts within it: chunks one cluster size apart are this far apart in space."""

    title_phrases: int = 4
    """Key phrases in the title of a node that has neither a heading nor a theme of its own."""

    seed: int = 0
    """Seed of k-means."""

    def __post_init__(self) -> None:
        """Refuse sizes that no tree can be built with."""
        for name, least in (("cluster_size", 2), ("max_levels", 1), ("max_summary_sentences", 1), ("title_phrases", 1)):
            value = getattr(self, name)
            if value < least:
                raise ValueError(f"tree setting {name} is {value!r}; give {least} or more")

"""Settings of communities and their reports."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunitySettings:
    """How entities are linked, how the graph is partitioned, and how long the reports are."""

    sentence_weight: float = 1.0
    """Weight that one sentence hands out for the entities it names together."""

    chunk_weight: float = 0.25
    """The same for a chunk: names further apart have less to do with each other."""

    home_weight: float = 0.5
    """Weight of the edge between what a chunk is about and each name in it."""

    relation_weight: float = 1.0
    """Weight of the edge for each sentence that states a relation."""

    resolution: float = 1.0
    """Leiden's resolution: higher gives more and smaller communities."""

    max_cluster_size: int = 40
    """Entities above which a community is partitioned again."""

    top_communities: int = 8
    """Communities that the top level aims at, so that it can be read at a glance; it has at most half as many more."""

    evidence_share: float = 0.25
    """Share of a chunk's votes that a community needs to count the chunk as evidence; the strongest always does."""

    attach_cosine: float = 0.35
    """Likeness to a community above which it takes in an entity that no edge leads to, where no other text is told."""

    max_report_sentences: int = 6
    """Sentences of a report; a short text gets fewer (a quarter of its sentences)."""

    key_entities: int = 8
    """Entities that a report names as its key entities."""

    key_relations: int = 10
    """Relations that a report names as its key relations."""

    seed: int = 0
    """Seed of Leiden and of k-means."""

    def __post_init__(self) -> None:
        """Refuse values that no community can be made with."""
        for name, least in (("max_cluster_size", 2), ("top_communities", 1), ("max_report_sentences", 1), ("seed", 0)):
            value = getattr(self, name)
            if value < least:
                raise ValueError(f"community setting {name} is {value!r}; give {least} or more")
        if self.resolution <= 0:
            raise ValueError(f"community setting resolution is {self.resolution!r}; give more than 0")

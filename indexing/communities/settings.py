"""Settings of communities and their reports."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from annotated_types import Ge, Gt, Interval

Count: TypeAlias = Annotated[int, Ge(1)]
Weight: TypeAlias = Annotated[float, Ge(0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunitySettings:
    """How entities are linked, how the graph is partitioned, and how long the reports are."""

    sentence_weight: Weight = 1.0
    """Weight that one sentence hands out for the entities it names together."""

    chunk_weight: Weight = 0.25
    """The same for a chunk: names further apart have less to do with each other."""

    home_weight: Weight = 0.5
    """Weight of the edge between what a chunk is about and each name in it."""

    relation_weight: Weight = 1.0
    """Weight of the edge for each sentence that states a relation."""

    resolution: Annotated[float, Gt(0)] = 1.0
    """Leiden's resolution: higher gives more and smaller communities."""

    max_cluster_size: Annotated[int, Ge(2)] = 40
    """Entities above which a community is partitioned again."""

    top_communities: Count = 8
    """Communities that the top level aims at, so that it can be read at a glance; it has at most half as many more."""

    evidence_share: Annotated[float, Interval(ge=0, le=1)] = 0.25
    """Share of a chunk's votes that a community needs to count the chunk as evidence; the strongest always does."""

    attach_cosine: Annotated[float, Interval(ge=-1, le=1)] = 0.35
    """Likeness to a community above which it takes in an entity that no edge leads to, where no other text is told."""

    max_report_sentences: Count = 6
    """Sentences of a report; a short text gets fewer (a quarter of its sentences)."""

    key_entities: Annotated[int, Ge(0)] = 8
    """Entities that a report names as its key entities."""

    key_relations: Annotated[int, Ge(0)] = 10
    """Relations that a report names as its key relations."""

    seed: Annotated[int, Interval(ge=0, le=2**32 - 1)] = 0
    """Seed of Leiden and of k-means."""

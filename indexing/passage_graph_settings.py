"""Settings of the passage graph."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from annotated_types import Ge, Interval

Count: TypeAlias = Annotated[int, Ge(1)]
Weight: TypeAlias = Annotated[float, Ge(0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """Which chunks lead to which, and how strongly."""

    home_weight: Weight = 1.0
    """Weight of the edge from a chunk to the chunk whose title or heading is a name it mentions."""
    told_home_weight: Weight = 0.3
    """Weight of the edge to a chunk that only its own sentences show to be about a name."""
    reverse_share: Annotated[float, Interval(ge=0, le=1)] = 0.5
    """Share of these weights that the same edge has backwards."""
    max_homes: Annotated[int, Ge(0)] = 3
    """Names with home passages in more documents than this say too little to be followed."""
    min_name_length: Count = 5
    """Shortest name, in characters of its normal form, that is looked for in texts."""
    max_name_words: Count = 8
    """Longest name, in words, that is looked for in texts."""
    entity_weight: Weight = 0.6
    """What an entity gives to the edges of each chunk that mentions it, shared among the other chunks that do."""
    max_entity_chunks: Annotated[int, Ge(0)] = 30
    """Entities in more chunks than this join too much to mean anything."""
    neighbour_weight: Weight = 0.1
    """Weight of the edge between chunks that follow each other in one document."""

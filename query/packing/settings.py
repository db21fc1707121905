"""Settings of packed contexts; the only place where a default stands."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PackingSettings:
    """What is handed to a reader, a person or a language model, that may read so many tokens."""

    budget: Annotated[int, Interval(ge=1, le=1_000_000)] = 3000
    """Tokens of the embedding model's tokenizer, all of the packed text counted, where the caller gives no number."""
    passages: Annotated[int, Interval(ge=1, le=200)] = 30
    """Sentences are packed from this many best passages, reports or summaries."""
    grown: Annotated[int, Interval(ge=0, le=50)] = 5
    """So many best passages are read on in the larger span (parent) that they belong to, where there is room."""
    rank_loss: Annotated[float, Ge(0)] = 0.3
    """What a sentence loses of its worth for each e-fold of its passage's rank; cosine and coverage weigh about 1."""
    repeat_loss: Annotated[float, Ge(0)] = 0.6
    """What a sentence loses for each e-fold of its place among the sentences of its passage, best first."""
    bridge_gain: Annotated[float, Ge(0)] = 0.5
    """What the sentence gains that leads from one passage of a trusted chain to the next."""
    neighbour_loss: Annotated[float, Ge(0)] = 0.5
    """What a sentence beside a found passage loses for not standing in it."""

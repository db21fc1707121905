"""Settings of query transformations; the only place where a default stands."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformationSettings:
    """Which further searches a language model makes of a question, where the task ``rewriting`` has one.

    Each costs one call and a search or more; the question itself is always searched for.
    """

    rewrite: bool = False
    """Search for the question in the words that documents would use."""
    multi_query: bool = False
    """Search for several other wordings."""
    hyde: bool = False
    """Search near a passage that might answer; it is made up, and never shown."""
    step_back: bool = False
    """Search for the more general question behind it."""
    decompose: bool = False
    """Search for the simpler questions that it is made of."""
    iterative: bool = False
    """Look at what was found, and search for what is missing, at most ``rounds`` times."""
    queries: Annotated[int, Interval(ge=1, le=10)] = 3
    """So many wordings or simpler questions at most."""
    rounds: Annotated[int, Interval(ge=1, le=10)] = 2
    """Rounds of ``iterative``."""
    reply_tokens: Annotated[int, Ge(16)] = 300
    """The model may reply with so many tokens."""

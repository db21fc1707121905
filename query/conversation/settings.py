"""Settings of conversations; the only place where a default stands."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSettings:
    """What is kept of a conversation, so that a follow-up question can be understood."""

    turns: Annotated[int, Interval(ge=1, le=1000)] = 20
    """So many last questions are kept, with their answers."""
    told_turns: Annotated[int, Interval(ge=1, le=50)] = 4
    """So many of them are put before the model that makes a follow-up a question of its own."""
    answer_characters: Annotated[int, Interval(ge=0, le=100_000)] = 600
    """So much of each answer is kept."""
    conversations: Annotated[int, Interval(ge=1, le=10_000)] = 50
    """So many conversations of a caller are kept; those unused for longest go."""

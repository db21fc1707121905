"""Settings of extraction by a language model, which happens where the task ``extraction`` has one."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmExtractionSettings:
    """What a language model is asked of each chunk, and what becomes of its reply."""

    mode: Literal["beside", "instead"] = "beside"
    """`beside`: what it finds joins what the parser finds. `instead`: takes its place, but for home passages."""
    entity_types: tuple[str, ...] = ()
    """Types of entities to look for, such as `drug` or `disease`; others are left out. None given: any."""
    relation_types: tuple[str, ...] = ()
    """Types of relations to look for, such as `treats`; others are left out. None given: any."""
    second_look: bool = False
    """Asks once more about each chunk what was missed, and keeps all of it. Costs more than the first look."""
    min_words: Annotated[int, Ge(1)] = 4
    """Chunks of fewer words are not sent."""
    max_reply_tokens: Annotated[int, Interval(ge=100, le=100_000)] = 2_000
    """Longest reply about one chunk."""

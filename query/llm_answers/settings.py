"""Settings of answers by a language model; the only place where a default stands."""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge, Interval

Unsupported: TypeAlias = Literal["drop", "flag"]
NothingBelieved: TypeAlias = Literal["abstain", "sources"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmAnswerSettings:
    """What a language model is given to answer from, and what of its answer is believed."""

    budget: Annotated[int, Interval(ge=1, le=1_000_000)] = 3000
    """Tokens of passages (of the embedding model's tokenizer) that are put before the model."""
    reply_tokens: Annotated[int, Ge(16)] = 900
    """The model may reply with so many tokens."""
    most_sentences: Annotated[int, Interval(ge=1, le=100)] = 8
    """At most so many sentences of an answer are looked at."""
    unsupported: Unsupported = "drop"
    """Sentences that the cited passages do not support: ``drop`` them, or ``flag`` them below the answer."""
    nothing_believed: NothingBelieved = "abstain"
    """Where no sentence of the model is supported: ``abstain``, or answer by sentences of the ``sources``."""
    least_words: Annotated[float, Interval(ge=0, le=1)] = 0.5
    """So much of a sentence's content words must stand in the passages that it cites."""
    reports: Annotated[int, Interval(ge=1, le=1000)] = 12
    """On a global route, at most so many reports or summaries are read by the model, best first."""
    reports_at_once: Annotated[int, Interval(ge=1, le=100)] = 4
    """They are read so many at a time;"""
    least_relevance: Annotated[int, Interval(ge=0, le=100)] = 30
    """reading stops where none of them is this relevant (0 to 100, by the model), and points below it are left out."""
    points: Annotated[int, Interval(ge=1, le=200)] = 24
    """Reading also stops where so many points were found; the answer is made of the most relevant of them."""

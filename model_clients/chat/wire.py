"""The one place that reads what an endpoint sent: whatever stands where something else belongs counts as not sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

# No call counts as many tokens: what is beyond is no count.
_MOST_TOKENS = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WireReply:
    """A whole reply or one piece of a stream. ``has_message`` where a message or piece of one is in it at all.

    ``prompt_tokens`` and ``reply_tokens`` are None where they were not counted, or to no number that can be. ``error``
    is what is said to have gone wrong, in the place of a message.
    """

    text: str = ""
    has_message: bool = False
    refused: bool = False
    finish: str | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    error: str = ""


NOT_COUNTED = WireReply()


class WrongVectors(ValueError):
    """What was sent is no list of vectors; the message says what is wrong with it."""


def read_reply_part(sent: object, holder: Literal["message", "delta"]) -> WireReply:
    """Return what of a reply (``message``) or of a piece of one (``delta``) can be used."""
    choices = _field(sent, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = _field(choice, holder)
    refusal = _text(_field(message, "refusal"))
    finish = _field(choice, "finish_reason")
    usage = _field(sent, "usage")
    return WireReply(
        text=_text(_field(message, "content")) or refusal,
        has_message=isinstance(message, BaseModel | Mapping),
        refused=bool(refusal),
        finish=finish if isinstance(finish, str) else None,
        # Something is sent with every call, so none is no count.
        prompt_tokens=_tokens(_field(usage, "prompt_tokens")) or None,
        reply_tokens=_tokens(_field(usage, "completion_tokens")),
        error=_text(_field(_field(sent, "error"), "message")),
    )


def read_vectors(sent: object, count: int) -> list[list[float]]:
    """Return ``count`` vectors in the order of their index. Raises ``WrongVectors``."""
    data = _field(sent, "data")
    items = data if isinstance(data, list) else []
    places = [_field(item, "index") for item in items]
    if not all(type(place) is int for place in places):
        raise WrongVectors("sends vectors without the index of their text")
    if sorted(map(str, places)) != sorted(map(str, range(count))):
        raise WrongVectors(f"sent {len(items)} vectors for {count} texts")
    by_place = {int(str(place)): _field(item, "embedding") for place, item in zip(places, items, strict=True)}
    return [_vector(by_place[place]) for place in range(count)]


def _field(holder: object, name: str) -> object:
    if isinstance(holder, Mapping):
        return holder.get(name)
    return getattr(holder, name, None) if isinstance(holder, BaseModel) else None


def _text(value: object) -> str:
    """Return a text, or those of a list of parts, in whole characters: half of a pair can be neither kept nor sent."""
    parts = [_field(part, "text") for part in value] if isinstance(value, list) else [value]
    whole = "".join(part for part in parts if isinstance(part, str))
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tokens(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def _vector(value: object) -> list[float]:
    if not isinstance(value, Sequence) or not all(type(number) in {int, float} for number in value):
        raise WrongVectors("sends vectors that are not numbers")
    try:
        return [float(number) for number in value]
    except OverflowError:
        raise WrongVectors("sends vectors that are not numbers") from None

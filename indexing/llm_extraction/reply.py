"""The form of a reply about a chunk. One entity or relation that is out of form is left out alone."""

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, TypeAlias

from pydantic import BaseModel, BeforeValidator, ValidationError

MAX_STRENGTH = 10.0


def _clamped(value: object) -> float:
    """Return a strength within its range; what is no number says nothing of it."""
    try:
        number = float(value)  # type: ignore[arg-type]  # what float does not take, it refuses
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return 0.0 if math.isnan(number) else min(max(number, 0.0), MAX_STRENGTH)


def _text(value: object) -> str:
    return "" if value is None else str(value)


_Text: TypeAlias = Annotated[str, BeforeValidator(_text)]


class ToldEntity(BaseModel):
    """A thing that a chunk names, as the model tells it."""

    name: str
    type: _Text = ""
    description: _Text = ""


class ToldRelation(BaseModel):
    """A statement between two things, with the words of the chunk that state it."""

    source: str
    target: str
    predicate: str
    strength: Annotated[float, BeforeValidator(_clamped)] = 0.0
    quote: str


def _in_form(form: type[BaseModel], items: object) -> object:
    """Leave out items of a list that are not of the form; where none is, the reply is not what was asked for."""
    if not isinstance(items, Iterable) or isinstance(items, str | Mapping):
        return items
    given = list(items)
    kept = []
    for item in given:
        try:
            kept.append(form.model_validate(item))
        except ValidationError:
            continue
    return kept or given


class ExtractionReply(BaseModel):
    """What a model tells of one chunk."""

    entities: Annotated[list[ToldEntity], BeforeValidator(lambda items: _in_form(ToldEntity, items))]
    relations: Annotated[list[ToldRelation], BeforeValidator(lambda items: _in_form(ToldRelation, items))]

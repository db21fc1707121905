"""The strict form of schemas."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from model_clients.chat.strict_schema import strict_schema


class _Inner(BaseModel):
    """Something."""

    kind: Literal["a", "b"]
    weight: float = Field(default=0.5, ge=0, le=1)


class _Outer(BaseModel):
    items: list[_Inner] = Field(max_length=5)
    note: str | None = None
    inner: _Inner = Field(description="the main one")


class _Open(BaseModel):
    names: dict[str, str]


class _Any(BaseModel):
    value: Any


def test_every_property_is_required_and_nothing_else_is_allowed() -> None:
    made = strict_schema(_Outer.model_json_schema())
    assert made is not None
    assert made["required"] == ["items", "note", "inner"]
    assert made["additionalProperties"] is False
    assert made["properties"]["inner"] == {"$ref": "#/$defs/_Inner"}
    assert made["properties"]["items"] == {"type": "array", "items": {"$ref": "#/$defs/_Inner"}}
    assert made["properties"]["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    inner = made["$defs"]["_Inner"]
    assert (inner["required"], inner["additionalProperties"]) == (["kind", "weight"], False)
    assert inner["properties"] == {"kind": {"type": "string", "enum": ["a", "b"]}, "weight": {"type": "number"}}


@pytest.mark.parametrize("form", [_Open, _Any])
def test_what_leaves_names_or_values_open_has_no_strict_form(form: type[BaseModel]) -> None:
    assert strict_schema(form.model_json_schema()) is None


def test_what_is_no_object_has_no_strict_form() -> None:
    assert strict_schema({"type": "array", "items": {"type": "string"}}) is None

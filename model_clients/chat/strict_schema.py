"""The part of JSON schema that endpoints hold replies to strictly."""

from collections.abc import Mapping
from typing import Any

# Keywords that strict schemas know; others (lengths, patterns, defaults, titles) are checked when the reply is read.
_KEPT = frozenset({"type", "description", "enum", "const"})


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema with every property required and no other allowed, None where it cannot be put so.

    Every reply that satisfies the result satisfies the shape of ``schema``; objects with names of the model's own
    choice cannot be put strictly.
    """
    if "properties" not in schema:
        return None
    try:
        whole = _strict(schema)
        if "$defs" in schema:
            whole["$defs"] = {name: _strict(part) for name, part in schema["$defs"].items()}
    except _NotStrict:
        return None
    return whole


class _NotStrict(Exception):
    """A part of a schema has no strict form."""


def _strict(part: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        return {"$ref": part["$ref"]}  # nothing may stand beside it
    made = {name: value for name, value in part.items() if name in _KEPT}
    for name in ("anyOf", "oneOf"):
        if name in part:
            made["anyOf"] = [_strict(choice) for choice in part[name]]
    if "allOf" in part or "prefixItems" in part:
        raise _NotStrict
    if "items" in part:
        made["items"] = _strict(part["items"])
    if part.get("type") == "object" or "properties" in part:
        made |= _strict_object(part)
    if not made.keys() - {"description"}:
        raise _NotStrict  # anything at all is allowed here
    return made


def _strict_object(part: Mapping[str, Any]) -> dict[str, Any]:
    if "properties" not in part or part.get("additionalProperties"):
        raise _NotStrict
    properties = {name: _strict(inner) for name, inner in part["properties"].items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

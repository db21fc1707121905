"""Reads what a language model replied: without its thinking, and as JSON, however loosely that is written."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from model_clients.chat.cut_json import whole_part

_THINKING = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKING_STARTS = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_THINKING_ENDS = re.compile(r"</(think|thinking|reasoning|thought)>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)

# What is longer is not worth mending, and would take its time.
_LONGEST_MENDED = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadJson:
    """The value of a reply; ``cut_off`` where it breaks off, and its last, unfinished part was left out."""

    value: Any
    cut_off: bool = False


def without_thinking(text: str) -> str:
    """Return a reply without what the model wrote to itself before it; empty where it never came to an end."""
    left = _THINKING.sub("", text)
    if _THINKING_STARTS.match(left):
        return ""
    # Some servers leave out the beginning of the block.
    ends = list(_THINKING_ENDS.finditer(left))
    return left[ends[-1].end() :].strip() if ends else left.strip()


def read_json(text: str) -> ReadJson | None:
    """Return the JSON object or list of a reply, None where there is none.

    Read in this order: the reply itself; what stands in a code fence; the largest object in the midst of other words;
    a reply that breaks off, as far as its lists are whole; and what a library makes of loosely written JSON.
    """
    plain = without_thinking(text)
    for part in (plain, *_fenced(plain)):
        value = _parsed(part)
        if value is not None:
            return ReadJson(value=value)
    found = _largest_object(plain)
    part = next(iter(_fenced(plain)), plain)
    whole = whole_part(part)
    if whole == "" and not part.rstrip().endswith(("}", "]")):
        return None
    if whole and (found is None or len(whole) > found[1]):
        value = _parsed(whole) or _mended(whole)
        return None if value is None else ReadJson(value=value, cut_off=True)
    if found is not None and found[1] >= _length_from_brace(part) // 2:
        return ReadJson(value=found[0])
    value = _mended(part)
    return None if value is None else ReadJson(value=value)


def _fenced(text: str) -> list[str]:
    """Return what stands in code fences, longest first; one that is not closed reaches to the end."""
    return sorted((match.group(1) for match in _FENCE.finditer(text)), key=len, reverse=True)


def _parsed(text: str) -> Any:  # noqa: ANN401  # JSON of any form
    try:
        value = json.loads(text, parse_constant=_no_constant)
        return _clean(value) if isinstance(value, dict | list) else None
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _largest_object(text: str) -> tuple[Any, int] | None:
    """Return the longest piece of the text that is a JSON object by itself, with its length."""
    best: tuple[Any, int] | None = None
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    for start in _outer_braces(text, decoder):
        value, end = start
        if best is None or end > best[1]:
            best = (value, end)
    try:
        return None if best is None else (_clean(best[0]), best[1])
    except RecursionError:
        return None


def _outer_braces(text: str, decoder: json.JSONDecoder) -> Iterator[tuple[Any, int]]:
    """Yield each object that stands in the text and not within another, with its length."""
    place, tries = text.find("{"), 0
    while place >= 0 and tries < 200:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        yield value, end - place
        place = text.find("{", end)


def _length_from_brace(text: str) -> int:
    start, end = text.find("{"), text.rfind("}")
    return max(0, end + 1 - start) if start >= 0 else 0


def _mended(text: str) -> Any:  # noqa: ANN401  # JSON of any form
    """Return what a library for such replies makes of the text; its words alone are no JSON."""
    from json_repair import repair_json  # noqa: PLC0415  # only for replies that are no JSON

    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if not starts or len(text) > _LONGEST_MENDED:
        return None
    try:
        mended = repair_json(text[min(starts) :], skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    value = _parsed(str(mended))
    return value or None


def _clean(value: Any) -> Any:  # noqa: ANN401  # JSON of any form
    """Return the value with strings that every store takes: whole characters, no NUL."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(name): _clean(item) for name, item in value.items()}
    return value

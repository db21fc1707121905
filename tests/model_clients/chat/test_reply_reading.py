"""Replies as models really write them."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_clients.chat.cut_json import whole_part
from model_clients.chat.reply_reading import read_json, without_thinking

WANTED = {"items": [{"name": "hill"}, {"name": "dale"}]}
TEXT = json.dumps(WANTED)


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"\ufeff{TEXT}",
        f"  \n{TEXT}\n\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"Here is the JSON:\n```json\n{TEXT}\n```\nLet me know!",
        f"```json\n{TEXT}",
        f"Sure! {TEXT} I hope that helps {{smile}}.",
        f"Of {{the two}}, I choose: {TEXT}",
        f"<think>\nMaybe {{'items': []}}?\n</think>\n{TEXT}",
        f"<thinking>{{</thinking>```json\n{TEXT}\n```",
        f"I must think. {{}}</think>{TEXT}",
        '{"items": [{"name": "hill",}, {"name": "dale"},],}',
        "{'items': [{'name': 'hill'}, {'name': 'dale'}]}",
        '{"items": [{"name": "hill"} {"name": "dale"}]}',
        '{items: [{name: "hill"}, {name: "dale"}]}',
        '{"items": [{"name": "hill"}, // the first\n {"name": "dale"}]}',
        f"{TEXT[:-1]},\n}}",
    ],
)
def test_json_is_found_in_whatever_stands_around_it(reply: str) -> None:
    found = read_json(reply)
    assert found is not None
    assert (found.value, found.cut_off) == (WANTED, False)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        "I am sorry, but I cannot do that.",
        "Error: the service is overloaded",
        '<think>It could be {"items": []}, or',
        "{",
        "[",
        "{}{",
        "true",
        '"text"',
        "[" * 100_000,
        '{"a":' * 100_000,
        "{not json at all",
        '{"summary": "half a sentence that',
        '{"a": 1, "summary": "half',
    ],
)
def test_what_holds_no_json_gives_none(reply: str) -> None:
    found = read_json(reply)
    assert found is None or found.value == {}


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ('{"items": [{"name": "hill"}, {"name": "da', {"items": [{"name": "hill"}]}),
        ('{"items": [{"name": "hill"}, ', {"items": [{"name": "hill"}]}),
        ('{"items": [{"name": "hill"}', {"items": [{"name": "hill"}]}),
        ('{"items": [{"name": "hill", "of": ["a", "b', {"items": []}),
        ('{"a": [1, 2], "b": [{"c": "}]', {"a": [1, 2], "b": []}),
        ('{"a": ["x, y", "z', {"a": ["x, y"]}),
        ('{"a": ["say \\"hi\\"", "z', {"a": ['say "hi"']}),
        ('{"a": [12, 34', {"a": [12]}),
        ('```json\n[{"name": "hill"}, {"name"', [{"name": "hill"}]),
        ('{"report": {"claims": [{"n": 1}, {"n": 2}, {"', {"report": {"claims": [{"n": 1}, {"n": 2}]}}),
    ],
)
def test_the_whole_items_of_a_reply_that_breaks_off_are_kept(reply: str, kept: Any) -> None:  # noqa: ANN401  # JSON
    found = read_json(reply)
    assert found is not None
    assert (found.value, found.cut_off) == (kept, True)


def test_strings_come_in_whole_characters_that_every_store_takes() -> None:
    found = read_json('{"a\\u0000": "\\ud83d\\ude00 \\ud800 $1 {braces} \\u0000%s", "b": ["\\udc00"]}')
    assert found is not None
    assert found.value == {"a": "\U0001f600 \ufffd $1 {braces} %s", "b": ["\ufffd"]}
    json.dumps(found.value, ensure_ascii=False).encode("utf-8")


def test_numbers_that_are_none_are_not_taken_for_numbers() -> None:
    for text in ('{"a": NaN}', '{"a": -Infinity}'):
        found = read_json(text)
        assert found is None or not isinstance(found.value["a"], float)


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("<think>a</think> b", "b"),
        ("a </think> b", "b"),
        ("<THINK>a</THINK>\n\nb <think>c</think>", "b"),
        ("<think>a", ""),
        ("  b < c ", "b < c"),
        ("<b>think</b>", "<b>think</b>"),
    ],
)
def test_thinking_is_left_out(reply: str, left: str) -> None:
    assert without_thinking(reply) == left


# Without NUL, which is left out: two names must not become one.
_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(st.dictionaries(_NAMES, _JSON, min_size=1, max_size=4))
def test_any_json_is_read_as_it_is(value: dict[str, Any]) -> None:
    found = read_json(json.dumps(value))
    assert found is not None
    assert not found.cut_off
    assert json.dumps(found.value) == json.dumps(value).replace("\\u0000", "")


@settings(deadline=None)
@given(st.text())
def test_no_reply_is_a_fault_of_ours(reply: str) -> None:
    read_json(reply)
    read_json("{" + reply)
    whole_part(reply)


@settings(deadline=None)
@given(
    items=st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), max_size=5), data=st.data()
)
def test_wherever_a_list_of_items_breaks_off_its_first_items_are_kept(
    items: list[dict[str, str]], data: st.DataObject
) -> None:
    text = json.dumps({"items": items})
    cut = data.draw(st.integers(min_value=len('{"items": ['), max_value=len(text) - 1))
    whole = whole_part(text[:cut])
    assert whole is not None
    kept = json.loads(whole)["items"]
    assert kept == items[: len(kept)]
    ends = [len('{"items": ') + len(json.dumps(items[:n])) - 1 for n in range(len(items) + 1)]
    assert len(kept) == max(n for n, end in enumerate(ends) if end <= cut)


@pytest.mark.parametrize("depth", [600, 900, 990, 3_000])
def test_json_nested_without_end_is_no_json_or_read(depth: int) -> None:
    nested = '{"a":' + "[" * depth + "]" * depth + "}"
    for text in (nested, f"so: {nested} and so on"):
        found = read_json(text)
        assert found is None or isinstance(found.value, dict | list)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.access import Access
from graph_store.filters import MetadataFilter, parse_filter
from graph_store.ids import content_hash, name_key, stable_id


@pytest.mark.parametrize(
    ("text", "key", "operator", "value"),
    [
        ("year>=2020", "year", ">=", "2020"),
        (" year != 2020 ", "year", "!=", "2020"),
        ("a=b=c", "a", "=", "b=c"),
        ("a<-1", "a", "<", "-1"),
        ("note=", "note", "=", ""),
        ("year in 2020, 2021", "year", "in", "2020, 2021"),
        ("in=1", "in", "=", "1"),
    ],
)
def test_a_filter_is_read(text: str, key: str, operator: str, value: str) -> None:
    parsed = parse_filter(text)
    assert (parsed.key, parsed.operator, parsed.value) == (key, operator, value)
    assert isinstance(parsed, MetadataFilter)


@pytest.mark.parametrize("text", ["", "year", "=2020", "two words=1", "year in", "year in ", "year inside 2"])
def test_what_is_no_filter_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="cannot read the filter"):
        parse_filter(text)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Müller-Lyer Company", "müller lyer company"),
        ("U.S.", "u s"),
        ("AT&T", "at t"),
        ("ELECTRONS", "electrons"),
        ("北京", "北京"),
        ("café", "café"),
        ("The", "the"),
        ("?!", ""),
    ],
)
def test_name_keys(name: str, key: str) -> None:
    assert name_key(name) == key


@given(st.text())
def test_a_name_key_is_its_own_key(name: str) -> None:
    key = name_key(name)
    assert name_key(key) in {key, name_key(name_key(key))}


def test_ids_keep_their_parts_apart_and_never_change() -> None:
    assert stable_id("c", "ab", "c") != stable_id("c", "a", "bc")
    assert stable_id("c", "a") == "c4162fddd39a3e4225e8e"
    assert content_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("tenant", "groups", "allowed"),
    [
        ("t", (), True),
        ("t", ("a",), True),
        ("t", ("a", "z"), True),
        ("t", ("z",), False),
        ("u", (), False),
        ("u", ("a",), False),
    ],
)
def test_who_may_read(tenant: str, groups: tuple[str, ...], allowed: bool) -> None:
    assert Access(tenant="t", groups=frozenset({"a", "b"})).may_read(tenant, groups) is allowed

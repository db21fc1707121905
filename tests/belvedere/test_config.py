from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belvedere.config import ConfigError, parse_config, read_config
from belvedere.config_text import config_text, field_comments


@dataclass(frozen=True, slots=True, kw_only=True)
class Kitchen:
    """Where the food is made."""

    ovens: int = 2
    """How many ovens there are."""
    heat: float = 1.5
    """Degrees."""
    gas: bool = False
    """Whether it burns gas."""

    def __post_init__(self) -> None:
        if self.ovens < 1:
            raise ValueError(f"ovens must be 1 or more, not {self.ovens}")


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A house."""

    kitchen: Kitchen = field(default_factory=Kitchen)
    name: str = "no: 7"
    """What it
    is called."""
    roof: Literal["flat", "steep"] = "flat"
    """Its shape."""
    rooms: tuple[str, ...] = ("hall", "yes")
    """Names of the rooms."""
    cellar: str | None = None
    """Name of the cellar, if any."""
    folder: Path = Path("plans")
    """Where the plans are."""


def read(text: str) -> House:
    return parse_config(text, House, source="house.yaml")


def complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_nothing_said_keeps_every_default() -> None:
    assert read("") == House()
    assert read("# only a comment\n") == House()
    assert read("kitchen:\n") == House()


def test_every_kind_of_value_is_read() -> None:
    text = "kitchen: {ovens: 3, heat: 2, gas: true}\nname: x\nroof: steep\nrooms: [a]\ncellar: deep\nfolder: a/b\n"
    assert read(text) == House(
        kitchen=Kitchen(ovens=3, heat=2.0, gas=True),
        name="x",
        roof="steep",
        rooms=("a",),
        cellar="deep",
        folder=Path("a/b"),
    )
    assert type(read("kitchen: {heat: 2}").kitchen.heat) is float


def test_a_number_in_scientific_notation_is_a_number() -> None:
    assert read("kitchen: {heat: 1e-3}").kitchen.heat == 0.001


def test_an_unknown_key_is_answered_with_the_nearest_one() -> None:
    message = complaint("name: x\nkitchen:\n  oven: 3\n")
    assert "house.yaml, line 3: kitchen: unknown key 'oven'" in message
    assert "did you mean 'ovens'" in message


def test_an_unknown_key_that_resembles_nothing_is_answered_with_all_of_them() -> None:
    assert "known: kitchen, name, roof" in complaint("zzzzqqq: 1\n")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("kitchen: {ovens: many}", "kitchen.ovens: expected a whole number, got 'many'"),
        ("kitchen: {ovens: 2.5}", "expected a whole number"),
        ("kitchen: {ovens: true}", "expected a whole number"),
        ("kitchen: {heat: .nan}", "expected a number"),
        ("kitchen: {heat: true}", "expected a number"),
        ("kitchen: {gas: 1}", "expected true or false"),
        ("kitchen: {ovens: 0}", "ovens must be 1 or more, not 0"),
        ("kitchen: 3", "expected settings by name, got '3'"),
        ("name: 3", "expected a text, got '3'"),
        ("name: [a]", "expected one value, got a list"),
        ("name:", "expected a text"),
        ("roof: round", "'round' is not one of flat, steep"),
        ("rooms: hall", "expected a list, got 'hall'"),
        ("rooms: [1]", "rooms: expected a text, got '1'"),
        ("name: a\nname: b", "line 2: the key 'name' stands twice"),
        ("- a\n- b", "expected settings by name, got a list"),
        ("name: !!python/name:os.system x", "cannot read the value"),
        ("name: 2020-13-99", "cannot read the value"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(text: str, part: str) -> None:
    assert part in complaint(text)


@pytest.mark.parametrize("text", ["a: [1\nb: 2", "name: 'x", "a: b: c", "\tname: x", "kitchen: {ovens: 1"])
def test_broken_yaml_is_one_sentence_with_the_line(text: str) -> None:
    message = complaint(text)
    assert "house.yaml, line " in message
    assert "not valid YAML" in message


def test_control_characters_are_one_sentence() -> None:
    assert "not valid YAML" in complaint("name: \x00")
    assert "nested too deeply" in complaint("{a: " * 1_000)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not a text file"):
        read_config(path, House)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(ConfigError, match="cannot read the configuration"):
            read_config(path, House)


def test_comments_come_from_the_source() -> None:
    assert field_comments(House)["name"] == "What it is called."
    assert field_comments(House)["kitchen"] == ""


def test_the_written_text_says_every_default_and_reads_back() -> None:
    text = config_text(House(), heading="All about the house.")
    assert text.startswith("# All about the house.\n")
    assert "# Where the food is made.\nkitchen:\n  # How many ovens there are.\n  ovens: 2\n" in text
    assert "cellar: null\n" in text
    assert read(text) == House()


@settings(max_examples=30, deadline=None)
@given(name=st.text(), heat=st.floats(allow_nan=False, allow_infinity=False), rooms=st.lists(st.text()))
def test_whatever_is_written_reads_back(name: str, heat: float, rooms: list[str]) -> None:
    house = House(name=name, rooms=tuple(rooms), kitchen=Kitchen(heat=heat))
    assert read(config_text(house, heading="x")) == house

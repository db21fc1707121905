from dataclasses import dataclass, field
from typing import Annotated

import pytest
from annotated_types import Ge, Gt, Interval, Le, MultipleOf

from belvedere.setting_ranges import base_type, complaint, is_within, out_of_range, shown_range


@dataclass(frozen=True, slots=True, kw_only=True)
class Oven:
    heat: Annotated[float, Interval(ge=0, lt=1)] = 0.5
    name: str = "old"


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    oven: Oven = field(default_factory=Oven)
    rooms: Annotated[int, Ge(1)] = 2


@pytest.mark.parametrize(
    ("annotation", "words", "within", "without"),
    [
        (Annotated[int, Ge(1)], "1 or more", (1, 10**9), (0, -1)),
        (Annotated[float, Gt(0)], "more than 0", (1e-9,), (0, -0.5)),
        (Annotated[float, Interval(ge=0, le=1)], "0 to 1", (0, 1, 0.5), (-0.1, 1.1)),
        (Annotated[float, Interval(gt=0, lt=1)], "more than 0 and less than 1", (0.5,), (0, 1)),
        (Annotated[int, Le(5000)], "at most 5,000", (-3, 5000), (5001,)),
        (int, "", (-(10**9), 0), ()),
        (Annotated[str, Ge(1)], "1 or more", ("a text has no range",), ()),
    ],
)
def test_ranges(annotation: object, words: str, within: tuple[object, ...], without: tuple[object, ...]) -> None:
    assert shown_range(annotation) == words
    assert all(is_within(value, annotation) for value in within)
    assert not any(is_within(value, annotation) for value in without)


def test_the_type_without_its_range() -> None:
    assert base_type(Annotated[int, Ge(1)]) is int
    assert base_type(str) is str


def test_every_section_is_looked_at() -> None:
    assert list(out_of_range(House())) == []
    assert list(out_of_range(House(oven=Oven(heat=1.0), rooms=0))) == [
        "oven.heat: 1.0 is out of range; give 0 or more and less than 1",
        "rooms: 0 is out of range; give 1 or more",
    ]
    assert complaint(0, Annotated[int, Ge(1)]) == "0 is out of range; give 1 or more"


def test_a_bound_that_means_nothing_here_is_a_fault_of_ours() -> None:
    with pytest.raises(TypeError, match="cannot have the bound"):
        is_within(3, Annotated[int, MultipleOf(2)])

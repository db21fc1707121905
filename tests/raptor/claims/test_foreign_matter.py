"""Links and markup are seen however their signs are written."""

import pytest

from raptor.claims.foreign_matter import has_foreign_links, links_in

SOURCE = "The bridge is 300 metres long."


@pytest.mark.parametrize(
    "link",
    [
        "evil.example",
        "evil\u3002example",
        "evil\u2024example",
        "evil\ufe52example",
        "evil\u2024example\uff0fx",
        "a\ufe6bevil\u2024com",
        "a\uff20evil.com",
        "mailto\uff1aa@b",
        "mailto\u2236b",
        "//evil",
        "//[::1]/x",
        "\u2215\u2215evil",
        "\uff0f\uff0fevil",
        "\uff1cimg src=x\uff1e",
        "\uff3bx\uff3d\uff08y\uff09",
        "\uff06lt\uff1b",
    ],
)
def test_links_and_markup_are_seen_in_look_alikes(link: str) -> None:
    claim = f"{SOURCE[:-1]}, see {link} ."
    assert has_foreign_links(claim, SOURCE)
    assert not has_foreign_links(claim, claim)


@pytest.mark.parametrize(
    "text",
    [
        "It is ½ as long, 5 ㎏ of paint and 20 ℃…then it was closed.",
        "Both and/or one of them; it ran from 1932/33 to 1944.",
        "长度\uff1a300米\uff08约\uff09。",
        "The ratio is 3\u22361 at noon: as ever.",
    ],
)
def test_other_compatible_signs_are_no_links(text: str) -> None:
    assert not has_foreign_links(text, SOURCE)


def test_a_look_alike_is_named_as_what_it_looks_like() -> None:
    assert links_in("See evil\u2024example!") == {"evil.example"}
    assert has_foreign_links("See evil\u2024example.", "See other\u2024example.")

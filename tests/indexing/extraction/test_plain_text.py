"""Blocks of Markdown without marks, and the way back to the original offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.extraction.plain_text import split_blocks

MARKDOWN = """# Deep *Space* Network

The **Deep Space Network** runs [stations](https://example.org/x_(y)) in
three countries.[1]

| Station | Place |
|---|---|
| DSS-43 | Canberra |

- first _item_
- second

```
code is left out
```
"""


def test_blocks_have_kinds_and_no_marks() -> None:
    blocks = [(block.kind, block.text) for block in split_blocks(MARKDOWN)]
    assert ("heading", "Deep Space Network") in blocks
    assert ("row", "DSS-43") in [(kind, text.strip()) for kind, text in blocks]
    assert [text.strip() for kind, text in blocks if kind == "item"] == ["first item", "second"]
    assert not any("code" in text or "---" in text or "|" in text for _, text in blocks)


def test_paragraph_joins_wrapped_lines_and_drops_links_and_footnotes() -> None:
    paragraph = next(block.text for block in split_blocks(MARKDOWN) if block.kind == "paragraph")
    assert paragraph.startswith("The Deep Space Network runs stations")
    assert "example.org" not in paragraph
    assert paragraph.rstrip().endswith("three countries.")


def test_origin_leads_back_to_the_original() -> None:
    block = next(block for block in split_blocks(MARKDOWN) if block.kind == "paragraph")
    start = block.text.index("Deep Space Network")
    first, last = block.origin(start, start + len("Deep Space Network"))
    assert MARKDOWN[first:last] == "Deep Space Network"


def test_stretch_without_end_is_left_out() -> None:
    assert split_blocks("x" * 30_000 + "\n\nAfter it.")[0].text == "After it."


@pytest.mark.parametrize("text", ["", "   \n\t", "|", "#", "```", "|||\n|-|"])
def test_nothing_to_read_gives_no_blocks(text: str) -> None:
    assert split_blocks(text) == ()


@given(st.text(alphabet="ab #*_|[]()`-\n.1<>&\\", max_size=120))
def test_every_character_comes_from_its_origin(text: str) -> None:
    for block in split_blocks(text):
        for offset, char in enumerate(block.text):
            start, end = block.origin(offset, offset + 1)
            assert end == start + 1
            assert text[start] == char or (char == " " and text[start].isspace())

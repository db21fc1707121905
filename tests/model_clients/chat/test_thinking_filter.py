"""Thinking whose beginning is not marked, in streams."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from model_clients.chat.thinking_filter import without_thoughts


async def _shown(pieces: list[str]) -> str:
    async def parts() -> AsyncIterator[str]:
        for piece in pieces:
            yield piece

    return "".join([str(part) async for part in without_thoughts(parts())])


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["So it is.</think>It was Ida."], "It was Ida."),
        (["So it is.", "</THINK>It was Ida."], "So it is.\nIt was Ida."),
        (["So it is.", *"</think>It <b> was"], "So it is.\nIt <b> was"),
    ],
)
def test_the_end_of_a_block_is_never_shown(pieces: list[str], shown: str) -> None:
    assert asyncio.run(_shown(pieces)) == shown

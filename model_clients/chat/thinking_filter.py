"""Keeps what a model writes to itself out of a stream."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace

from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.messages import ChatReply
from model_clients.chat.reply_reading import without_thinking

_BEGINS = ("<think>", "<thinking>", "<reasoning>", "<thought>")
_BLOCK = re.compile(r"\s*<(think|thinking|reasoning|thought)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)


async def without_thoughts(parts: AsyncIterator[str | ChatReply]) -> AsyncIterator[str | ChatReply]:
    """Yield the parts of a stream without a thinking block at its beginning; the whole reply comes without it too."""
    held, past = "", False
    async with closing_stream(parts) as stream:
        async for part in stream:
            if isinstance(part, ChatReply):
                if held and not _begins_with_block(held):
                    yield held
                yield replace(part, text=without_thinking(part.text))
            elif past:
                yield part
            else:
                held += part
                shown = _after_block(held)
                if shown:
                    past, held = True, ""
                    yield shown


def _begins_with_block(text: str) -> bool:
    return text.lstrip().lower().startswith(_BEGINS)


def _after_block(text: str) -> str | None:
    """Return what may be shown of the beginning of a stream, None while that is not known."""
    start = text.lstrip().lower()
    if _begins_with_block(start):
        block = _BLOCK.match(text)
        return text[block.end() :] if block else None
    return None if any(begin.startswith(start[: len(begin)]) for begin in _BEGINS) else text

"""Keeps what a model writes to itself out of a stream."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace

from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.messages import ChatReply
from model_clients.chat.reply_reading import without_thinking

_BEGINS = ("<think>", "<thinking>", "<reasoning>", "<thought>")
_BLOCK = re.compile(r"\s*<(think|thinking|reasoning|thought)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_END = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_ENDS = tuple(begin.replace("<", "</") for begin in _BEGINS)


async def without_thoughts(parts: AsyncIterator[str | ChatReply]) -> AsyncIterator[str | ChatReply]:
    """Yield the parts of a stream without a thinking block at its beginning; the whole reply comes without it too."""
    held, past, tail = "", False, ""
    async with closing_stream(parts) as stream:
        async for part in stream:
            if isinstance(part, ChatReply):
                if held and not _begins_with_block(held):
                    yield held
                if tail:
                    yield tail
                yield replace(part, text=without_thinking(part.text))
            elif past:
                shown, tail = _without_ends(tail + part)
                if shown:
                    yield shown
            else:
                held += part
                rest = _after_block(held)
                if rest:
                    past, held = True, ""
                    # Some servers leave out the beginning of the block.
                    shown, tail = _without_ends(_END.split(rest)[-1])
                    if shown:
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


def _without_ends(text: str) -> tuple[str, str]:
    """Return a text with line ends for tags that end a block, and what at its end may begin such a tag."""
    plain = _END.sub("\n", text)
    place = plain.rfind("<")
    is_begun = place >= 0 and any(tag.startswith(plain[place:].lower()) for tag in _ENDS)
    return (plain[:place], plain[place:]) if is_begun else (plain, "")

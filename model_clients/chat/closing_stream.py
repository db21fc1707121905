"""Ends a stream where it is left: the call behind it ends at once, not when its garbage is collected."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def closing_stream(parts: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Give ``parts`` and close them at the end of the block, where they are a generator."""
    try:
        yield parts
    finally:
        close = getattr(parts, "aclose", None)
        if close is not None:
            await close()

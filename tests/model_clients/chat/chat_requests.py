"""Requests that tests of chat models make."""

from collections.abc import Mapping
from typing import Any

from model_clients.chat.messages import CallScope, ChatReply, ChatRequest, Message, Task


def a_request(
    text: str = "say a word",
    *,
    task: Task = "answers",
    scope: CallScope | None = None,
    max_tokens: int = 50,
    schema: Mapping[str, Any] | None = None,
) -> ChatRequest:
    return ChatRequest(
        task=task,
        prompt="test/1",
        messages=(Message(role="user", content=text),),
        scope=scope or CallScope(tenant="t"),
        max_tokens=max_tokens,
        schema=schema,
        schema_name="Answer" if schema else "",
    )


async def streamed(parts: Any) -> tuple[list[str], ChatReply]:  # noqa: ANN401  # an async iterator of either
    """Return the pieces of a stream and the whole reply at its end."""
    pieces: list[str] = []
    replies: list[ChatReply] = []
    async for part in parts:
        if isinstance(part, ChatReply):
            replies.append(part)
        else:
            pieces.append(part)
    assert len(replies) == 1
    return pieces, replies[0]

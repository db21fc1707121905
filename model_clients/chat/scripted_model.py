"""A chat model without a model: replies by a function of the request, for tests and for trying things out."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from model_clients.chat.messages import ChatReply, ChatRequest, TokenUsage

_CHARACTERS_PER_TOKEN = 4


@dataclass(slots=True)
class ScriptedChatModel:
    """Replies what ``script`` returns for a request, or raises what it raises; ``requests`` are those it was given."""

    script: Callable[[ChatRequest], str]
    model_id: str = "scripted"
    requests: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the scripted reply, with four characters counted as a token."""
        self.requests.append(request)
        text = self.script(request)
        asked = sum(len(message.content) for message in request.messages)
        usage = TokenUsage(
            calls=1, prompt_tokens=asked // _CHARACTERS_PER_TOKEN, reply_tokens=len(text) // _CHARACTERS_PER_TOKEN
        )
        return ChatReply(text=text, model=self.model_id, usage=usage)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the scripted reply line by line."""
        reply = await self.complete(request)
        for line in reply.text.splitlines(keepends=True):
            yield line
        yield reply

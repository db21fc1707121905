"""Notes what each task would send and be replied, without asking any model."""

from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from belvedere.estimate.counting_model import CountingModel
from model_clients.chat.messages import ChatReply, ChatRequest, Task
from model_clients.chat.token_estimate import estimated_prompt_tokens, likely_prompt_tokens, likely_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCall:
    """One call: the tokens that its prompt likely has and has at most, and those of a reply to all that is asked."""

    prompt: int
    most_prompt: int
    reply: int
    most_reply: int


@dataclass(slots=True)
class RecordingModel:
    """Replies by rules, as long as a diligent model would; ``calls`` are those of each task."""

    model_id: str = "counted"
    calls: dict[Task, list[CountedCall]] = field(default_factory=lambda: defaultdict(list))
    _replies: CountingModel = field(default_factory=CountingModel)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return a reply of the form that is asked for, and note the call."""
        reply = await self._replies.complete(request)
        self.calls[request.task].append(
            CountedCall(
                prompt=likely_prompt_tokens(request),
                most_prompt=estimated_prompt_tokens(request),
                reply=min(likely_tokens(reply.text), request.max_tokens),
                most_reply=request.max_tokens,
            )
        )
        return reply

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield a reply as of ``complete``."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

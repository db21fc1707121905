"""What is asked of a language model, and what it replies."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

Task: TypeAlias = Literal["extraction", "reports", "summaries", "rewriting", "answers", "judge"]
"""What a call is for; each task is switched and has its model by itself."""

Role: TypeAlias = Literal["system", "user", "assistant"]

Finish: TypeAlias = Literal["stop", "length", "refused"]
"""Whether a reply ended by itself, was cut off at its limit, or was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallScope:
    """On whose behalf a call is made, for accounting and for forgetting.

    ``tenant`` and ``groups`` are part of every cache key: nobody gets a reply that was made of what others read.
    ``documents`` are the ids of the documents whose text is in the messages: deleting one of them also deletes the
    kept reply. ``unit`` is what usage is counted by: a document's id, a step, or "question".
    """

    tenant: str
    groups: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One call. ``prompt`` names the prompt with its version ("extraction/1"); ``schema`` is the JSON schema of the
    reply where it must be JSON, ``schema_name`` its name. ``max_tokens`` bounds the reply. Only replies that ``usable``
    takes are worth keeping.
    """

    task: Task
    prompt: str
    messages: tuple[Message, ...]
    scope: CallScope
    max_tokens: int
    temperature: float = 0.0
    schema: Mapping[str, Any] | None = None
    schema_name: str = ""
    usable: Callable[["ChatReply"], bool] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Tokens of calls, and how many calls. ``cached`` calls cost nothing; ``cost`` is in the currency of the prices.

    Of the ``calls``, ``estimated`` are those whose tokens the endpoint did not count, or not to the end.
    """

    calls: int = 0
    cached: int = 0
    estimated: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """Return both together."""
        return TokenUsage(
            calls=self.calls + other.calls,
            cached=self.cached + other.cached,
            estimated=self.estimated + other.estimated,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            reply_tokens=self.reply_tokens + other.reply_tokens,
            cost=self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What came back. ``text`` is untrusted: data, never instructions."""

    text: str
    model: str
    finish: Finish = "stop"
    usage: TokenUsage = field(default_factory=TokenUsage)


class ChatModel(Protocol):
    """Answers chats. Clients and the wrappers around them (cache, limits, budget) are all of this form."""

    @property
    def model_id(self) -> str:
        """The name of the model, as the endpoint knows it."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply. Raises ``ChatFailed`` or one of its kinds (:mod:`model_clients.chat.errors`)."""
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the reply's text piece by piece, and last the whole reply; errors as of ``complete``."""
        ...

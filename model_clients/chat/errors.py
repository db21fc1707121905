"""What can become of a call to a language model.

ChatFailed                the call gave nothing that can be used; the deterministic path takes over for that one thing
├── ReplyUnusable         a reply came, but not what was asked for: empty, refused, cut off, no JSON of the schema
├── RequestTooLong        what was sent is more than the model reads
├── EndpointFailed        the endpoint failed for good, after all retries
│   └── EndpointBusy      it failed now and may work in a moment: this is what is tried again
├── BudgetSpent           a budget is used up: what is done is kept, the next run goes on
└── NotAsked              no model was to be asked: only replies that are kept were to be used
EndpointUnusable          nothing can ever come of it as it is configured (key, address, model): the user can mend it
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from model_clients.chat.messages import TokenUsage
from model_clients.errors import ModelClientError, ModelUnusable

ReplyFault: TypeAlias = Literal["empty", "refused", "broken off", "endless", "of another form"]
"""What is wrong with a reply that cannot be used."""


class ChatFailed(ModelClientError):
    """A call gave nothing that can be used. The message is one sentence without any part of a key."""

    def __init__(self, message: str, *, usage: TokenUsage | None = None) -> None:
        super().__init__(message)
        self.usage = usage if usage is not None else TokenUsage()
        """What was used all the same: an endpoint is paid for replies that are of no use."""


class ReplyUnusable(ChatFailed):
    """The reply is not what was asked for. The message may hold parts of the reply; ``fault`` does not."""

    def __init__(self, message: str, *, usage: TokenUsage | None = None, fault: ReplyFault = "of another form") -> None:
        super().__init__(message, usage=usage)
        self.fault: ReplyFault = fault


class RequestTooLong(ChatFailed):
    """What was sent is longer than the model reads."""


class EndpointFailed(ChatFailed):
    """The endpoint failed, after all retries."""


class EndpointBusy(EndpointFailed):
    """The endpoint failed this time: too many requests, a fault of the server, a time limit, no connection."""

    def __init__(
        self,
        message: str,
        *,
        retry_after_s: float | None = None,
        timed_out: bool = False,
        usage: TokenUsage | None = None,
    ) -> None:
        super().__init__(message, usage=usage)
        self.retry_after_s = retry_after_s
        """Seconds that the endpoint asks to wait, None where it does not say."""
        self.timed_out = timed_out
        """Whether it took too long: the same call will hardly be quicker, and what it did is paid for each time."""


class BudgetSpent(ChatFailed):
    """A budget in tokens or money is used up."""


class NotAsked(ChatFailed):
    """No reply is kept, and no model was to be asked."""


class EndpointUnusable(ModelUnusable):
    """The endpoint refuses what is configured: the key, the address, the model."""


@contextmanager
def counted_in_failure(usage: TokenUsage) -> Iterator[None]:
    """Add what calls before it have used to the usage of a call that fails within the block."""
    try:
        yield
    except ChatFailed as error:
        error.usage = usage + error.usage
        raise

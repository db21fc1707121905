"""Failures of calls as they are told to whoever asked."""

from collections.abc import Mapping, Sized

from model_clients.chat.errors import ChatFailed, ReplyFault, ReplyUnusable
from model_clients.chat.messages import TokenUsage

BROKE_OFF = "the reply broke off; it may need more tokens"

_FAULTS: Mapping[ReplyFault, str] = {
    "empty": "it is empty",
    "refused": "the model refuses to reply",
    "broken off": "it broke off before it was whole; it may need more tokens",
    "endless": "it goes on far beyond the tokens that were asked for",
    "of another form": "it is not of the form that was asked for",
}


def told_failure(error: ChatFailed) -> str:
    """Return a failure in one line; of a reply that cannot be used nothing is told, for it is untrusted text."""
    if isinstance(error, ReplyUnusable):
        return f"the reply cannot be used: {_FAULTS[error.fault]}"
    return " ".join(str(error).split())


def told_break(came: Sized, usage: TokenUsage) -> tuple[str, ...]:
    """Return what is said of a reply that was cut off. Raises ``ReplyUnusable`` where nothing of it ``came`` before."""
    if not came:
        raise ReplyUnusable(BROKE_OFF, usage=usage, fault="broken off")
    return (BROKE_OFF,)

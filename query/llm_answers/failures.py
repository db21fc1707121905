"""Failures of calls as they are told to whoever asked."""

from model_clients.chat.errors import ChatFailed, ReplyUnusable


def told_failure(error: ChatFailed) -> str:
    """Return a failure in one line; of a reply that cannot be used nothing is told, for it is untrusted text."""
    if isinstance(error, ReplyUnusable):
        return "the reply cannot be used: it is empty, refused, cut off, or not of the form that was asked for"
    return " ".join(str(error).split())

"""The place of a model that is not to be asked: what it would be paid for is left to a later run."""

from collections.abc import AsyncIterator

from model_clients.chat.errors import NotAsked
from model_clients.chat.messages import ChatReply, ChatRequest


class UnaskedChatModel:
    """Bears the name of a model, so that what that made stays as it is, and replies to nothing."""

    def __init__(self, model_id: str) -> None:
        self._model_id = model_id

    @property
    def model_id(self) -> str:
        """The name of the model that is not asked."""
        return self._model_id

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Raise ``NotAsked``."""
        raise self._refusal(request)

    def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Raise ``NotAsked``."""
        raise self._refusal(request)

    def _refusal(self, request: ChatRequest) -> NotAsked:
        return NotAsked(f"{self._model_id!r} is not asked about {request.task} this time")

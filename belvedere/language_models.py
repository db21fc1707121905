"""Which language model does which task: the settings made into models, with what they share."""

import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from belvedere.store_location import StoreLocation
from model_clients.chat.background_loop import wait_for
from model_clients.chat.budgeted_model import Budget, BudgetedChatModel
from model_clients.chat.cached_model import CachedChatModel
from model_clients.chat.errors import EndpointUnusable, NotAsked
from model_clients.chat.limited_model import EndpointLimits, LimitedChatModel
from model_clients.chat.messages import ChatModel, TokenUsage
from model_clients.chat.openai_chat_model import OpenAiChatModel
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.reply_cache import ReplyCache
from model_clients.chat.retrying_model import Outage, RetryingChatModel
from model_clients.chat.settings import LlmSettings, ModelPrice
from model_clients.chat.task_model import TaskModel
from model_clients.chat.task_models import TaskModels
from model_clients.chat.unasked_model import UnaskedChatModel
from model_clients.chat.usage import MeteredChatModel

_REPLIES = "llm-replies.sqlite"


class LanguageModels:
    """The models of all tasks that are switched on. Making it is cheap: nothing is connected before the first call.

    They share connections, limits, the budget, and the replies that are kept beside the store. ``replies`` is there
    whatever the settings say: what an earlier run kept must be forgotten with its documents.
    """

    def __init__(self, settings: LlmSettings, replies: ReplyCache) -> None:
        self._settings = settings
        self._client = OpenAiClient(settings)
        self._limits = EndpointLimits(
            concurrency=settings.concurrency,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
        )
        self._outage = Outage()
        self._budget = Budget(settings.budget)
        self.replies = replies
        self.tasks = TaskModels(**{task: self._task_model(name) for task, name in settings.models().items()})
        self.kept_tasks = TaskModels(**{task: self._kept_task_model(name) for task, name in settings.models().items()})
        """The same models, which give kept replies and are never asked: nothing is paid."""

    @property
    def spent(self) -> TokenUsage:
        """What calls have used since the knowledge base was opened; kept replies cost nothing."""
        return self._budget.spent

    def _task_model(self, name: str) -> TaskModel:
        price = self._settings.prices.get(name, ModelPrice())
        return TaskModel(self._model(name, price), price)

    def _kept_task_model(self, name: str) -> TaskModel:
        return TaskModel(self._with_replies(UnaskedChatModel(name), self._address_if_any), ModelPrice())

    def _address(self) -> str:
        return self._client.endpoint.base_url

    def _address_if_any(self) -> str:
        """Return the address; what asks no endpoint goes on where none can be asked, for want of a key or so."""
        try:
            return self._address()
        except EndpointUnusable as error:
            raise NotAsked(str(error)) from error

    def _model(self, name: str, price: ModelPrice) -> ChatModel:
        """Return the model, and around it from inside out: limits, retries, the budget, kept replies, the counting."""
        settings = self._settings
        limited = LimitedChatModel(OpenAiChatModel(self._client, name, settings), self._limits)
        retrying = RetryingChatModel(limited, retries=settings.retries, outage=self._outage)
        paid = BudgetedChatModel(retrying, self._budget, price)
        return MeteredChatModel(self._with_replies(paid, self._address))

    def _with_replies(self, model: ChatModel, address: Callable[[], str]) -> ChatModel:
        return CachedChatModel(model, self.replies, address) if self._settings.cache else model

    def close(self) -> None:
        """Close the connections and the file of replies; the next call opens them again."""
        if self._client.is_open:
            wait_for(self._client.close())
        self.replies.close()


def replies_beside(
    location: StoreLocation, identity: Callable[[], str], environment: Mapping[str, str] | None = None
) -> ReplyCache:
    """Return the replies kept for a store: in its folder, for a server in the user's cache folder.

    ``identity`` tells the store on a server from every other, when it is first needed: one store has many addresses,
    and what is deleted by one of them must not stay under another.
    """
    if isinstance(location, Path):
        return ReplyCache(location / _REPLIES)
    variables = os.environ if environment is None else environment
    caches = Path(variables.get("XDG_CACHE_HOME") or "~/.cache").expanduser()

    def path() -> Path:
        name = sha256(identity().encode("utf-8")).hexdigest()[:16]
        return caches / "belvedere" / "llm" / name / _REPLIES

    return ReplyCache(path, make_folder=True)

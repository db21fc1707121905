"""Which language model does which task: the settings made into models, with what they share."""

from model_clients.chat.background_loop import wait_for
from model_clients.chat.openai_chat_model import OpenAiChatModel
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.settings import LlmSettings
from model_clients.chat.task_model import TaskModel
from model_clients.chat.task_models import TaskModels


class LanguageModels:
    """The models of all tasks that are switched on. Making it is cheap: nothing is connected before the first call."""

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._client = OpenAiClient(settings)
        made = {task: TaskModel(self._model(name)) for task, name in settings.models().items()}
        self.tasks = TaskModels(**made)

    def _model(self, name: str) -> OpenAiChatModel:
        return OpenAiChatModel(self._client, name, self._settings)

    def close(self) -> None:
        """Close the connections; the next call opens others."""
        if self._client.is_open:
            wait_for(self._client.close())

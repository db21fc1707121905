"""A server that the tests of clients ask."""

from collections.abc import Iterator

import pytest

from tests.llm.scripted_openai_server import ScriptedOpenAiServer, says, scripted_server
from tests.model_clients.chat.http_calls import KEY


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedOpenAiServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_server(says("hill")) as running:
        yield running

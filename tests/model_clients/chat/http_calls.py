"""Calls of the client over HTTP, each in a loop of its own."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from model_clients.chat.messages import ChatReply, ChatRequest
from model_clients.chat.openai_chat_model import OpenAiChatModel
from model_clients.chat.openai_client import OpenAiClient
from model_clients.chat.settings import LlmSettings
from tests.llm.scripted_openai_server import ScriptedOpenAiServer
from tests.model_clients.chat.chat_requests import streamed

KEY = "sk-test-0123456789abcdefghij"


def settings_for(server: ScriptedOpenAiServer, **given: object) -> LlmSettings:
    # A model of its own for each test: what an endpoint refuses is remembered by address and model.
    return replace(LlmSettings(base_url=server.base_url, timeout_s=5.0), **given)  # type: ignore[arg-type]  # any field


def complete(settings: LlmSettings, request: ChatRequest) -> ChatReply:
    async def run() -> ChatReply:
        model = OpenAiChatModel(OpenAiClient(settings), "m", settings)
        try:
            return await model.complete(request)
        finally:
            await model.close()

    return asyncio.run(run())


def stream(settings: LlmSettings, request: ChatRequest) -> tuple[list[str], ChatReply]:
    async def run() -> tuple[list[str], ChatReply]:
        model = OpenAiChatModel(OpenAiClient(settings), "m", settings)
        try:
            return await streamed(model.stream(request))
        finally:
            await model.close()

    return asyncio.run(run())


def whole(settings: LlmSettings, request: ChatRequest) -> ChatReply:
    return stream(settings, request)[1]


Way = Callable[[LlmSettings, ChatRequest], ChatReply]
both_ways = pytest.mark.parametrize("way", [complete, whole], ids=["complete", "stream"])

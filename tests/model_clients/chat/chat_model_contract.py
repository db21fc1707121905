"""What every chat model holds to, whatever it wraps: each test class gives one with ``make``."""

import asyncio
from collections.abc import Callable

import pytest

from model_clients.chat.errors import ReplyUnusable
from model_clients.chat.messages import ChatModel, ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from tests.model_clients.chat.chat_requests import a_request, streamed


def _echo(request: ChatRequest) -> str:
    return "you said:\n" + request.messages[-1].content


def _fail(_: ChatRequest) -> str:
    raise ReplyUnusable("nothing came")


class ChatModelContract:
    """Inherit this and give ``make``."""

    @pytest.fixture
    def make(self) -> Callable[[ChatModel], ChatModel]:
        raise NotImplementedError

    def test_it_has_the_name_of_the_model(self, make: Callable[[ChatModel], ChatModel]) -> None:
        assert make(ScriptedChatModel(_echo, model_id="m-1")).model_id == "m-1"

    def test_a_request_goes_through_unchanged_and_so_does_the_reply(
        self, make: Callable[[ChatModel], ChatModel]
    ) -> None:
        inner = ScriptedChatModel(_echo)
        request = a_request("hill")
        reply = asyncio.run(make(inner).complete(request))
        assert inner.requests == [request]
        assert reply == asyncio.run(ScriptedChatModel(_echo).complete(request))

    def test_a_stream_goes_through_in_its_pieces(self, make: Callable[[ChatModel], ChatModel]) -> None:
        async def run() -> tuple[object, object]:
            request = a_request("hill")
            through = await streamed(make(ScriptedChatModel(_echo)).stream(request))
            return through, await streamed(ScriptedChatModel(_echo).stream(request))

        through, plain = asyncio.run(run())
        assert through == plain

    def test_failures_go_through(self, make: Callable[[ChatModel], ChatModel]) -> None:
        model = make(ScriptedChatModel(_fail))
        with pytest.raises(ReplyUnusable, match="nothing came"):
            asyncio.run(model.complete(a_request()))
        with pytest.raises(ReplyUnusable, match="nothing came"):
            asyncio.run(streamed(model.stream(a_request())))

    def test_many_calls_at_once_get_each_its_own_reply(self, make: Callable[[ChatModel], ChatModel]) -> None:
        async def run() -> list[str]:
            model = make(ScriptedChatModel(_echo))
            return [
                reply.text
                for reply in await asyncio.gather(*(model.complete(a_request(f"n{number}")) for number in range(20)))
            ]

        assert asyncio.run(run()) == [f"you said:\nn{number}" for number in range(20)]

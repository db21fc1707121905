"""Calls that wait, over a scripted chat model: forms, the one repair, thinking, refusals."""

import threading
from collections.abc import AsyncIterator, Callable

import pytest
from pydantic import BaseModel, Field

from model_clients.chat.errors import EndpointFailed, EndpointUnusable, ReplyUnusable
from model_clients.chat.messages import ChatReply, ChatRequest, Finish, TokenUsage
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import StructuredReply, TaskModel
from tests.model_clients.chat.chat_requests import a_request


class _Answer(BaseModel):
    word: str


class _Item(BaseModel):
    name: str
    weight: float = Field(ge=0, le=1)


class _Items(BaseModel):
    items: list[_Item]


def saying(*replies: str) -> ScriptedChatModel:
    """Reply these in turn, the last for ever."""
    model = ScriptedChatModel(lambda _: replies[min(len(model.requests), len(replies)) - 1])
    return model


class _Ended:
    """Replies one text with an end of its own."""

    model_id = "m"

    def __init__(self, text: str, finish: Finish) -> None:
        self._reply = ChatReply(text=text, model="m", finish=finish)

    async def complete(self, _: ChatRequest) -> ChatReply:
        return self._reply

    async def stream(self, _: ChatRequest) -> AsyncIterator[str | ChatReply]:
        for start in range(0, len(self._reply.text), 3):
            yield self._reply.text[start : start + 3]
        yield self._reply


def test_a_reply_of_the_form_is_read_and_the_schema_is_sent() -> None:
    model = saying('{"word": "hill"}')
    reply = TaskModel(model).ask_for(a_request(), _Answer)
    assert (reply.value.word, reply.cut_off) == ("hill", False)
    assert model.requests[0].schema == _Answer.model_json_schema()
    assert model.requests[0].schema_name == "_Answer"


def test_a_reply_of_another_form_is_shown_to_the_model_once_with_its_fault() -> None:
    model = saying('{"wrod": "hill"}', '{"word": "hill"}')
    reply = TaskModel(model).ask_for(a_request(), _Answer)
    assert reply.value.word == "hill"
    assert reply.usage.calls == 2
    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert second.messages[-2].role == "assistant"
    assert second.messages[-2].content == '{"wrod": "hill"}'
    assert "word: Field required" in second.messages[-1].content
    assert second.prompt == "test/1+repair"


@pytest.mark.parametrize("bad", ["no JSON at all", "", '{"word": 5}', "[]", '{"word": "half'])
def test_a_second_reply_of_another_form_is_an_error(bad: str) -> None:
    model = saying(bad)
    with pytest.raises(ReplyUnusable, match="reply of 'scripted' is not the JSON") as caught:
        TaskModel(model).ask_for(a_request(), _Answer)
    assert type(caught.value) is ReplyUnusable
    assert len(model.requests) == 2


def test_what_the_model_is_told_of_its_faults_is_bounded() -> None:
    model = saying('{"items": [' + ", ".join('{"weight": "much"}' for _ in range(500)) + "]}")
    with pytest.raises(ReplyUnusable, match="and 995 more faults") as caught:
        TaskModel(model).ask_for(a_request(), _Items)
    assert len(str(caught.value)) < 1000
    assert sum(len(message.content) for message in model.requests[1].messages) < 6000


def test_values_out_of_range_are_not_of_the_form() -> None:
    model = saying('{"items": [{"name": "x", "weight": 9}]}', '{"items": [{"name": "x", "weight": 0.9}]}')
    assert TaskModel(model).ask_for(a_request(), _Items).value.items[0].weight == 0.9


def test_a_bare_list_is_taken_for_the_one_list_of_the_form() -> None:
    reply = TaskModel(saying('[{"name": "x", "weight": 1}]')).ask_for(a_request(), _Items)
    assert [item.name for item in reply.value.items] == ["x"]


def test_a_reply_that_breaks_off_gives_its_whole_items_and_says_so() -> None:
    text = '{"items": [{"name": "x", "weight": 1}, {"name": "y", "wei'
    reply = TaskModel(_Ended(text, "length")).ask_for(a_request(), _Items)
    assert ([item.name for item in reply.value.items], reply.cut_off) == (["x"], True)


def test_one_bad_reply_loses_no_other() -> None:
    replies = TaskModel(
        ScriptedChatModel(lambda request: "{" if request.messages[0].content == "bad" else '{"word": "x"}')
    ).ask_all_for([a_request("good"), a_request("bad"), a_request("good")], _Answer)
    assert [isinstance(reply, StructuredReply) for reply in replies] == [True, False, True]


def test_an_endpoint_that_can_never_serve_ends_all_calls() -> None:
    def script(request: ChatRequest) -> str:
        if request.messages[0].content == "bad":
            raise EndpointUnusable("no such model")
        return '{"word": "x"}'

    with pytest.raises(EndpointUnusable, match="no such model"):
        TaskModel(ScriptedChatModel(script)).ask_all_for([a_request("good"), a_request("bad")], _Answer)


def test_failures_of_the_endpoint_are_not_repaired() -> None:
    def fail(_: ChatRequest) -> str:
        raise EndpointFailed("down")

    model = ScriptedChatModel(fail)
    (reply,) = TaskModel(model).ask_all_for([a_request()], _Answer)
    assert isinstance(reply, EndpointFailed)
    assert len(model.requests) == 1


def test_only_replies_of_the_form_are_worth_keeping() -> None:
    model = saying('{"word": "x"}')
    TaskModel(model).ask_for(a_request(), _Answer)
    usable = model.requests[0].usable
    assert usable is not None
    for text, good in (
        ('{"word": "x"}', True),
        ("no", False),
        ('{"word": 3}', False),
        ('```\n{"word": "x"}\n```', True),
    ):
        assert usable(ChatReply(text=text, model="m")) is good


def _ask(model: TaskModel) -> str:
    return model.ask(a_request()).text


def _stream(model: TaskModel) -> str:
    return "".join(model.stream(a_request()))


plainly = pytest.mark.parametrize("ask", [_ask, _stream])


@plainly
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>what now?</think>\n\nThe hill.", "The hill."),
        ("The hill <b>there</b>.", "The hill <b>there</b>."),
        ("<them> of the hill", "<them> of the hill"),
        ("<", "<"),
    ],
)
def test_thinking_is_never_shown(ask: Callable[[TaskModel], str], text: str, shown: str) -> None:
    assert ask(TaskModel(_Ended(text, "stop"))) == shown


@plainly
@pytest.mark.parametrize("text", ["", " \n ", "<think>and so on", "<think>a</think>"])
def test_an_empty_reply_is_unusable(ask: Callable[[TaskModel], str], text: str) -> None:
    with pytest.raises(ReplyUnusable, match="is empty"):
        ask(TaskModel(_Ended(text, "length")))


@plainly
def test_a_refusal_is_unusable(ask: Callable[[TaskModel], str]) -> None:
    with pytest.raises(ReplyUnusable, match="refuses"):
        ask(TaskModel(_Ended("I cannot help.", "refused")))
    with pytest.raises(ReplyUnusable, match="refuses"):
        TaskModel(_Ended('{"word": "x"}', "refused")).ask_for(a_request(), _Answer)


def test_a_stream_gives_its_pieces_and_at_last_the_whole() -> None:
    stream = TaskModel(saying("one\ntwo")).stream(a_request())
    assert list(stream) == ["one\n", "two"]
    assert stream.reply is not None
    assert (stream.reply.text, stream.reply.usage.calls) == ("one\ntwo", 1)


def test_a_stream_that_is_left_ends_its_call_at_once() -> None:
    ended = threading.Event()

    class Slow(_Ended):
        async def stream(self, _: ChatRequest) -> AsyncIterator[str | ChatReply]:
            try:
                yield "one "
                yield "two "
                yield ChatReply(text="one two ", model="m", usage=TokenUsage(calls=1))
            finally:
                ended.set()

    stream = TaskModel(Slow("", "stop")).stream(a_request())
    assert next(stream) == "one "
    stream.close()
    assert ended.is_set()

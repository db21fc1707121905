"""Calls that wait, over a scripted chat model."""

import pytest
from pydantic import BaseModel

from model_clients.chat.errors import ReplyUnusable
from model_clients.chat.messages import CallScope, ChatRequest, Message
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import StructuredReply, TaskModel


class _Answer(BaseModel):
    word: str


def _request(text: str = "say a word") -> ChatRequest:
    return ChatRequest(
        task="answers",
        prompt="test/1",
        messages=(Message(role="user", content=text),),
        scope=CallScope(tenant="t"),
        max_tokens=20,
    )


def test_a_reply_of_the_form_is_read_and_the_schema_is_sent() -> None:
    model = ScriptedChatModel(lambda _: '{"word": "hill"}')
    reply = TaskModel(model).ask_for(_request(), _Answer)
    assert reply.value.word == "hill"
    assert model.requests[0].schema == _Answer.model_json_schema()


def test_a_reply_of_another_form_is_an_error() -> None:
    with pytest.raises(ReplyUnusable, match="scripted"):
        TaskModel(ScriptedChatModel(lambda _: "no JSON at all")).ask_for(_request(), _Answer)


def test_one_bad_reply_loses_no_other() -> None:
    replies = TaskModel(
        ScriptedChatModel(lambda request: "{" if request.messages[0].content == "bad" else '{"word": "x"}')
    ).ask_all_for([_request("good"), _request("bad"), _request("good")], _Answer)
    assert [isinstance(reply, StructuredReply) for reply in replies] == [True, False, True]


def test_a_stream_gives_the_whole_reply() -> None:
    pieces = list(TaskModel(ScriptedChatModel(lambda _: "one\ntwo")).stream(_request()))
    assert pieces == ["one\n", "two"]

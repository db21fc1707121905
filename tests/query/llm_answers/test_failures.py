"""What is told of replies that cannot be used."""

import pytest

from model_clients.chat.errors import ReplyUnusable
from model_clients.chat.messages import ChatReply, Finish
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.structured_reply import read_reply
from model_clients.chat.task_model import TaskModel
from query.llm_answers.failures import told_failure
from query.llm_answers.replies import AnswerReply
from tests.model_clients.chat.chat_requests import a_request

SAYS = "visit evil.example"


@pytest.mark.parametrize(
    ("text", "finish", "told"),
    [
        ("", "stop", "it is empty"),
        (SAYS, "refused", "the model refuses to reply"),
        (SAYS, "length", "it broke off before it was whole; it may need more tokens"),
        (SAYS, "stop", "it is not of the form that was asked for"),
        (f'{{"sentences": "{SAYS}"}}', "stop", "it is not of the form that was asked for"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_of_the_reply(text: str, finish: Finish, told: str) -> None:
    with pytest.raises(ReplyUnusable) as caught:
        read_reply(ChatReply(text=text, model=SAYS, finish=finish), AnswerReply)
    assert told_failure(caught.value) == f"the reply cannot be used: {told}"


def test_what_was_wrong_with_the_repaired_reply_is_told() -> None:
    replies = iter((SAYS, ""))
    model = TaskModel(ScriptedChatModel(lambda _: next(replies)))
    with pytest.raises(ReplyUnusable) as caught:
        model.ask_for(a_request(), AnswerReply)
    assert told_failure(caught.value) == "the reply cannot be used: it is empty"

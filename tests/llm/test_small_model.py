"""A real model over HTTP, through the openai package: forms, streams, counts, kept replies, faults; not eloquence."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from model_clients.chat.dialect import dialect_of
from model_clients.chat.errors import BudgetSpent, EndpointFailed, RequestTooLong
from model_clients.chat.messages import CallScope, ChatRequest, Message
from model_clients.chat.settings import BudgetSettings, LlmSettings, ModelPrice, TaskSettings
from model_clients.chat.task_model import StructuredReply, TaskModel
from model_clients.chat.token_estimate import estimated_prompt_tokens
from model_clients.chat.usage import collected_usage
from tests.llm.scripted_openai_server import scripted_server
from tests.llm.small_model import NAME, SmallModel
from tests.model_clients.chat.chat_requests import a_request

pytestmark = pytest.mark.llm


class _Found(BaseModel):
    name: str = Field(max_length=60)
    kind: str = Field(max_length=20)


class _Names(BaseModel):
    """What an extraction might ask for."""

    names: list[_Found] = Field(max_length=2)


TEXT = "Anna Lind built the lighthouse of Norby in 1871."


@pytest.fixture
def settings(small_chat_model: SmallModel, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    prices = {NAME: ModelPrice(prompt=1.0, reply=2.0)}
    tasks = TaskSettings(extraction=True, answers=True)
    return Settings(
        llm=LlmSettings(base_url=small_chat_model.base_url, model=NAME, tasks=tasks, prices=prices, timeout_s=300.0)
    )


@pytest.fixture
def kb(settings: Settings, tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path, config=settings) as opened:
        yield opened


def extraction(kb: KnowledgeBase) -> TaskModel:
    assert kb.language_models.extraction is not None
    return kb.language_models.extraction


def names_in(text: str, *, max_tokens: int = 60) -> ChatRequest:
    return ChatRequest(
        task="extraction",
        prompt="test-names/1",
        messages=(
            Message(role="system", content="List the names in the text as JSON."),
            Message(role="user", content=text),
        ),
        scope=CallScope(tenant="t", documents=("d",), unit="d"),
        max_tokens=max_tokens,
    )


def test_a_reply_has_the_form_and_its_counts_and_is_paid_once(kb: KnowledgeBase) -> None:
    with collected_usage() as first:
        reply = extraction(kb).ask_for(names_in(TEXT), _Names)
    assert isinstance(reply.value, _Names)
    used = first.by_unit("extraction")["d"]
    assert used.calls in {1, 2}
    assert used.prompt_tokens > 10
    assert used.reply_tokens > 0
    assert used.cost == pytest.approx((used.prompt_tokens + 2 * used.reply_tokens) / 1e6)
    if reply.cut_off:
        return  # what breaks off is not kept
    with collected_usage() as second:
        again = extraction(kb).ask_for(names_in(TEXT), _Names)
    assert again.value == reply.value
    assert second.total.calls == 0
    assert second.total.cached == used.calls


def test_the_endpoint_takes_a_schema(kb: KnowledgeBase, settings: Settings) -> None:
    extraction(kb).ask_all_for([names_in(f"{TEXT} {number}") for number in range(2)], _Names)
    assert dialect_of(settings.llm.base_url, NAME, "auto").json_mode == "json_schema"


def test_a_stream_comes_in_pieces_with_counts_of_the_endpoint(kb: KnowledgeBase) -> None:
    assert kb.language_models.answers is not None
    with collected_usage() as meter:
        stream = kb.language_models.answers.stream(a_request("Count from one to ten in words.", max_tokens=16))
        pieces = list(stream)
    assert len(pieces) > 3
    assert stream.reply is not None
    assert "".join(pieces).strip() == stream.reply.text
    assert meter.total.reply_tokens == stream.reply.usage.reply_tokens > 3


def test_estimates_are_rather_too_high_than_too_low(kb: KnowledgeBase) -> None:
    for text in (TEXT * 5, "Die Straßenbahn fährt über die Brücke. " * 5, "東京の塔は高い。" * 6):
        request = a_request(text, max_tokens=1)
        usage = extraction(kb).ask(request).usage
        # The server puts a system message of its own before ours.
        assert usage.prompt_tokens <= estimated_prompt_tokens(request) + 40
        assert usage.prompt_tokens > estimated_prompt_tokens(request) / 3


def test_more_than_the_model_reads_is_told_as_that(kb: KnowledgeBase) -> None:
    with pytest.raises(RequestTooLong, match=f"more was sent than '{NAME}' reads: .*4096"):
        extraction(kb).ask(a_request("word " * 6000))


def test_one_call_too_long_loses_no_other(kb: KnowledgeBase) -> None:
    bad, good = extraction(kb).ask_all_for([names_in("word " * 6000), names_in("Oslo.")], _Names)
    assert isinstance(bad, RequestTooLong)
    assert isinstance(good, StructuredReply)


def test_a_budget_stops_before_the_call_that_would_exceed_it(settings: Settings, tmp_path: Path) -> None:
    small = replace(settings, llm=replace(settings.llm, budget=BudgetSettings(tokens=50)))
    with KnowledgeBase.open(tmp_path, config=small) as kb, pytest.raises(BudgetSpent):
        extraction(kb).ask(names_in(TEXT, max_tokens=100))


def test_an_endpoint_that_is_gone_is_told_as_that(settings: Settings, tmp_path: Path) -> None:
    with scripted_server([]) as gone:
        address = gone.base_url
    there = replace(settings, llm=replace(settings.llm, base_url=address, retries=0))
    with KnowledgeBase.open(tmp_path, config=there) as kb, pytest.raises(EndpointFailed, match="no connection"):
        extraction(kb).ask(names_in(TEXT))

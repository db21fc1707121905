"""What indexing with a language model costs, counted by a model that replies by rules."""

import json

import pytest

from belvedere.estimate.counting_model import CountingModel, KnownFacts, counted_tokens
from benchmarks.llm_simulation import EXAMPLE_PRICES, PriceList, bill, read_prices
from model_clients.chat.marked_data import MarkedItem, mark_data
from model_clients.chat.messages import CallScope, ChatRequest, Message, Task, TokenUsage
from model_clients.chat.task_model import TaskModel

PASSAGE = "Anna Lind built the lighthouse of Norby. It is red. She moved to Bergen with Erik Holm."


def request(task: Task, prompt: str, texts: list[str], *, document: str = "d1") -> ChatRequest:
    data = mark_data([MarkedItem(text=text) for text in texts])
    return ChatRequest(
        task=task,
        prompt=prompt,
        messages=(Message(role="system", content="Do it."), Message(role="user", content=data.text)),
        scope=CallScope(tenant="default", documents=(document,)),
        max_tokens=100,
    )


def test_names_and_pairs_of_names_are_told_with_verbatim_quotes() -> None:
    model = CountingModel()
    told = json.loads(TaskModel(model).ask(request("extraction", "extraction/1", [PASSAGE])).text)
    assert [entity["name"] for entity in told["entities"]] == ["Anna Lind", "Norby", "It", "She", "Bergen", "Erik Holm"]
    assert [(relation["source"], relation["target"]) for relation in told["relations"]] == [
        *(("Anna Lind", "Norby"), ("She", "Bergen")),
    ]
    assert all(relation["quote"] in PASSAGE for relation in told["relations"])
    again = json.loads(TaskModel(model).ask(request("extraction", "extraction/1/second_look", [PASSAGE])).text)
    assert [entity["name"] for entity in again["entities"]] == ["Anna Lind", "She"]


def test_known_facts_of_a_document_are_told_whole() -> None:
    facts = KnownFacts(entities=("Norby", "1871"), triples=(("Norby", "has", "lighthouse"),))
    model = TaskModel(CountingModel(known={"d1": facts}))
    told = json.loads(model.ask(request("extraction", "extraction/1", [PASSAGE])).text)
    assert [entity["name"] for entity in told["entities"]] == ["Norby", "1871"]
    assert told["relations"][0]["quote"] == "Anna Lind built the lighthouse of Norby."
    other = json.loads(model.ask(request("extraction", "extraction/1", [PASSAGE], document="d2")).text)
    assert len(other["entities"]) == 6


def test_claims_are_the_first_evidence() -> None:
    told = json.loads(
        TaskModel(CountingModel()).ask(request("reports", "told/1", [f"Line {n}." for n in range(9)])).text
    )
    assert told["title"] == "Line 0."
    assert told["claims"][5] == {"text": "Line 5.", "evidence": [6]}
    assert len(told["claims"]) == 6


def test_calls_are_counted_by_prompt_with_their_schema() -> None:
    model = CountingModel()
    asked = request("reports", "told/1", ["A line."])
    reply = TaskModel(model).ask(asked)
    TaskModel(model).ask(asked)
    used = model.counts["reports: told/1"]
    assert used.calls == 2
    assert used.reply_tokens == 2 * counted_tokens(reply.text)
    assert used.prompt_tokens == 2 * sum(counted_tokens(message.content) for message in asked.messages)
    assert counted_tokens("four") == 1
    assert counted_tokens("five5") == 2


def test_a_streamed_reply_is_counted_as_a_whole_one() -> None:
    whole, streamed = CountingModel(), CountingModel()
    asked = request("reports", "told/1", ["A line."])
    assert "".join(TaskModel(streamed).stream(asked)) == TaskModel(whole).ask(asked).text
    assert streamed.counts == whole.counts


def test_a_bill_by_hand() -> None:
    prices = PriceList(
        prompt=2.0, reply=10.0, per_hour=3.0, tokens_per_second=100.0, prompt_tokens_per_second=1000.0, at_once=2
    )
    made = bill(TokenUsage(calls=1, prompt_tokens=3600, reply_tokens=720), 1000.0, prices)
    assert (made.prompt_tokens, made.reply_tokens) == (3.6, 0.72)
    assert made.hours == pytest.approx((3600.0 + 7200.0) / 2 / 3600)
    assert made.money == pytest.approx(3.6 * 2.0 + 0.72 * 10.0 + 1.5 * 3.0)


def test_there_are_three_example_lists() -> None:
    lists = read_prices(EXAMPLE_PRICES)
    assert len(lists) == 3
    assert all(found.at_once >= 1 and found.tokens_per_second > 0 for found in lists.values())
    assert "nobody's prices" in EXAMPLE_PRICES.read_text(encoding="utf-8")

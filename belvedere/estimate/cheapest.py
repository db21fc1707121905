"""What each task costs with each model that has a price, cheapest first, and what it buys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from model_clients.chat.messages import Task
from model_clients.chat.settings import ModelPrice

if TYPE_CHECKING:
    from belvedere.estimate.estimate import Estimate
    from belvedere.estimate.task_estimate import TaskEstimate

BUYS: Mapping[Task, str] = {
    "extraction": "entities and relations with types, descriptions and quotes, in the place of those of the parser; "
    "better graphs, communities and answers across documents",
    "reports": "readable reports on communities in the place of chosen sentences; better answers about themes",
    "summaries": "readable summaries of documents and of the collection in the place of chosen sentences",
    "rewriting": "follow-ups understood from what was asked before, and searches in other words where they are on",
    "answers": "answers in words of their own, in the language of the question, in the place of quotations",
    "judge": "in `belvedere eval`, claims judged by their meaning in the place of words and vectors in common",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One task done by one model, for the whole collection or for one question.

    ``cost`` is None where the model has no price, ``tokens`` are those sent and replied.
    """

    task: Task
    per: Literal["collection", "question"]
    model: str
    tokens: float
    cost: float | None
    buys: str


def offers_of(found: "Estimate", prices: Mapping[str, ModelPrice]) -> tuple[Offer, ...]:
    """Return every task with every priced model, those of the collection first, each kind cheapest first.

    Where no price is configured it is by tokens.
    """
    offers = [
        *(_offer(task, "collection", *priced) for task in found.tasks.values() for priced in _priced(task, prices)),
        *(
            _offer(task, "question", *priced)
            for task in found.per_question.values()
            for priced in _priced(task, prices)
        ),
    ]
    return tuple(
        sorted(offers, key=lambda offer: (offer.per, offer.cost or 0.0, offer.tokens, offer.task, offer.model))
    )


def _priced(
    task: "TaskEstimate", prices: Mapping[str, ModelPrice]
) -> Sequence[tuple[str, ModelPrice]] | Sequence[tuple[str, None]]:
    return sorted(prices.items()) if prices else [(task.model, None)]


def _offer(task: "TaskEstimate", per: Literal["collection", "question"], model: str, price: ModelPrice | None) -> Offer:
    cost = None if price is None else task.cost_at(price).likely
    return Offer(task=task.task, per=per, model=model, tokens=task.tokens.likely, cost=cost, buys=BUYS[task.task])

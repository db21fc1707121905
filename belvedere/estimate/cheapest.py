"""What each task costs with each model that has a price, cheapest first, and what it buys."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from model_clients.chat.messages import Task
from model_clients.chat.settings import ModelPrice

if TYPE_CHECKING:
    from belvedere.estimate.estimate import Estimate

BUYS: Mapping[Task, str] = {
    "extraction": "entities and relations with types, descriptions and quotes, in the place of those of the parser; "
    "better graphs, communities and answers across documents",
    "reports": "readable reports on communities in the place of chosen sentences; better answers about themes",
    "summaries": "readable summaries of documents and of the collection in the place of chosen sentences",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One task done by one model; ``cost`` is None where it has no price, ``tokens`` are those sent and replied."""

    task: Task
    model: str
    tokens: float
    cost: float | None
    buys: str


def offers_of(found: "Estimate", prices: Mapping[str, ModelPrice]) -> tuple[Offer, ...]:
    """Return every task with every priced model, cheapest first; by tokens where no price is configured."""
    offers = [
        Offer(
            task=task.task,
            model=model,
            tokens=task.tokens.likely,
            cost=task.cost_at(price).likely,
            buys=BUYS[task.task],
        )
        for task in found.tasks.values()
        for model, price in sorted(prices.items())
    ]
    if not offers:
        offers = [
            Offer(task=task.task, model=task.model, tokens=task.tokens.likely, cost=None, buys=BUYS[task.task])
            for task in found.tasks.values()
        ]
    return tuple(sorted(offers, key=lambda offer: (offer.cost or 0.0, offer.tokens, offer.task, offer.model)))

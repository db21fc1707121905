"""What a large collection would cost and take at the prices of a list, by what a small one used up."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from model_clients.chat.messages import TokenUsage

EXAMPLE_PRICES = Path(__file__).with_name("example_prices.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """Prices of a million tokens, of an hour of a machine, and how fast calls are answered, ``at_once`` of them."""

    prompt: float
    reply: float
    per_hour: float
    tokens_per_second: float
    prompt_tokens_per_second: float
    at_once: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Millions of tokens, money in the currency of the list, and hours of waiting for calls."""

    prompt_tokens: float
    reply_tokens: float
    money: float
    hours: float


def read_prices(path: Path) -> dict[str, PriceList]:
    """Read price lists by name."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {str(name): PriceList(**values) for name, values in content.items()}


def bill(used: TokenUsage, times: float, prices: PriceList) -> Bill:
    """Return what ``times`` as much as was ``used`` would cost and take; everything grows as the number of chunks does.

    The time is that of reading prompts and writing replies, with ``at_once`` calls always under way.
    """
    sent, replied = used.prompt_tokens * times, used.reply_tokens * times
    seconds = (sent / prices.prompt_tokens_per_second + replied / prices.tokens_per_second) / prices.at_once
    hours = seconds / 3600.0
    money = (sent * prices.prompt + replied * prices.reply) / 1e6 + hours * prices.per_hour
    return Bill(prompt_tokens=sent / 1e6, reply_tokens=replied / 1e6, money=money, hours=hours)

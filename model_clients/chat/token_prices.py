"""What tokens cost."""

from model_clients.chat.messages import TokenUsage
from model_clients.chat.settings import ModelPrice


def priced(price: ModelPrice, prompt_tokens: int, reply_tokens: int) -> TokenUsage:
    """Return what one call has used, at a price for a million tokens."""
    cost = (prompt_tokens * price.prompt + reply_tokens * price.reply) / 1_000_000
    return TokenUsage(calls=1, prompt_tokens=prompt_tokens, reply_tokens=reply_tokens, cost=cost)

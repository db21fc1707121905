"""What tokens cost."""

from model_clients.chat.messages import ChatRequest, TokenUsage
from model_clients.chat.settings import ModelPrice
from model_clients.chat.token_estimate import estimated_prompt_tokens, estimated_tokens


def priced(price: ModelPrice, prompt_tokens: int, reply_tokens: int, *, estimated: bool = False) -> TokenUsage:
    """Return what one call has used, at a price for a million tokens."""
    cost = (prompt_tokens * price.prompt + reply_tokens * price.reply) / 1_000_000
    return TokenUsage(
        calls=1, estimated=int(estimated), prompt_tokens=prompt_tokens, reply_tokens=reply_tokens, cost=cost
    )


def estimated_usage(price: ModelPrice, request: ChatRequest, text: str) -> TokenUsage:
    """Return about what one call has used that came to ``text``, where nobody counted."""
    return priced(price, estimated_prompt_tokens(request), estimated_tokens(text), estimated=True)

"""How many tokens a text will be counted as, where the model's own tokenizer is not at hand.

Tokenizers of current models make a token of about four letters of English and of about one ideograph; three bytes of
UTF-8 a token errs on the side of too many for both.
"""

from collections.abc import Iterable

from model_clients.chat.messages import ChatRequest, Message

_BYTES_PER_TOKEN = 3
# Roles and separators around each message.
_TOKENS_PER_MESSAGE = 5


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def estimated_message_tokens(messages: Iterable[Message]) -> int:
    """Return about how many tokens messages have."""
    return sum(_TOKENS_PER_MESSAGE + estimated_tokens(message.content) for message in messages)


def estimated_prompt_tokens(request: ChatRequest) -> int:
    """Return about how many tokens of a request are sent, its schema counted."""
    schema = 0 if request.schema is None else estimated_tokens(str(request.schema))
    return schema + estimated_message_tokens(request.messages)

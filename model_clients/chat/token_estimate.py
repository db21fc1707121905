"""How many tokens a text will be counted as, where the model's own tokenizer is not at hand.

Tokenizers of current models make a token of about four letters of English and of one ideograph or two letters of other
scripts; those of small models make two tokens of an ideograph. ``estimated_tokens`` errs on the side of too many, for
limits and budgets; ``likely_tokens`` is in the middle, for telling beforehand what something will cost.
"""

import math
from collections.abc import Iterable

from model_clients.chat.messages import ChatRequest, Message

_BYTES_PER_TOKEN = 3
_OTHER_BYTES_PER_TOKEN = 1.5
_LIKELY_BYTES_PER_TOKEN = 4.2
_LIKELY_OTHER_BYTES_PER_TOKEN = 2.7
# Roles and separators around each message.
_TOKENS_PER_MESSAGE = 5


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    plain, other = _bytes(text)
    return math.ceil(plain / _BYTES_PER_TOKEN + other / _OTHER_BYTES_PER_TOKEN)


def likely_tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    plain, other = _bytes(text)
    return math.ceil(plain / _LIKELY_BYTES_PER_TOKEN + other / _LIKELY_OTHER_BYTES_PER_TOKEN)


def _bytes(text: str) -> tuple[int, int]:
    """Return how many bytes of UTF-8 are those of ASCII characters, and how many are others."""
    whole = len(text.encode("utf-8", "replace"))
    if whole == len(text):
        return whole, 0
    plain = sum(character < "\x80" for character in text)
    return plain, whole - plain


def estimated_message_tokens(messages: Iterable[Message]) -> int:
    """Return about how many tokens messages have."""
    return sum(_TOKENS_PER_MESSAGE + estimated_tokens(message.content) for message in messages)


def estimated_prompt_tokens(request: ChatRequest) -> int:
    """Return about how many tokens of a request are sent, its schema counted."""
    schema = 0 if request.schema is None else estimated_tokens(str(request.schema))
    return schema + estimated_message_tokens(request.messages)


def likely_prompt_tokens(request: ChatRequest) -> int:
    """Return about how many tokens of a request are sent, its schema counted."""
    schema = 0 if request.schema is None else likely_tokens(str(request.schema))
    return schema + sum(_TOKENS_PER_MESSAGE + likely_tokens(message.content) for message in request.messages)

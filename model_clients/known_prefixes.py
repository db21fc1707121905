"""Prefixes that families of embedding models were trained with.

Sources are the model cards: intfloat/e5-*, BAAI/bge-*-en-v1.5, nomic-ai/nomic-embed-text-*,
Snowflake/snowflake-arctic-embed-*, mixedbread-ai/mxbai-embed-large-v1. A model used without its prefixes answers
noticeably worse, and nothing tells.
"""

import re
from dataclasses import dataclass

_SEARCH_INSTRUCTION = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """What stands before a question and before a passage; empty for nothing."""

    question: str = ""
    passage: str = ""


_FAMILIES: tuple[tuple[re.Pattern[str], Prefixes], ...] = (
    (
        re.compile(r"(^|/)(multilingual-)?e5-(small|base|large)(-v2)?$"),
        Prefixes(question="query: ", passage="passage: "),
    ),
    (re.compile(r"(^|/)bge-(small|base|large)-en(-v1\.5)?$"), Prefixes(question=_SEARCH_INSTRUCTION)),
    (re.compile(r"(^|/)mxbai-embed-(large|xsmall)-v1$"), Prefixes(question=_SEARCH_INSTRUCTION)),
    (re.compile(r"(^|/)snowflake-arctic-embed-(xs|s|m|l)(-v1\.5)?$"), Prefixes(question=_SEARCH_INSTRUCTION)),
    (re.compile(r"(^|/)snowflake-arctic-embed-(m|l)-v2\.0$"), Prefixes(question="query: ")),
    (
        re.compile(r"(^|/)nomic-embed-text-v(1|1\.5|2-moe)$"),
        Prefixes(question="search_query: ", passage="search_document: "),
    ),
)


def known_prefixes(model: str) -> Prefixes:
    """Return the prefixes of the family that a model name belongs to; empty ones where the family is not known."""
    name = model.rstrip("/").lower()
    return next((prefixes for pattern, prefixes in _FAMILIES if pattern.search(name)), Prefixes())

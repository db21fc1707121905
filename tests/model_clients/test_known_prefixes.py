import pytest

from model_clients.known_prefixes import Prefixes, known_prefixes


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("/models/e5-base/", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("Snowflake/snowflake-arctic-embed-m-v2.0", "query: ", ""),
    ],
)
def test_families(model: str, question: str, passage: str) -> None:
    assert known_prefixes(model) == Prefixes(question=question, passage=passage)


@pytest.mark.parametrize(
    "model",
    [
        "bundled:all-MiniLM-L6-v2",
        "BAAI/bge-m3",
        "intfloat/multilingual-e5-large-instruct",
        "intfloat/e5-mistral-7b-instruct",
    ],
)
def test_models_that_want_nothing_or_something_else(model: str) -> None:
    assert known_prefixes(model) == Prefixes()

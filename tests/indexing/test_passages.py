import numpy as np
import pytest

from graph_store.indexed_text import indexed_text
from graph_store.records import Chunk
from indexing.passages import chunk_tokens, passages_of
from model_clients.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder(32)
TEXT = "Elsa directs it. It opened in Lisbon."


def chunk(position: int, text: str, *, context: str = "", headings: tuple[str, ...] = ()) -> Chunk:
    return Chunk(
        id=f"c{position}",
        document_id="d",
        document_version=1,
        text=text,
        heading_path=headings,
        char_start=0,
        char_end=len(text),
        position=position,
        context=context,
    )


@pytest.mark.parametrize("title", ["", "Rota station"])
def test_tokens_start_in_the_chunk_and_those_before_it_at_minus_one(title: str) -> None:
    chunks = [chunk(0, TEXT), chunk(1, TEXT, headings=("History",), context="| name | year |")]
    embedded = EMBEDDER.embed_passages(passages_of(title, chunks, ()), with_tokens=True)
    for one, tokens in zip(chunks, chunk_tokens(title, chunks, embedded.tokens), strict=True):
        own = [start for start, _ in EMBEDDER.token_spans(one.text)]
        before = len(EMBEDDER.token_spans(indexed_text(title, one))) - len(own)
        assert tokens.starts.tolist() == [-1] * before + own
        assert tokens.starts.dtype == np.int32
        assert len(tokens.vectors) == len(tokens.starts)


def test_where_no_tokens_were_made_there_are_none() -> None:
    assert list(chunk_tokens("Title", [chunk(0, TEXT)], ())) == []


def test_tokens_stay_with_their_chunk() -> None:
    chunks = [chunk(0, "Elsa"), chunk(1, "Lisbon harbour")]
    embedded = EMBEDDER.embed_passages(passages_of("", chunks, ()), with_tokens=True)
    first, second = chunk_tokens("", chunks, embedded.tokens)
    assert (len(first.starts), len(second.starts)) == (1, 2)
    assert np.array_equal(first.vectors[0], EMBEDDER.embed_question_tokens("elsa").tokens.vectors[0])

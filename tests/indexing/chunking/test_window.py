from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.chunking.errors import ChunkingError
from indexing.chunking.settings import ChunkingSettings
from indexing.chunking.window import window_spans
from model_clients.hashing_embedder import HashingEmbedder
from tests.indexing.chunking.checked import chunked, texts_of


@pytest.mark.parametrize(("size", "overlap", "count"), [(512, 0, 2), (512, 64, 3), (256, 64, 5)])
def test_a_thousand_tokens(size: int, overlap: int, count: int) -> None:
    assert len(window_spans(1000, size, overlap)) == count
    text = " ".join(f"w{number}" for number in range(1000))
    settings = ChunkingSettings(strategy="window", window_tokens=size, window_overlap=overlap)
    result = chunked(text, settings, title="", embedder=HashingEmbedder(dimension=8, max_tokens=512))
    words = [[int(word[1:]) for word in chunk.split()] for chunk in texts_of(result)]
    assert [(numbers[0], numbers[-1] + 1) for numbers in words] == window_spans(1000, size, overlap)


@given(tokens=st.integers(1, 5000), size=st.integers(1, 600), overlap=st.integers(0, 599))
def test_the_arithmetic_is_exact(tokens: int, size: int, overlap: int) -> None:
    overlap %= size
    stride = size - overlap
    spans = window_spans(tokens, size, overlap)
    assert len(spans) == max(1, ceil((tokens - size) / stride) + 1)
    assert [start for start, _ in spans] == [number * stride for number in range(len(spans))]
    assert all(end - start == size for start, end in spans[:-1])
    assert spans[-1][1] == tokens
    assert len(spans) == 1 or spans[-1][1] > spans[-2][1]


def test_few_tokens_and_none() -> None:
    assert window_spans(0, 10, 2) == []
    assert window_spans(10, 10, 2) == [(0, 10)]
    assert window_spans(11, 10, 2) == [(0, 10), (8, 11)]


def test_inflation_is_size_over_stride() -> None:
    spans = window_spans(100_000, 256, 64)
    assert sum(end - start for start, end in spans) / 100_000 == pytest.approx(256 / 192, rel=0.01)


@pytest.mark.parametrize("overlap", [-1, 10, 11])
def test_an_overlap_that_never_ends_is_refused(overlap: int) -> None:
    with pytest.raises(ChunkingError, match="cannot share"):
        window_spans(100, 10, overlap)


def test_windows_are_smaller_where_the_embedder_reads_less() -> None:
    settings = ChunkingSettings(strategy="window", window_tokens=256, window_overlap=64)
    result = chunked("word " * 1000, settings, title="Two words", embedder=HashingEmbedder(max_tokens=130))
    assert [len(text.split()) for text in texts_of(result)][:2] == [128, 128]
    assert result.chunks[1].char_start == 96 * len("word ")


def test_headings_are_plain_text_to_windows() -> None:
    settings = ChunkingSettings(strategy="window")
    assert [chunk.heading_path for chunk in chunked("# A\n\ntext\n\n# B\n\ntext", settings).chunks] == [()]

"""Passages that are longer than a model reads are embedded in pieces, and come out as if they were whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing.long_passages import embed_any_length
from model_clients.embedder import Passage
from model_clients.hashing_embedder import HashingEmbedder

WIDE = HashingEmbedder(32)
NARROW = HashingEmbedder(32, max_tokens=8)
TEXT = "Anna Lind built the lighthouse of Norby in 1871. It stands on Hven, an island; the lamp burnt oil until 1923."
SENTENCES = ((0, 48), (49, len(TEXT)))


def test_what_fits_is_embedded_as_it_is() -> None:
    passages = [Passage(text="One short text", spans=((0, 3), (3, 3))), Passage(text="")]
    found = embed_any_length(passages, NARROW, with_tokens=True)
    whole = NARROW.embed_passages(passages, with_tokens=True)
    assert found.in_pieces == 0
    np.testing.assert_array_equal(found.vectors.passages, whole.passages)
    for ours, theirs in zip(found.vectors.spans, whole.spans, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert [len(record.starts) for record in found.vectors.tokens] == [3, 0]


def test_what_is_too_long_comes_out_as_if_it_were_whole() -> None:
    passages = [Passage(text=TEXT, spans=SENTENCES), Passage(text="short")]
    found = embed_any_length(passages, NARROW, with_tokens=True)
    whole = WIDE.embed_passages(passages, with_tokens=True)
    assert found.in_pieces == 1
    assert float(found.vectors.passages[0] @ whole.passages[0]) > 0.95
    assert float(found.vectors.passages[1] @ whole.passages[1]) == pytest.approx(1.0, abs=1e-6)
    for ours, theirs in zip(found.vectors.spans[0], whole.spans[0], strict=True):
        assert float(ours @ theirs) > 0.9
    ours, theirs = found.vectors.tokens[0], whole.tokens[0]
    assert ours.starts.dtype == np.int32
    np.testing.assert_array_equal(ours.starts, theirs.starts)
    np.testing.assert_array_equal(ours.vectors, theirs.vectors)


def test_nothing_at_all() -> None:
    found = embed_any_length([], NARROW, with_tokens=True)
    assert found.vectors.passages.shape == (0, 32)
    assert (found.vectors.spans, found.vectors.tokens, found.in_pieces) == ((), (), 0)


@settings(deadline=None)  # a busy machine is no fault
@given(st.text(alphabet="ab,\n 漢.", max_size=120), st.integers(min_value=1, max_value=5))
def test_any_text_keeps_its_tokens_and_its_vectors_have_unit_length(text: str, most: int) -> None:
    narrow = HashingEmbedder(16, max_tokens=most)
    spans = ((0, len(text) // 2), (len(text) // 2, len(text)), (0, 0))
    found = embed_any_length([Passage(text=text, spans=spans)], narrow, with_tokens=True)
    assert len(found.vectors.tokens[0].starts) >= len(narrow.token_spans(text))
    assert (np.diff(found.vectors.tokens[0].starts) >= 0).all()
    lengths = np.linalg.norm(np.concatenate([found.vectors.passages, *found.vectors.spans]), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-3)

"""What every embedder must do: inherit the class and give it an ``embedder`` fixture."""

import numpy as np
import pytest

from model_clients.embedder import Embedder, FloatMatrix, Passage
from model_clients.errors import PassageTooLong

TEXT = "The Deep Space Network was founded in 1963. It has three complexes, one of them in Canberra. Café 北京, e-mail."
SENTENCES = ((0, 43), (44, 92), (93, len(TEXT)))


def assert_unit_rows(matrix: FloatMatrix, rows: int, dimension: int) -> None:
    assert matrix.shape == (rows, dimension)
    assert matrix.dtype == np.float32
    assert np.isfinite(matrix).all()
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-3)


class EmbedderContract:
    def text_of(self, embedder: Embedder, tokens: int) -> str:
        text = "word " * tokens
        assert len(embedder.token_spans(text)) == tokens
        return text

    def test_token_spans_are_ordered_and_cover_the_words(self, embedder: Embedder) -> None:
        spans = embedder.token_spans(TEXT)
        assert spans == sorted(spans)
        assert all(0 <= start < end <= len(TEXT) for start, end in spans)
        covered = {position for start, end in spans for position in range(start, end)}
        assert covered == {position for position, sign in enumerate(TEXT) if not sign.isspace()}

    def test_token_spans_of_nothing(self, embedder: Embedder) -> None:
        assert embedder.token_spans("") == []
        assert embedder.token_spans(" \n\t ") == []

    def test_token_spans_are_never_cut(self, embedder: Embedder) -> None:
        assert len(embedder.token_spans("word " * (3 * embedder.max_tokens))) == 3 * embedder.max_tokens

    def test_special_tokens_in_a_text_are_text(self, embedder: Embedder) -> None:
        assert len(embedder.token_spans("[SEP]")) > 1

    def test_passages_and_spans_have_unit_length(self, embedder: Embedder) -> None:
        vectors = embedder.embed_passages([Passage(text=TEXT, spans=SENTENCES), Passage(text="one word")])
        assert_unit_rows(vectors.passages, 2, embedder.dimension)
        assert len(vectors.spans) == 2
        assert_unit_rows(vectors.spans[0], 3, embedder.dimension)
        assert_unit_rows(vectors.spans[1], 0, embedder.dimension)

    def test_no_passages(self, embedder: Embedder) -> None:
        vectors = embedder.embed_passages([])
        assert vectors.passages.shape == (0, embedder.dimension)
        assert vectors.passages.dtype == np.float32
        assert vectors.spans == ()

    def test_the_order_given_is_the_order_returned(self, embedder: Embedder) -> None:
        texts = ["short", TEXT, "of middling length, but not long", "a", TEXT + " " + TEXT]
        together = embedder.embed_passages([Passage(text=text, spans=((0, len(text)),)) for text in texts])
        for row, text in enumerate(texts):
            alone = embedder.embed_passages([Passage(text=text, spans=((0, len(text)),))])
            assert together.passages[row] @ alone.passages[0] > 0.999
            assert together.spans[row][0] @ alone.spans[0][0] > 0.999

    def test_the_same_input_gives_the_same_vectors(self, embedder: Embedder) -> None:
        passages = [Passage(text=TEXT, spans=SENTENCES), Passage(text="another passage")]
        first, second = embedder.embed_passages(passages), embedder.embed_passages(passages)
        assert np.array_equal(first.passages, second.passages)
        assert np.array_equal(first.spans[0], second.spans[0])
        assert np.array_equal(embedder.embed_question("Why?"), embedder.embed_question("Why?"))

    def test_a_span_is_about_what_stands_in_it(self, embedder: Embedder) -> None:
        text = "Penguins swim in cold water. The treaty was signed by two governments."
        spans = embedder.embed_passages([Passage(text=text, spans=((0, 28), (29, len(text))))]).spans[0]
        question = embedder.embed_question("penguins in cold water")
        assert spans[0] @ question > spans[1] @ question + 0.1

    def test_a_span_without_tokens_gets_the_first_axis(self, embedder: Embedder) -> None:
        vectors = embedder.embed_passages([Passage(text="one   two", spans=((4, 5), (3, 3), (0, 3)))])
        axis = np.eye(embedder.dimension, dtype=np.float32)[0]
        assert np.array_equal(vectors.spans[0][0], axis)
        assert np.array_equal(vectors.spans[0][1], axis)
        assert not np.array_equal(vectors.spans[0][2], axis)

    @pytest.mark.parametrize("text", ["", " \n "])
    def test_a_text_without_tokens_gets_the_first_axis(self, embedder: Embedder, text: str) -> None:
        axis = np.eye(embedder.dimension, dtype=np.float32)[0]
        assert np.array_equal(embedder.embed_passages([Passage(text=text)]).passages[0], axis)
        assert np.array_equal(embedder.embed_question(text), axis)

    def test_a_passage_at_the_limit_is_embedded_and_one_beyond_refused(self, embedder: Embedder) -> None:
        limit = embedder.max_tokens
        embedder.embed_passages([Passage(text=self.text_of(embedder, limit))])
        with pytest.raises(PassageTooLong) as caught:
            embedder.embed_passages([Passage(text="fine"), Passage(text=self.text_of(embedder, limit + 1))])
        assert (caught.value.tokens, caught.value.limit) == (limit + 1, limit)

    def test_a_long_question_is_cut(self, embedder: Embedder) -> None:
        limit = embedder.max_tokens
        question = self.text_of(embedder, limit)
        longer = embedder.embed_question(question + "something else entirely " * 1000)
        assert longer @ embedder.embed_question(question) > 0.99

    def test_a_question_is_near_the_passage_that_answers_it(self, embedder: Embedder) -> None:
        passages = embedder.embed_passages(
            [
                Passage(text="Canberra has a complex of the Deep Space Network."),
                Passage(text="Bread is baked from flour."),
            ]
        )
        question = embedder.embed_question("Which complex of the Deep Space Network is in Canberra?")
        assert question.shape == (embedder.dimension,)
        assert question.dtype == np.float32
        similarities = passages.passages @ question
        assert similarities[0] > similarities[1] + 0.2

"""What every embedder must do: inherit the class and give it an ``embedder`` fixture."""

import numpy as np
import pytest

from model_clients.embedder import Embedder, FloatMatrix, Passage, TokenVectors
from model_clients.errors import PassageTooLong
from model_clients.unit_rows import unit_rows

TEXT = "The Deep Space Network was founded in 1963. It has three complexes, one of them in Canberra. Café 北京, e-mail."
SENTENCES = ((0, 43), (44, 92), (93, len(TEXT)))


def assert_unit_rows(matrix: FloatMatrix, rows: int, dimension: int) -> None:
    assert matrix.shape == (rows, dimension)
    assert matrix.dtype == np.float32
    assert np.isfinite(matrix).all()
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-3)


def assert_tokens(tokens: TokenVectors, starts: list[int], dimension: int) -> None:
    assert tokens.starts.dtype == np.int32
    assert tokens.starts.tolist() == starts
    assert tokens.vectors.dtype == np.int8
    assert tokens.vectors.shape == (len(starts), dimension)
    lengths = np.linalg.norm(tokens.vectors.astype(np.float32), axis=1)
    assert np.allclose(lengths, 127, atol=dimension**0.5 / 2)


def token_cosines(ours: TokenVectors, theirs: TokenVectors) -> FloatMatrix:
    cosines: FloatMatrix = unit_rows(ours.vectors.astype(np.float32)) @ unit_rows(theirs.vectors.astype(np.float32)).T
    return cosines


class TokenContract:
    """For embedders that make token vectors."""

    def test_every_token_has_a_place_and_a_vector(self, embedder: Embedder) -> None:
        texts = ["short", TEXT, "", "of middling length, but not long"]
        tokens = embedder.embed_passages([Passage(text=text) for text in texts], with_tokens=True).tokens
        assert len(tokens) == len(texts)
        for text, found in zip(texts, tokens, strict=True):
            starts = [start for start, _ in embedder.token_spans(text)]
            assert_tokens(found, starts, embedder.token_dimension)

    def test_tokens_are_those_of_their_own_passage(self, embedder: Embedder) -> None:
        texts = ["short", TEXT, "of middling length, but not long"]
        together = embedder.embed_passages([Passage(text=text) for text in texts], with_tokens=True).tokens
        for text, found in zip(texts, together, strict=True):
            (alone,) = embedder.embed_passages([Passage(text=text)], with_tokens=True).tokens
            assert np.diag(token_cosines(found, alone)).min() > 0.98

    def test_there_are_tokens_only_where_they_are_asked_for(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([Passage(text=TEXT)]).tokens == ()
        assert embedder.embed_passages([], with_tokens=True).tokens == ()
        assert embedder.token_space != "none"
        assert embedder.token_dimension > 0

    def test_tokens_change_no_other_vector(self, embedder: Embedder) -> None:
        passages = [Passage(text=TEXT, spans=SENTENCES), Passage(text="another passage")]
        without, with_them = embedder.embed_passages(passages), embedder.embed_passages(passages, with_tokens=True)
        assert np.array_equal(without.passages, with_them.passages)
        assert np.array_equal(without.spans[0], with_them.spans[0])

    def test_a_question_has_its_vector_and_its_tokens(self, embedder: Embedder) -> None:
        question = "Which complex of the Deep Space Network is in Canberra?"
        found = embedder.embed_question_tokens(question)
        assert np.array_equal(found.vector, embedder.embed_question(question))
        starts = [start for start, _ in embedder.token_spans(question)]
        assert_tokens(found.tokens, starts, embedder.token_dimension)
        again = embedder.embed_question_tokens(question)
        assert np.array_equal(found.tokens.vectors, again.tokens.vectors)

    @pytest.mark.parametrize("question", ["", " \n "])
    def test_a_question_without_tokens(self, embedder: Embedder, question: str) -> None:
        found = embedder.embed_question_tokens(question)
        assert np.array_equal(found.vector, embedder.embed_question(question))
        assert_tokens(found.tokens, [], embedder.token_dimension)

    def test_a_long_question_keeps_the_tokens_within_the_limit(self, embedder: Embedder) -> None:
        found = embedder.embed_question_tokens("word " * (embedder.max_tokens + 20))
        assert_tokens(found.tokens, [5 * place for place in range(embedder.max_tokens)], embedder.token_dimension)

    def test_words_of_a_question_are_covered_by_the_passage_that_has_them(self, embedder: Embedder) -> None:
        texts = ["Penguins swim in cold water.", "The treaty was signed by two governments."]
        question = embedder.embed_question_tokens("Where do penguins swim?").tokens
        place = question.starts.tolist().index(len("Where do "))
        covered, other = (
            token_cosines(question, tokens)[place].max()
            for tokens in embedder.embed_passages([Passage(text=text) for text in texts], with_tokens=True).tokens
        )
        assert covered > other + 0.2


class VectorContract:
    """For every embedder."""

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


class EmbedderContract(TokenContract, VectorContract):
    """For embedders that make token vectors, whole."""

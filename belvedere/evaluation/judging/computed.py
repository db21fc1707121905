"""Measures of answers without a judge: words and vectors in common. Each is named by what it computes, and by no more:
none of them tells whether a claim holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from belvedere.evaluation.dataset import Gold, LabelledQuestion
from belvedere.evaluation.judging.answer_sentences import AnswerSentence, answer_sentences
from belvedere.evaluation.judging.text_overlap import rouge_l, share_of_words, words_of
from belvedere.evaluation.systems import Reply
from model_clients.chat.quotations import find_quote
from model_clients.embedder import Embedder, Passage

PREFIX = "computed."

COMPUTED_BY: Mapping[str, str] = {
    "sentences_cited": "share of the answer's sentences that bear a citation",
    "words_in_quotes": "share of the answer's words that stand in the quotations cited with them",
    "cited_cosine": "mean cosine of each sentence to the nearest quotation it cites, 0 without one, by {model}",
    "question_cosine": "cosine of question and answer, by {model}",
    "reference_cosine": "cosine of answer and nearest reference, by {model}",
    "rouge_l": "ROUGE-L of answer and nearest reference",
    "reference_words": "share of the nearest reference's words that stand in the passages weighed",
    "passages_gold": "share of the passages weighed that are of gold documents",
    "gold_weighed": "share of the gold with a passage among those weighed",
}
"""What each measure is, in words; ``model`` is the embedding model."""

COMPUTED: tuple[str, ...] = tuple(f"{PREFIX}{name}" for name in COMPUTED_BY)

_OF_REFERENCES = ("reference_cosine", "rouge_l", "reference_words")
NEED_REFERENCES = frozenset(f"{PREFIX}{name}" for name in _OF_REFERENCES)
_BATCH = 64

Vector = NDArray[np.float32]


def computed_by(model: str) -> dict[str, str]:
    """Return for each of ``COMPUTED`` what it is computed of; ``model`` is the id of the embedding model."""
    return {f"{PREFIX}{name}": told.format(model=model) for name, told in COMPUTED_BY.items()}


def compute_values(
    questions: Sequence[LabelledQuestion], replies: Sequence[Reply], embedder: Embedder
) -> tuple[dict[str, float], ...]:
    """Return those of ``COMPUTED`` that each reply has, in the order of the questions.

    What is said of an answer's own sentences is measured where there is an answer. Against a reference no answer counts
    0: silence must not pay. Questions whose gold is not known have none.
    """
    asked = [_Asked.of(question, reply) for question, reply in zip(questions, replies, strict=True)]
    vectors = _embed(dict.fromkeys(text for item in asked for text in item.texts()), embedder)
    return tuple({f"{PREFIX}{name}": value for name, value in _values(item, vectors)} for item in asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    question: LabelledQuestion
    reply: Reply
    sentences: tuple[AnswerSentence, ...]
    quotes: Mapping[int, str]

    @classmethod
    def of(cls, question: LabelledQuestion, reply: Reply) -> "_Asked":
        answered = question.gold_known and not reply.abstained
        return cls(
            question=question,
            reply=reply,
            sentences=answer_sentences(reply.text) if answered else (),
            quotes={citation.number: citation.quote for citation in reply.citations} if answered else {},
        )

    @property
    def answer(self) -> str:
        """The answer as it is read: no marks, no titles."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def references(self) -> tuple[str, ...]:
        """The references that words and vectors can be compared with."""
        references = self.question.references if self.question.gold else ()
        return tuple(reference for reference in references if words_of(reference))

    def cited_by(self, sentence: AnswerSentence) -> list[str]:
        """Return the quotations behind the marks of a sentence; of one without marks those that it stands in: a mark
        may stand behind several sentences that were quoted as one.
        """
        if sentence.marks:
            return [self.quotes[mark] for mark in sentence.marks if mark in self.quotes]
        return [quote for quote in self.quotes.values() if find_quote(quote, sentence.text) is not None]

    def texts(self) -> Iterator[str]:
        """Yield what is embedded."""
        if self.sentences:
            yield from (self.question.text, self.answer, *self.references, *self.quotes.values())
            yield from (sentence.text for sentence in self.sentences)


def _values(asked: _Asked, vectors: Mapping[str, Vector]) -> Iterator[tuple[str, float]]:
    if asked.sentences:
        yield from _of_sentences(asked, vectors)
        yield "question_cosine", _cosine(asked.question.text, asked.answer, vectors)
    if asked.references:
        yield from _of_references(asked, vectors)
    if asked.question.gold:
        yield from _of_passages(asked.reply, asked.question.gold)


def _of_sentences(asked: _Asked, vectors: Mapping[str, Vector]) -> Iterator[tuple[str, float]]:
    cited = [asked.cited_by(item) for item in asked.sentences]
    yield "sentences_cited", sum(map(bool, cited)) / len(cited)
    words = [words_of(item.text) for item in asked.sentences]
    total = sum(map(len, words))
    if total:
        shared = sum(share_of_words(own, quotes) * len(own) for own, quotes in zip(words, cited, strict=True) if own)
        yield "words_in_quotes", shared / total
    nearest = [
        max((_cosine(item.text, quote, vectors) for quote in quotes), default=0.0)
        for item, quotes in zip(asked.sentences, cited, strict=True)
    ]
    yield "cited_cosine", sum(nearest) / len(nearest)


def _of_references(asked: _Asked, vectors: Mapping[str, Vector]) -> Iterator[tuple[str, float]]:
    references = asked.references
    own = words_of(asked.answer)
    yield "rouge_l", max(rouge_l(own, words_of(reference)) for reference in references) if own else 0.0
    if asked.sentences:
        yield "reference_cosine", max(_cosine(asked.answer, reference, vectors) for reference in references)
    else:
        yield "reference_cosine", 0.0
    passages = [entry.text for entry in asked.reply.evidence]
    yield "reference_words", max(share_of_words(words_of(reference), passages) for reference in references)


def _of_passages(reply: Reply, gold: Gold) -> Iterator[tuple[str, float]]:
    known = frozenset[str]().union(*gold)
    weighed = [entry.document_id for entry in reply.evidence]
    if weighed:
        yield "passages_gold", sum(name in known for name in weighed) / len(weighed)
    yield "gold_weighed", sum(not group.isdisjoint(weighed) for group in gold) / len(gold)


def _cosine(left: str, right: str, vectors: Mapping[str, Vector]) -> float:
    """Return a cosine as a share: what points away counts 0."""
    return min(1.0, max(0.0, float(vectors[left] @ vectors[right])))


def _embed(texts: Mapping[str, None], embedder: Embedder) -> dict[str, Vector]:
    """Embed texts, each once; of a text beyond the model's limit its beginning is compared."""
    found: dict[str, Vector] = {}
    named = list(texts)
    for start in range(0, len(named), _BATCH):
        batch = named[start : start + _BATCH]
        made = embedder.embed_passages([Passage(text=_cut(text, embedder)) for text in batch]).passages
        found |= dict(zip(batch, made, strict=True))
    return found


def _cut(text: str, embedder: Embedder) -> str:
    spans = embedder.token_spans(text)
    return text if len(spans) <= embedder.max_tokens else text[: spans[embedder.max_tokens - 1][1]]

"""Digests: a few sentences of each of several derived texts, those nearest to the question, each with its source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.access import Access
from graph_store.records import Chunk, Sentence, SourcedSentence
from graph_store.store import GraphStore
from model_clients.embedder import FloatVector
from query.citations import DraftBlock, DraftSentence, Quote
from query.text_words import content_stems


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedText:
    """A community report or tree node that is told: its title line and its sentences."""

    title: str
    sentences: tuple[SourcedSentence, ...]


class SourceReader:
    """The chunks and sentences that derived texts rest on, read once for all of them."""

    def __init__(self, store: GraphStore, access: Access, texts: Sequence[DerivedText]) -> None:
        ids = list(dict.fromkeys(sentence.chunk_ids[0] for text in texts for sentence in text.sentences))
        read = store.sentences(access, ids)
        self._vectors = read.vectors
        self._rows: dict[str, list[tuple[int, Sentence]]] = {}
        for row, sentence in enumerate(read.sentences):
            self._rows.setdefault(sentence.chunk_id, []).append((row, sentence))
        self._chunks: Mapping[str, Chunk] = {chunk.id: chunk for chunk in store.chunks(access, ids)}

    def quote(self, sentence: SourcedSentence) -> Quote | None:
        """Return the words of the first chunk that ``sentence`` rests on; None where they cannot be read.

        A sentence that quotes no span (a model wrote it) is backed by the sentence of its chunk with most words in
        common.
        """
        chunk = self._chunks.get(sentence.chunk_ids[0])
        span = self._span(sentence)
        if chunk is None or span is None:
            return None
        return Quote(chunk_id=chunk.id, char_start=span[0], char_end=span[1], text=chunk.text[span[0] : span[1]])

    def nearness(self, sentence: SourcedSentence, vector: FloatVector) -> float:
        """Return the largest cosine with ``vector`` of the source sentences in the sentence's span; -1 without one."""
        span = self._span(sentence)
        if span is None:
            return -1.0
        rows = [row for row, source in self._rows.get(sentence.chunk_ids[0], ()) if _overlap(source, span)]
        return float((self._vectors[rows] @ vector).max()) if rows else -1.0

    def _span(self, sentence: SourcedSentence) -> tuple[int, int] | None:
        chunk = self._chunks.get(sentence.chunk_ids[0])
        if chunk is None:
            return None
        if sentence.char_start is None or sentence.char_end is None:
            return self._nearest_span(chunk, sentence.text)
        words = chunk.text[sentence.char_start : sentence.char_end].split()
        # The quotation must say what the derived text says; line breaks may differ.
        return (sentence.char_start, sentence.char_end) if words == sentence.text.split() else None

    def _nearest_span(self, chunk: Chunk, text: str) -> tuple[int, int] | None:
        wanted = set(content_stems(text))
        spans = [(source.char_start, source.char_end) for _, source in self._rows.get(chunk.id, ())]
        if not spans:
            return None
        return max(spans, key=lambda span: len(wanted & set(content_stems(chunk.text[span[0] : span[1]]))))


def digest(
    reader: SourceReader, texts: Sequence[DerivedText], *, per_text: int, vector: FloatVector | None
) -> tuple[DraftBlock, ...]:
    """Draft a block of at most ``per_text`` sentences for each text, in order; nothing is said twice.

    With ``vector`` ((d,), unit length) the sentences nearest to it are told, else the first ones; always in the order
    of the text. A text whose sentences were all told before has no block.
    """
    told: set[Quote] = set()
    blocks: list[DraftBlock] = []
    for text in texts:
        sentences = _told_sentences(reader, text, per_text, vector, told)
        if sentences:
            blocks.append(DraftBlock(title=text.title, sentences=sentences))
    return tuple(blocks)


def _told_sentences(
    reader: SourceReader, text: DerivedText, count: int, vector: FloatVector | None, told: set[Quote]
) -> tuple[DraftSentence, ...]:
    drafted: list[tuple[float, int, DraftSentence, Quote]] = []
    for place, sentence in enumerate(text.sentences):
        quote = reader.quote(sentence)
        if quote is not None and quote not in told:
            nearness = reader.nearness(sentence, vector) if vector is not None else -float(place)
            drafted.append((-nearness, place, DraftSentence(text=sentence.text, quotes=(quote,)), quote))
    chosen = sorted(sorted(drafted, key=lambda entry: entry[:2])[:count], key=lambda entry: entry[1])
    told.update(quote for *_, quote in chosen)
    return tuple(sentence for _, _, sentence, _ in chosen)


def _overlap(source: Sentence, span: tuple[int, int]) -> bool:
    return source.char_start < span[1] and span[0] < source.char_end

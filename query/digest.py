"""Digests: a few sentences of each of several derived texts, those nearest to the question, each with its source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.access import Access
from graph_store.records import Chunk, Sentence, SourcedSentence
from graph_store.store import GraphStore
from model_clients.embedder import FloatVector
from query.citations import DraftBlock, DraftSentence, Quote
from raptor.text_words import content_stems


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

    def document_of(self, quote: Quote) -> str:
        """Return the id of the document that a quote of this reader stands in."""
        return self._chunks[quote.chunk_id].document_id

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestShape:
    """How a digest is cut: sentences of each text, and where ``vector`` ((d,), unit length) is given, those nearest to
    it; sentences below ``share_of_best`` of the nearest one's cosine are left out.

    ``of_many_documents``: sentences of documents not told yet come first, then those that hold most words of the title
    up to its colon. ``as_points``: each sentence on a line of its own.
    """

    per_text: int
    vector: FloatVector | None = None
    share_of_best: float = 0.0
    of_many_documents: bool = False
    as_points: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighed:
    place: int
    nearness: float
    document_id: str
    text: str
    quote: Quote


def digest(reader: SourceReader, texts: Sequence[DerivedText], shape: DigestShape) -> tuple[DraftBlock, ...]:
    """Draft a block for each text, in order; nothing is said twice.

    Sentences keep the order of their text; without a vector its first ones are told. A text of which nothing is left
    has no block.
    """
    weighed = [_weighed_sentences(reader, text, shape) for text in texts]
    least = shape.share_of_best * max((entry.nearness for own in weighed for entry in own), default=0.0)
    told = _Told(quotes=set(), documents=set())
    blocks: list[DraftBlock] = []
    for text, own in zip(texts, weighed, strict=True):
        near = [entry for entry in own if shape.vector is None or entry.nearness >= least]
        chosen = _nearest_untold(near, shape, told)
        if chosen:
            sentences = tuple(DraftSentence(text=entry.text, quotes=(entry.quote,)) for entry in chosen)
            blocks.append(DraftBlock(title=text.title, sentences=sentences, as_points=shape.as_points))
    return tuple(blocks)


def _weighed_sentences(reader: SourceReader, text: DerivedText, shape: DigestShape) -> list[_Weighed]:
    title_stems = frozenset(content_stems(text.title.partition(":")[0])) if shape.of_many_documents else frozenset()
    weighed: list[_Weighed] = []
    for place, sentence in enumerate(text.sentences):
        quote = reader.quote(sentence)
        if quote is None:
            continue
        if shape.vector is not None:
            nearness = reader.nearness(sentence, shape.vector)
        else:
            nearness = float(len(title_stems.intersection(content_stems(sentence.text))))
        document_id = reader.document_of(quote)
        weighed.append(
            _Weighed(place=place, nearness=nearness, document_id=document_id, text=sentence.text, quote=quote)
        )
    return weighed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What was told already, in all blocks."""

    quotes: set[Quote]
    documents: set[str]


def _nearest_untold(weighed: Sequence[_Weighed], shape: DigestShape, told: _Told) -> list[_Weighed]:
    chosen: list[_Weighed] = []
    while len(chosen) < shape.per_text:
        left = [entry for entry in weighed if entry.quote not in told.quotes]
        if not left:
            break

        def order(entry: _Weighed) -> tuple[bool, float, int]:
            again = shape.of_many_documents and entry.document_id in told.documents
            return (again, -entry.nearness, entry.place)

        best = min(left, key=order)
        chosen.append(best)
        told.quotes.add(best.quote)
        told.documents.add(best.document_id)
    return sorted(chosen, key=lambda entry: entry.place)


def _overlap(source: Sentence, span: tuple[int, int]) -> bool:
    return source.char_start < span[1] and span[0] < source.char_end

"""From drafted sentences to an answer whose every mark is backed by a quotation that was checked in the store."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_store.access import Access
from graph_store.records import Chunk, Document
from graph_store.store import GraphStore
from query.outcome import Citation

_MARK = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The words ``text`` that should stand at ``[char_start, char_end)`` in the text of a chunk."""

    chunk_id: str
    char_start: int
    char_end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSentence:
    """A sentence of an answer with what it rests on; without a quotation that holds, it is not said."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftBlock:
    """Sentences under a title line (empty: none); as points each has a line of its own, as steps a numbered one, else
    they run on.
    """

    sentences: tuple[DraftSentence, ...]
    title: str = ""
    as_points: bool = False
    as_steps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedText:
    """A text with marks, and the citations behind them, numbered from 1 in order of appearance below the first line.

    ``lead`` are the numbers behind the first line, where one was drafted and all its quotations hold.
    """

    text: str
    citations: tuple[Citation, ...]
    lead: tuple[int, ...] = ()


def cite(
    store: GraphStore, access: Access, blocks: Sequence[DraftBlock], *, lead: DraftSentence | None = None
) -> CitedText:
    """Check every quotation, drop what does not hold, number the rest and write the text.

    A quotation holds where the caller may read its chunk now and the quoted words stand at its span. A sentence without
    a quotation that holds is dropped, a block without a sentence too. ``lead`` becomes the first line, where all its
    quotations hold.
    """
    sentences = [sentence for block in blocks for sentence in block.sentences] + ([lead] if lead is not None else [])
    quotes = [quote for sentence in sentences for quote in sentence.quotes]
    chunks = {chunk.id: chunk for chunk in store.chunks(access, _distinct(quote.chunk_id for quote in quotes))}
    documents = {
        document.id: document
        for document in store.documents(access, _distinct(chunk.document_id for chunk in chunks.values()))
    }
    numbers: dict[Quote, int] = {}
    written = [_written_block(block, chunks, numbers) for block in blocks]
    marked: tuple[int, ...] = ()
    if lead is not None and lead.quotes and all(holds(quote, chunks) for quote in lead.quotes):
        marked = tuple(numbers.setdefault(quote, len(numbers) + 1) for quote in dict.fromkeys(lead.quotes))
        written.insert(0, f"{shown(lead.text)} {_marks(marked)}")
    citations = tuple(_citation(number, quote, chunks, documents) for quote, number in numbers.items())
    cited = CitedText(text="\n\n".join(block for block in written if block), citations=citations, lead=marked)
    _check_marks(cited)
    return cited


def holds(quote: Quote, chunks: Mapping[str, Chunk]) -> bool:
    """Tell whether the quoted words stand at their span in a chunk of ``chunks``."""
    chunk = chunks.get(quote.chunk_id)
    if chunk is None or not 0 <= quote.char_start < quote.char_end <= len(chunk.text):
        return False
    return chunk.text[quote.char_start : quote.char_end] == quote.text


def shown(text: str) -> str:
    """Return a source sentence as it is shown: one line, no heading or list signs, bracketed numbers in parentheses.

    Reference marks of the source ("[12]") would else look like marks of the answer.
    """
    plain = re.sub(r"^\s*(?:#{1,6}\s+|[-*+]\s+|>\s+|\d+[.)]\s+(?=\S))", "", text)
    return _MARK.sub(r"(\1)", " ".join(plain.split()))


def marked_sentence(text: str, quotes: Sequence[Quote], numbers: dict[Quote, int]) -> str:
    """Return a sentence with the marks of its quotations; those that are new to ``numbers`` get the next numbers."""
    marks = _marks([numbers.setdefault(quote, len(numbers) + 1) for quote in dict.fromkeys(quotes)])
    return f"{shown(text)} {marks}"


def _distinct(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _written_block(block: DraftBlock, chunks: Mapping[str, Chunk], numbers: dict[Quote, int]) -> str:
    sentences: list[str] = []
    for sentence in block.sentences:
        kept = [quote for quote in sentence.quotes if holds(quote, chunks)]
        if kept:
            sentences.append(marked_sentence(sentence.text, kept, numbers))
    if not sentences:
        return ""
    body = _body(sentences, block)
    return f"{shown(block.title)}\n{body}" if block.title else body


def _body(sentences: Sequence[str], block: DraftBlock) -> str:
    if block.as_steps and len(sentences) > 1:
        return "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, start=1))
    return "\n".join(f"- {sentence}" for sentence in sentences) if block.as_points else " ".join(sentences)


def _marks(numbers: Iterable[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def _citation(number: int, quote: Quote, chunks: Mapping[str, Chunk], documents: Mapping[str, Document]) -> Citation:
    chunk = chunks[quote.chunk_id]
    document = documents[chunk.document_id]
    return Citation(
        number=number,
        chunk_id=chunk.id,
        document_id=document.id,
        title=document.title,
        source_uri=document.source_uri,
        heading_path=chunk.heading_path,
        page=chunk.page,
        quote=quote.text,
        char_start=chunk.char_start + quote.char_start,
        char_end=chunk.char_start + quote.char_end,
    )


def _check_marks(cited: CitedText) -> None:
    marked = {int(number) for number in _MARK.findall(cited.text)}
    numbered = {citation.number for citation in cited.citations}
    if marked != numbered:
        raise AssertionError(f"marks {sorted(marked)} and citations {sorted(numbered)} of an answer differ")

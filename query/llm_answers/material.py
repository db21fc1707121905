"""What a language model is given to answer from: numbered pieces, each with the words of the documents behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from graph_store.records import Chunk
from model_clients.chat.marked_data import MarkedData, MarkedItem, mark_data
from query.citations import Quote
from query.packing.packed_context import PackedContext, PackedSource
from raptor.claims.words import Words, words_of


@dataclass(frozen=True, kw_only=True)
class Material:
    """A numbered piece: ``text`` is what the model reads, ``quotes`` the verbatim sentences that it was made of.

    ``heading`` tells where it is from; ``documents`` are the ids of the documents that the quotes stand in. ``checked``
    is what a model made of the quotes, where that was found to be supported by them.
    """

    number: int
    heading: str
    text: str
    quotes: tuple[Quote, ...]
    documents: tuple[str, ...]
    checked: str = ""

    @cached_property
    def source_text(self) -> str:
        """The words of the documents, with their heading, and what of them was checked before."""
        return "\n".join([self.heading, self.checked, *(quote.text for quote in self.quotes)])

    @cached_property
    def words(self) -> Words:
        """The words of ``source_text``."""
        return words_of(self.source_text)


def packed_materials(context: PackedContext, chunks: Mapping[str, Chunk]) -> tuple[Material, ...]:
    """Return the sources of a packed context; ``chunks`` are those of its sentences."""
    return tuple(_material(source, chunks) for source in context.sources)


def _material(source: PackedSource, chunks: Mapping[str, Chunk]) -> Material:
    page = "" if source.page is None else f", page {source.page}"
    place = " > ".join(dict.fromkeys((source.title or source.document_id, *source.heading_path)))
    columns = f" ({' '.join(source.columns.split())})" if source.columns else ""
    quotes = []
    for sentence in source.sentences:
        start = sentence.char_start - chunks[sentence.chunk_id].char_start
        end = sentence.char_end - chunks[sentence.chunk_id].char_start
        quotes.append(Quote(chunk_id=sentence.chunk_id, char_start=start, char_end=end, text=sentence.text))
    return Material(
        number=source.number,
        heading=f"{place}{page}{columns}",
        text="\n".join(sentence.text for sentence in source.sentences),
        quotes=tuple(quotes),
        documents=(source.document_id,),
    )


def marked(materials: Sequence[Material], *, name: str = "passage") -> MarkedData:
    """Return materials, numbered from 1 in their order, as a block of data for a prompt."""
    return mark_data([MarkedItem(text=item.text, heading=item.heading) for item in materials], name=name)


def documents_of(materials: Sequence[Material]) -> tuple[str, ...]:
    """Return the ids of all documents behind the materials, sorted."""
    return tuple(sorted({document for item in materials for document in item.documents}))

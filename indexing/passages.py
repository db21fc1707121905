"""What is embedded for the chunks of a document, and what the store keeps of it."""

from collections.abc import Iterator, Sequence

import numpy as np

from graph_store.bundles import TokenVectors
from graph_store.indexed_text import chunk_prefix, indexed_text
from graph_store.records import Chunk, Sentence
from model_clients.embedder import Passage
from model_clients.embedder import TokenVectors as EmbeddedTokens


def passages_of(title: str, chunks: Sequence[Chunk], sentences: Sequence[Sentence]) -> list[Passage]:
    """Return what is embedded for each chunk: its indexed text, with the spans of its sentences in that text."""
    spans: dict[str, list[tuple[int, int]]] = {chunk.id: [] for chunk in chunks}
    for sentence in sentences:
        spans[sentence.chunk_id].append((sentence.char_start, sentence.char_end))
    passages = []
    for chunk in chunks:
        shift = len(chunk_prefix(title, chunk))
        shifted = tuple((start + shift, end + shift) for start, end in spans[chunk.id])
        passages.append(Passage(text=indexed_text(title, chunk), spans=shifted))
    return passages


def chunk_tokens(title: str, chunks: Sequence[Chunk], tokens: Sequence[EmbeddedTokens]) -> Iterator[TokenVectors]:
    """Yield the tokens of each chunk for the store, which counts from the chunk's own text; nothing without tokens."""
    for chunk, embedded in zip(chunks, tokens, strict=bool(tokens)):
        starts = np.maximum(embedded.starts - len(chunk_prefix(title, chunk)), -1).astype(np.int32)
        yield TokenVectors(starts=starts, vectors=embedded.vectors)

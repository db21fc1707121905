"""Chunk a text and check everything that must hold for any text."""

from itertools import pairwise

from graph_store.indexed_text import indexed_text
from graph_store.records import Chunk, Document
from indexing.chunking.chunk_document import ChunkedDocument, chunk_document
from indexing.chunking.settings import ChunkingSettings
from model_clients.embedder import Embedder
from model_clients.hashing_embedder import HashingEmbedder


def document(title: str = "Stations", identifier: str = "d1") -> Document:
    return Document(id=identifier, source_uri="a.md", title=title, media_type="text/markdown", content_hash="")


def chunked(
    text: str,
    settings: ChunkingSettings | None = None,
    *,
    title: str = "Stations",
    embedder: Embedder | None = None,
) -> ChunkedDocument:
    """Return what ``chunk_document`` makes of a text, having checked it."""
    embedder = embedder or HashingEmbedder()
    settings = settings or ChunkingSettings()
    result = chunk_document(document(title), text, (), embedder, settings)
    check_chunks(text, result.chunks)
    check_sizes(title, result.chunks, settings, embedder)
    check_parents(result)
    check_sentences(result)
    assert result == chunk_document(document(title), text, (), embedder, settings)
    return result


def check_chunks(text: str, chunks: tuple[Chunk, ...]) -> None:
    covered = [False] * len(text)
    for position, chunk in enumerate(chunks):
        assert chunk.position == position
        assert chunk.text == text[chunk.char_start : chunk.char_end]
        assert chunk.text == chunk.text.strip() != ""
        covered[chunk.char_start : chunk.char_end] = [True] * len(chunk.text)
    assert all(done or sign.isspace() for done, sign in zip(covered, text, strict=True))
    for before, after in pairwise(chunks):
        assert before.char_start < after.char_start
        assert before.char_end < after.char_end
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def check_sizes(title: str, chunks: tuple[Chunk, ...], settings: ChunkingSettings, embedder: Embedder) -> None:
    limit = settings.max_tokens if settings.strategy == "structure" else settings.window_tokens
    for chunk in chunks:
        assert len(embedder.token_spans(indexed_text(title, chunk))) <= embedder.max_tokens
        assert len(embedder.token_spans(chunk.text)) <= limit


def check_parents(result: ChunkedDocument) -> None:
    parents = {parent.id: parent for parent in result.parents}
    assert len(parents) == len(result.parents)
    assert [parent.position for parent in result.parents] == list(range(len(parents)))
    order = [parents[chunk.parent_id or ""].position for chunk in result.chunks]
    assert order == sorted(order)
    assert set(order) == set(range(len(parents)))
    for chunk in result.chunks:
        parent = parents[chunk.parent_id or ""]
        assert parent.char_start <= chunk.char_start
        assert chunk.char_end <= parent.char_end


def check_sentences(result: ChunkedDocument) -> None:
    by_chunk: dict[str, list[tuple[int, int]]] = {chunk.id: [] for chunk in result.chunks}
    for sentence in result.sentences:
        assert sentence.position == len(by_chunk[sentence.chunk_id])
        by_chunk[sentence.chunk_id].append((sentence.char_start, sentence.char_end))
    assert [sentence.chunk_id for sentence in result.sentences] == [
        chunk.id for chunk in result.chunks for _ in by_chunk[chunk.id]
    ]
    for chunk in result.chunks:
        check_spans_cover(chunk.text, by_chunk[chunk.id])


def check_spans_cover(text: str, spans: list[tuple[int, int]]) -> None:
    """Check that spans are ordered, disjoint, trimmed, not empty, and leave only white space out."""
    covered = [False] * len(text)
    reached = 0
    for start, end in spans:
        assert reached <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        covered[start:end] = [True] * (end - start)
        reached = end
    assert all(done or sign.isspace() for done, sign in zip(covered, text, strict=True))


def texts_of(result: ChunkedDocument) -> list[str]:
    return [chunk.text for chunk in result.chunks]

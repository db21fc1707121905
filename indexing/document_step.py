"""From a loaded source to a bundle in the store: chunk, embed, extract, write; each batch is one commit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TypeAlias

import numpy as np

from graph_store.bundles import DocumentBundle, DocumentState
from graph_store.filters import is_date
from graph_store.records import Document, MetadataValue
from graph_store.store import GraphStore
from indexing.chunking.chunk_document import ChunkedDocument, chunk_document
from indexing.extraction.extractor import EntityExtractor, Extraction
from indexing.identity import UNFINISHED
from indexing.llm_extraction.llm_extractor import LlmExtractor, ParsedDocument
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.passages import chunk_tokens
from indexing.report import StepClock
from indexing.settings import IndexingSettings
from indexing.stored_vectors import StoredVectors, embed_unknown, passage_keys
from model_clients.embedder import Embedder, PassageVectors

_Chunked: TypeAlias = tuple[Document, str, ChunkedDocument]
"""A document, its text, and the chunks that it was cut into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingDocument:
    """A document that is new or has changed, on its way into the store."""

    document: Document
    loaded: LoadedDocument


def make_document(loaded: LoadedDocument, **identity: str | int | tuple[str, ...]) -> Document:
    """Return the record of a loaded source; ``identity`` are the fields that indexing decides (id, tenant, ...)."""
    return Document(
        source_uri=loaded.source_uri,
        title=document_title(loaded),
        media_type=loaded.media_type,
        metadata=loaded.metadata,
        effective_from=_date_of(loaded.metadata.get("effective_from")),
        effective_to=_date_of(loaded.metadata.get("effective_to")),
        updated_at=loaded.updated_at,
        **identity,  # type: ignore[arg-type]  # the caller names fields of Document
    )


def document_title(loaded: LoadedDocument) -> str:
    """Return the source's own title; a file without one is called by its stem, a row without one has none."""
    if loaded.title or loaded.key:
        return loaded.title
    return PurePath(loaded.source_uri).stem.replace("_", " ").strip()


def _date_of(value: MetadataValue | None) -> str | None:
    return None if value is None or not is_date(str(value)) else str(value)


def unreadable_dates(loaded: LoadedDocument) -> Iterator[LoadFailure]:
    """Yield a failure for each end of a document's time that is no date: the document is open at that end."""
    for key in ("effective_from", "effective_to"):
        value = loaded.metadata.get(key)
        if value is not None and not is_date(str(value)):
            yield LoadFailure(
                uri=loaded.source_uri,
                error=f"Its {key} is {str(value)!r}, which is no date (YYYY-MM-DD): it is left out of account.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingDocuments:
    """The documents of a tenant before a run; ``renamed`` maps new ids to the ids under which the same are stored."""

    states: Mapping[str, DocumentState]
    renamed: Mapping[str, str]


class DocumentStep:
    """Turns pending documents into stored bundles.

    What ``standing`` documents have in common with the new ones is not embedded again. A renamed one is deleted just
    before the new one is written, so that a run that is killed in between leaves a file to read again, never two
    documents. Where the ``model`` fails at a chunk, its document is written as unfinished: with what the parser finds,
    to be made anew by the next run.
    """

    def __init__(
        self,
        store: GraphStore,
        embedder: Embedder,
        settings: IndexingSettings,
        clock: StepClock,
        *,
        standing: StandingDocuments,
        model: LlmExtractor | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._clock = clock
        self._stored = standing.states
        self._renamed = standing.renamed
        self._extractor = EntityExtractor(settings.extraction)
        self._model = model

    def run(self, pending: Sequence[PendingDocument]) -> Iterator[int]:
        """Write all pending documents and yield how many are done after each commit."""
        done = 0
        for batch in self._batches(pending):
            self._write(batch)
            done += len(batch)
            yield done

    def _batches(self, pending: Iterable[PendingDocument]) -> Iterator[list[_Chunked]]:
        """Chunk documents and group them until a batch holds ``batch_chunks`` chunks."""
        batch: list[_Chunked] = []
        chunks = 0
        for item in pending:
            chunked = self._chunk(item)
            batch.append((item.document, item.loaded.text, chunked))
            chunks += len(chunked.chunks)
            if chunks >= self._settings.batch_chunks:
                yield batch
                batch, chunks = [], 0
        if batch:
            yield batch

    def _chunk(self, item: PendingDocument) -> ChunkedDocument:
        with self._clock.step("chunk"):
            return chunk_document(
                item.document, item.loaded.text, item.loaded.pages, self._embedder, self._settings.chunking
            )

    def _write(self, batch: Sequence[_Chunked]) -> None:
        with self._clock.step("embed"):
            vectors = self._embed(batch)
        with self._clock.step("extract"):
            extractions = self._extractor.extract([(document, chunked.chunks) for document, _, chunked in batch])
        if self._model is not None:
            with self._clock.step("extract_llm"):
                batch, extractions = self._ask_model(self._model, batch, extractions)
        bundles = [
            _bundle(entry, passages, extraction)
            for entry, passages, extraction in zip(batch, vectors, extractions, strict=True)
        ]
        with self._clock.step("write"):
            self._delete_old_names([document for document, _, _ in batch])
            self._store.write_documents(bundles)

    def _ask_model(
        self, model: LlmExtractor, batch: Sequence[_Chunked], extractions: Sequence[Extraction]
    ) -> tuple[list[_Chunked], list[Extraction]]:
        """Return the batch, documents that the model failed at marked as unfinished, with all that was extracted."""
        parsed = [
            ParsedDocument(document=document, chunks=chunked.chunks, extraction=extraction)
            for (document, _, chunked), extraction in zip(batch, extractions, strict=True)
        ]
        marked: list[_Chunked] = []
        found = model.extract(parsed)
        for (document, text, chunked), item in zip(batch, found, strict=True):
            if item.failed:
                document = replace(document, content_hash=document.content_hash + UNFINISHED)  # noqa: PLW2901
            marked.append((document, text, chunked))
        return marked, [item.extraction for item in found]

    def _delete_old_names(self, documents: Sequence[Document]) -> None:
        old = [self._renamed[document.id] for document in documents if document.id in self._renamed]
        if old:
            self._store.delete_documents(documents[0].tenant, old)

    def _embed(self, batch: Sequence[_Chunked]) -> list[PassageVectors]:
        """Embed what no earlier version of these documents holds; the rest keeps its vectors."""
        known = StoredVectors(self._store, self._embedder.model_id, self._stored).of_documents(
            batch[0][0].tenant, [self._renamed.get(document.id, document.id) for document, _, _ in batch]
        )
        keys = [
            key
            for document, _, chunked in batch
            for key in passage_keys(document.title, chunked.chunks, chunked.sentences)
        ]
        vectors = embed_unknown(keys, known, self._embedder, with_tokens=self._store.token_dimension > 0)
        return list(_split(vectors, [len(chunked.chunks) for _, _, chunked in batch]))


def _split(vectors: PassageVectors, sizes: Sequence[int]) -> Iterator[PassageVectors]:
    end = 0
    for size in sizes:
        start, end = end, end + size
        yield PassageVectors(
            passages=vectors.passages[start:end], spans=vectors.spans[start:end], tokens=vectors.tokens[start:end]
        )


def _bundle(entry: _Chunked, vectors: PassageVectors, extraction: Extraction) -> DocumentBundle:
    document, text, chunked = entry
    width = vectors.passages.shape[1]
    sentence_vectors = np.concatenate([np.zeros((0, width), dtype=np.float32), *vectors.spans])
    return DocumentBundle(
        document=document,
        text=text,
        parents=chunked.parents,
        chunks=chunked.chunks,
        chunk_vectors=vectors.passages,
        sentences=chunked.sentences,
        sentence_vectors=sentence_vectors,
        token_vectors=tuple(chunk_tokens(document.title, chunked.chunks, vectors.tokens)),
        mentions=extraction.mentions,
        relations=extraction.relations,
        homes=extraction.homes,
    )

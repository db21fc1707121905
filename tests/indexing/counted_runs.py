"""Indexing runs that count what they read, embed and extract."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import indexing.document_step
import indexing.source_step
from graph_store.embedded.embedded_store import EmbeddedStore
from indexing.build_index import build_index
from indexing.extraction.extractor import EntityExtractor
from indexing.loading.load import iterate_source
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.loading.settings import LoadingSettings
from indexing.options import IndexOptions
from indexing.report import IndexReport
from indexing.settings import IndexingSettings
from model_clients.embedder import Passage, PassageVectors
from model_clients.hashing_embedder import HashingEmbedder


@dataclass
class Work:
    """What a run did: files read, texts embedded, and whether the parser was asked for."""

    read: list[str] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)
    extractors: int = 0


class CountedEmbedder(HashingEmbedder):
    """Notes the texts that it embeds."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []

    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        """Embed, and note the texts."""
        self.texts += [passage.text for passage in passages]
        return super().embed_passages(passages, with_tokens=with_tokens)


@dataclass
class CountedRuns:
    """Indexes into one store; ``work`` is what the last run did."""

    store: EmbeddedStore
    embedder: CountedEmbedder
    monkeypatch: pytest.MonkeyPatch
    work: Work = field(default_factory=Work)

    def index(
        self, *paths: Path, options: IndexOptions | None = None, settings: IndexingSettings | None = None
    ) -> IndexReport:
        """Run once, counting from nothing."""
        with self._counted():
            return build_index(
                paths,
                store=self.store,
                embedder=self.embedder,
                settings=settings or IndexingSettings(),
                options=options or IndexOptions(),
            )

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self.work = Work()
        self.embedder.texts = self.work.embedded

        def read(path: Path, settings: LoadingSettings) -> Iterator[LoadedDocument | LoadFailure]:
            self.work.read.append(path.name)
            return iterate_source(path, settings)

        def extractor(*given: object) -> EntityExtractor:
            self.work.extractors += 1
            return EntityExtractor(*given)  # type: ignore[arg-type]  # passed on as it came

        with self.monkeypatch.context() as patched:
            patched.setattr(indexing.source_step, "iterate_source", read)
            patched.setattr(indexing.document_step, "EntityExtractor", extractor)
            yield


@contextmanager
def counted_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedRuns]:
    """Open a new store in ``folder`` for runs that are counted."""
    embedder = CountedEmbedder(64)
    with EmbeddedStore.create_or_open(
        folder,
        embedding_model=embedder.model_id,
        dimension=embedder.dimension,
        token_space=embedder.token_space,
        token_dimension=embedder.token_dimension,
    ) as store:
        yield CountedRuns(store=store, embedder=embedder, monkeypatch=monkeypatch)

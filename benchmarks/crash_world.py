"""A small collection in two states, and ways from one to the other: index, update, repair, delete, rebuild, migrate."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graph_store.access import Access
from graph_store.bundles import DocumentBundle, Generation
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.errors import StoreMissing
from graph_store.ids import content_hash
from graph_store.records import Document
from graph_store.settings import StoreSettings
from graph_store.spaces import SpaceVectors
from indexing.build_index import build_index
from indexing.communities.settings import CommunitySettings
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from indexing.space_migration import fill_spare_space, space_of
from model_clients.hashing_embedder import HashingEmbedder

TENANT = "default"
EVERYBODY = Access()
COMMON_WORD = "harbour"
"""Stands in the title of every document, so that it finds every chunk."""

EMBEDDER = HashingEmbedder(32)
NEXT_EMBEDDER = HashingEmbedder(24)
"""The model that ``migrate`` changes to."""
# Small thresholds, so that a small collection has all kinds of files and goes all ways through the code.
STORE_SETTINGS = (
    StoreSettings(vector_file_rows=1, keyword_memory_bytes=15_000_000),
    StoreSettings(
        vector_file_rows=1,
        keyword_rebuild_texts=0,
        keyword_dead_share=0.9,
        log_rows=3,
        ann_threshold=4,
        exact_rows=0,
        keyword_memory_bytes=15_000_000,
    ),
)
SETTINGS = IndexingSettings(batch_chunks=1)
REPAIRING = replace(SETTINGS, repair_share=1.0)
OTHER_SETTINGS = replace(SETTINGS, communities=CommunitySettings(resolution=2.0))

_PEOPLE = ("Anna Lind", "Erik Holm", "Ada Byrne", "Jon Vik", "Mara Sund")
_TOWNS = ("Bergen", "Lisbon", "Genoa", "Tallinn")
_RENAMED = ("old-name.md", "new-name.md")


def secret_word(number: int, version: int) -> str:
    """Return a word that stands in one version of one document alone."""
    return f"quolm{'abcdefghij'[number]}{'xyz'[version]}zz"


def _text(number: int, version: int) -> str:
    person, friend = _PEOPLE[number % 5], _PEOPLE[(number + 1 + version) % 5]
    town = _TOWNS[(number + version) % 4]
    secret = secret_word(number, version)
    return (
        f"# Harbour of {town} {number}\n\n"
        f"{person} was a captain from {town}. {person} met {friend} in 18{10 + number}.\n\n"
        f"## Ships\n\nThe ship {secret} sailed from {town} to {_TOWNS[(number + 2) % 4]}. {friend} built it.\n"
    )


def first_sources() -> dict[str, str]:
    """Return file name -> text before an update."""
    return {**{f"d{number}.md": _text(number, 0) for number in range(5)}, _RENAMED[0]: _text(6, 0)}


def last_sources() -> dict[str, str]:
    """Return file name -> text after it: one changed twice as long, one changed, one gone, one new, one renamed."""
    kept = {f"d{number}.md": _text(number, 0) for number in (2, 3)}
    changed = {"d0.md": _text(0, 1) + _text(0, 2), "d1.md": _text(1, 1)}
    return {**kept, **changed, "d5.md": _text(5, 0), _RENAMED[1]: _text(6, 0)}


class TellingStore:
    """A store that tells of each write once it has returned, and runs each within ``watch``; otherwise the store."""

    def __init__(
        self,
        store: EmbeddedStore,
        tell: Callable[[object], None],
        watch: Callable[[Callable[[], object]], object],
    ) -> None:
        self._store = store
        self._tell = tell
        self._watch = watch

    def __getattr__(self, name: str) -> object:
        """Return what the store itself has."""
        return getattr(self._store, name)

    def write_documents(self, bundles: Sequence[DocumentBundle]) -> None:
        """Write and tell the ids and contents."""
        self._watch(lambda: self._store.write_documents(bundles))
        self._tell({"written": {bundle.document.id: bundle.document.content_hash for bundle in bundles}})

    def delete_documents(self, tenant: str, document_ids: Sequence[str]) -> tuple[str, ...]:
        """Delete and tell the ids."""
        deleted: list[str] = []
        self._watch(lambda: deleted.extend(self._store.delete_documents(tenant, document_ids)))
        self._tell({"deleted": list(document_ids)})
        return tuple(deleted)

    def publish(self, generation: Generation) -> None:
        """Publish and tell the fingerprint."""
        self._watch(lambda: self._store.publish(generation))
        self._tell({"published": generation.fingerprint})

    def fill_space(self, vectors: SpaceVectors) -> None:
        """Fill and tell how much."""
        self._watch(lambda: self._store.fill_space(vectors))
        self._tell({"filled": len(vectors.chunk_ids)})

    def switch_space(self) -> None:
        """Switch and tell."""
        self._watch(self._store.switch_space)
        self._tell({"switched": True})

    def drop_space(self) -> None:
        """Drop the second vector space and tell."""
        self._watch(self._store.drop_space)
        self._tell({"dropped": True})

    def close(self) -> None:
        """Close and tell."""
        self._watch(self._store.close)
        self._tell({"closed": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One way from a store to another. ``base`` is None where there is no store before.

    ``deleted`` are ids that are deleted by name; ``secrets`` words that must be in no file at the end. ``migrates``
    tells that the embedding model is changed, and nothing indexed.
    """

    name: str
    base: Mapping[str, str] | None
    sources: Mapping[str, str]
    base_settings: IndexingSettings = SETTINGS
    settings: IndexingSettings = SETTINGS
    rebuild: bool = False
    deleted: tuple[str, ...] = ()
    without_indexes: bool = False
    secrets: tuple[str, ...] = ()
    migrates: bool = False

    def prepare(self, folder: Path, corpus: Path, settings: StoreSettings) -> None:
        """Make the store that stands before, and leave the sources of the run in ``corpus``."""
        if self.base is not None:
            write_sources(corpus, self.base)
            with open_store(folder, settings) as store:
                index(store, [corpus], self.base_settings)
            if self.without_indexes:
                shutil.rmtree(folder / "indexes")
        write_sources(corpus, self.sources)

    def run(
        self,
        folder: Path,
        corpus: Path,
        settings: StoreSettings,
        tell: Callable[[object], None],
        watch: Callable[[Callable[[], object]], object],
    ) -> None:
        """Do the whole run, telling what is acknowledged."""
        opened: list[EmbeddedStore] = []
        watch(lambda: opened.append(open_store(folder, settings)))
        store = TellingStore(opened[0], tell, watch)
        if self.migrates:
            migrate(store)  # type: ignore[arg-type]  # all else is delegated
            store.close()
            return
        if self.deleted:
            store.delete_documents(TENANT, self.deleted)
        paths = [] if self.deleted else [corpus]
        index(store, paths, self.settings, rebuild=self.rebuild)  # type: ignore[arg-type]  # all else is delegated
        store.close()


def scenarios() -> tuple[Scenario, ...]:
    """Return the ways: ``update`` and ``delete`` change so much that the derived layer is made whole, ``repair`` and
    ``shrink`` do the same to it and repair it; ``rebuild`` has other settings, ``anew`` is told to.
    """
    gone = (secret_word(0, 0), secret_word(1, 0), secret_word(4, 0))
    return (
        Scenario(name="index", base=None, sources=last_sources()),
        Scenario(name="update", base=first_sources(), sources=last_sources(), secrets=gone),
        Scenario(
            name="delete",
            base=first_sources(),
            sources=first_sources(),
            deleted=("d0.md", "d4.md"),
            secrets=(secret_word(0, 0), secret_word(4, 0)),
        ),
        Scenario(name="repair", base=first_sources(), sources=last_sources(), settings=REPAIRING, secrets=gone),
        Scenario(
            name="shrink",
            base=first_sources(),
            sources=first_sources(),
            settings=REPAIRING,
            deleted=("d0.md", "d4.md"),
            secrets=(secret_word(0, 0), secret_word(4, 0)),
        ),
        Scenario(name="anew", base=last_sources(), sources=last_sources(), rebuild=True),
        Scenario(
            name="rebuild",
            base=last_sources(),
            sources=last_sources(),
            base_settings=OTHER_SETTINGS,
            without_indexes=True,
        ),
        Scenario(name="migrate", base=last_sources(), sources=last_sources(), migrates=True),
    )


def open_store(folder: Path, settings: StoreSettings) -> EmbeddedStore:
    """Open a store for writing as it is, or make it with the embedder of this world."""
    if (folder / DATABASE_FILE).exists() and store_model(folder, settings) == NEXT_EMBEDDER.model_id:
        return EmbeddedStore.open(folder, settings=settings, read_only=False)
    return EmbeddedStore.create_or_open(
        folder,
        embedding_model=EMBEDDER.model_id,
        dimension=EMBEDDER.dimension,
        token_space=EMBEDDER.token_space,
        token_dimension=EMBEDDER.token_dimension,
        settings=settings,
    )


def store_model(folder: Path, settings: StoreSettings) -> str:
    """Return the embedding model of a store, "" where it was never made whole."""
    try:
        with EmbeddedStore.open(folder, settings=settings) as store:
            return store.embedding_model
    except StoreMissing:
        return ""


def embedder_of(store: EmbeddedStore) -> HashingEmbedder:
    """Return the embedder that a store is asked with."""
    return NEXT_EMBEDDER if store.embedding_model == NEXT_EMBEDDER.model_id else EMBEDDER


def migrate(store: EmbeddedStore) -> None:
    """Change the embedding model: what of it is not done yet."""
    if store.embedding_model != NEXT_EMBEDDER.model_id:
        store.begin_space(space_of(NEXT_EMBEDDER), recipe="")
        fill_spare_space(store, NEXT_EMBEDDER, batch_size=2)
        store.switch_space()
    if store.spare_space() is not None:
        store.drop_space()


def index(store: EmbeddedStore, paths: Sequence[Path], settings: IndexingSettings, *, rebuild: bool = False) -> None:
    """Bring a store up to date and remove what is gone."""
    options = IndexOptions(tenant=TENANT, prune=True, rebuild=rebuild)
    if not paths:
        options = IndexOptions(tenant=TENANT)
    build_index(paths, store=store, embedder=EMBEDDER, settings=settings, options=options)


def write_sources(corpus: Path, sources: Mapping[str, str]) -> None:
    """Make ``corpus`` hold just these files."""
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    for name, text in sources.items():
        (corpus / name).write_text(text, encoding="utf-8")


def document_parts(store: EmbeddedStore, document: Document) -> str:
    """Return a digest of all that belongs to one document, equal for equal versions of it."""
    chunks = store.document_chunks(EVERYBODY, document.id)
    ids = [chunk.id for chunk in chunks]
    tokens = store.token_vectors(EVERYBODY, ids)
    parts = (
        document.title,
        store.document_text(EVERYBODY, document.id),
        [replace(chunk, document_version=0) for chunk in chunks],
        store.parents(EVERYBODY, sorted({chunk.parent_id for chunk in chunks if chunk.parent_id})),
        [(item.position, item.char_start, item.char_end) for item in store.sentences(EVERYBODY, ids).sentences],
        [(key, vector.tobytes().hex()) for key, vector in store.chunk_vectors(EVERYBODY, ids).items()],
        [(key, found.starts.tolist(), found.vectors.tobytes().hex()) for key, found in tokens.items()],
    )
    return content_hash(repr(parts))

"""Which implementation stands behind each contract: the only place that tells them apart by name."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from belvedere.built_settings import FolderNotes, Notes
from belvedere.config import ConfigError
from belvedere.settings import Settings
from belvedere.store_location import StoreLocation
from graph_store.embedded import examination
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.store_files import folder_identity
from graph_store.errors import StoreUnusable
from graph_store.findings import Finding
from graph_store.neo4j.address import ServerAddress
from graph_store.spaces import VectorSpace
from graph_store.store import GraphStore
from model_clients.cross_encoder import CrossEncoderReranker
from model_clients.embedder import Embedder
from model_clients.hashing_embedder import HashingEmbedder
from model_clients.reranker import OverlapReranker, Reranker
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings, RerankerSettings

if TYPE_CHECKING:
    from graph_store.neo4j.neo4j_store import Neo4jStore


def make_embedder(settings: EmbedderSettings) -> Embedder:
    """Return the embedder that ``settings.model`` names; ``hashing:DIMENSION`` is the one without a model."""
    match settings.model.partition(":"):
        case ("hashing", ":", dimension):
            if not dimension.isdecimal() or not 0 < int(dimension) <= 65_536:
                raise ConfigError(
                    f"embedder.model: {settings.model!r} needs a number of dimensions, as in 'hashing:256'"
                )
            return HashingEmbedder(int(dimension), token_vectors=settings.token_vectors)
        case ("openai", ":", name):
            return _api_embedder(name, settings)
        case _:
            return SentenceTransformerEmbedder(settings)


def _api_embedder(name: str, settings: EmbedderSettings) -> Embedder:
    from model_clients.api_embedder import ApiEmbedder  # noqa: PLC0415  # only when used

    if not name:
        raise ConfigError("embedder.model: 'openai:' names no model; write one such as 'openai:text-embedding-3-small'")
    try:
        return ApiEmbedder(name, settings)
    except ValueError as error:
        raise ConfigError(f"embedder: {error}") from None


def make_reranker(settings: RerankerSettings) -> Reranker | None:
    """Return the reranker that ``settings.model`` names, loaded at its first use; None where it names none."""
    match settings.model:
        case "":
            return None
        case "overlap":
            return OverlapReranker()
        case _:
            return CrossEncoderReranker(settings)


def open_to_read(
    location: StoreLocation, settings: Settings, *, embedder: Embedder | None = None, second_space: bool = False
) -> GraphStore:
    """Open an existing store for reading. Raises ``StoreUnusable`` where there is none, or one that does not fit.

    It must fit ``embedder`` where one is given, which costs no loading of its model. ``second_space`` reads its second
    vector space in the place of the live one.
    """
    model = embedder.model_id if embedder else None
    tokens = embedder.token_space if embedder else None
    store: GraphStore
    match location:
        case ServerAddress():
            store = _server_store().open(
                location,
                settings=settings.neo4j,
                expected_model=model,
                expected_tokens=tokens,
                spare=second_space,
            )
        case folder:
            store = EmbeddedStore.open(
                folder,
                settings=settings.store,
                expected_model=model,
                expected_tokens=tokens,
                spare=second_space,
            )
    return _finished(store)


def open_to_write(location: StoreLocation, settings: Settings, *, embedder: Embedder) -> GraphStore:
    """Open a store for writing, made anew where there is none. Raises ``StoreUnusable``."""
    space = VectorSpace(
        embedding_model=embedder.model_id,
        dimension=embedder.dimension,
        token_space=embedder.token_space,
        token_dimension=embedder.token_dimension,
    )
    return _finished(open_for_copy(location, settings, space))


def open_for_copy(location: StoreLocation, settings: Settings, space: VectorSpace) -> GraphStore:
    """Open a store with vectors of ``space`` for writing, made anew where there is none, also an unfinished copy.

    Raises ``StoreUnusable``.
    """
    match location:
        case ServerAddress():
            return _server_store().create_or_open(location, **asdict(space), settings=settings.neo4j)
        case folder:
            return EmbeddedStore.create_or_open(folder, **asdict(space), settings=settings.store)


def open_to_migrate(location: StoreLocation, settings: Settings) -> GraphStore:
    """Open an existing store for writing, whatever embedding model it was made with. Raises ``StoreUnusable``."""
    store: GraphStore
    match location:
        case ServerAddress():
            store = _server_store().open(location, settings=settings.neo4j, read_only=False)
        case folder:
            store = EmbeddedStore.open(folder, settings=settings.store, read_only=False)
    return _finished(store)


def open_as_origin(location: StoreLocation, settings: Settings) -> GraphStore:
    """Open an existing store to be copied: within ``one_state`` it stays as it is. Raises ``StoreUnusable``.

    A server keeps no snapshots, so there nobody else is let write meanwhile.
    """
    return (open_to_migrate if isinstance(location, ServerAddress) else open_to_read)(location, settings)


def _finished(store: GraphStore) -> GraphStore:
    """Return a store that is whole; closes it and raises ``StoreUnusable`` where it is an unfinished copy."""
    try:
        note = store.unfinished_copy()
    except BaseException:
        store.close()
        raise
    if note is not None:
        store.close()
        raise StoreUnusable(
            f"the store is a copy that is not finished ({note}): run the same `belvedere copy-store` again"
        )
    return store


def _server_store() -> "type[Neo4jStore]":
    """Return the class of stores on a server; its driver is an extra, and takes its time to be imported."""
    try:
        from graph_store.neo4j.neo4j_store import Neo4jStore  # noqa: PLC0415  # an extra, only when used
    except ModuleNotFoundError as error:
        raise StoreUnusable(
            f"a store on a Neo4j server needs the package {error.name!r}: pip install 'belvedere[neo4j]'"
        ) from None
    return Neo4jStore


def identity_of(location: StoreLocation, opened: Callable[[], GraphStore]) -> str:
    """Return the ``identity`` of the store at ``location``; only that of a store on a server needs it ``opened``."""
    return folder_identity(location) if isinstance(location, Path) else opened().identity


def notes_of(location: StoreLocation, store: GraphStore) -> Notes:
    """Return the notes of an open store at ``location``."""
    if isinstance(location, Path):
        return FolderNotes(folder=location)
    assert isinstance(store, _server_store())
    return store


def examine_store(location: StoreLocation, settings: Settings) -> tuple[Finding, ...]:
    """Look over a store without changing anything. Raises ``StoreMissing`` where there is none."""
    match location:
        case ServerAddress():
            return _server_store().examine(location, settings.neo4j)
        case folder:
            return examination.examine_store(folder, settings.store)


def examine_indexes(location: StoreLocation, settings: Settings, tenant: str) -> tuple[Finding, ...]:
    """Look over the indexes of one tenant without changing anything. Raises ``StoreMissing`` where there is none."""
    match location:
        case ServerAddress():
            found = _server_store().examine(location, settings.neo4j)
            return tuple(finding for finding in found if finding.check in {"server", "indexes"})
        case folder:
            return examination.examine_indexes(folder, settings.store, tenant)

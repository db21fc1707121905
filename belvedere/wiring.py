"""Which implementation stands behind each contract: the only place that tells them apart by name."""

from pathlib import Path

from belvedere.config import ConfigError
from belvedere.settings import Settings
from graph_store.embedded import examination
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.findings import Finding
from graph_store.store import GraphStore
from model_clients.cross_encoder import CrossEncoderReranker
from model_clients.embedder import Embedder
from model_clients.hashing_embedder import HashingEmbedder
from model_clients.reranker import OverlapReranker, Reranker
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings, RerankerSettings


def make_embedder(settings: EmbedderSettings) -> Embedder:
    """Return the embedder that ``settings.model`` names; ``hashing:DIMENSION`` is the one without a model."""
    match settings.model.partition(":"):
        case ("hashing", ":", dimension):
            if not dimension.isdecimal() or not 0 < int(dimension) <= 65_536:
                raise ConfigError(
                    f"embedder.model: {settings.model!r} needs a number of dimensions, as in 'hashing:256'"
                )
            return HashingEmbedder(int(dimension), token_vectors=settings.token_vectors)
        case _:
            return SentenceTransformerEmbedder(settings)


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
    folder: Path, settings: Settings, *, embedder: Embedder | None = None, second_space: bool = False
) -> GraphStore:
    """Open an existing store for reading. Raises ``StoreUnusable`` where there is none, or one that does not fit.

    It must fit ``embedder`` where one is given, which costs no loading of its model. ``second_space`` reads its second
    vector space in the place of the live one.
    """
    return EmbeddedStore.open(
        folder,
        settings=settings.store,
        expected_model=embedder.model_id if embedder else None,
        expected_tokens=embedder.token_space if embedder else None,
        spare=second_space,
    )


def open_to_write(folder: Path, settings: Settings, *, embedder: Embedder) -> GraphStore:
    """Open a store for writing, made anew where there is none. Raises ``StoreUnusable``."""
    return EmbeddedStore.create_or_open(
        folder,
        embedding_model=embedder.model_id,
        dimension=embedder.dimension,
        token_space=embedder.token_space,
        token_dimension=embedder.token_dimension,
        settings=settings.store,
    )


def open_to_migrate(folder: Path, settings: Settings) -> GraphStore:
    """Open an existing store for writing, whatever embedding model it was made with. Raises ``StoreUnusable``."""
    return EmbeddedStore.open(folder, settings=settings.store, read_only=False)


def examine_store(folder: Path, settings: Settings) -> tuple[Finding, ...]:
    """Look over a store without changing anything. Raises ``StoreMissing`` where there is none."""
    return examination.examine_store(folder, settings.store)


def examine_indexes(folder: Path, settings: Settings, tenant: str) -> tuple[Finding, ...]:
    """Look over the indexes of one tenant without changing anything. Raises ``StoreMissing`` where there is none."""
    return examination.examine_indexes(folder, settings.store, tenant)

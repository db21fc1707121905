"""Which embedding model a store is asked with: the configured one, or the one that the store was switched to.

A store that was switched to another model keeps how that model is loaded. Where the configuration still names the model
that it was switched from, the store's own is used, so that nothing stops answering at a switch; a configuration that
names any third model does not fit the store.
"""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from belvedere.errors import UserMistake
from belvedere.settings import Settings
from belvedere.store_location import StoreLocation
from belvedere.wiring import make_embedder, open_to_read
from graph_store.errors import StoreUnusable
from graph_store.spaces import LiveSpace
from model_clients.embedder import Embedder
from model_clients.errors import ModelUnusable
from model_clients.settings import EmbedderSettings, TokenVectorKind

_OF_THE_MODEL = ("model", "revision", "question_prefix", "passage_prefix", "token_vectors", "dimensions")
"""The settings that decide what vectors are; the others say how this machine makes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoice:
    """The settings of the embedder that is used; ``switched`` tells that they are the store's own."""

    settings: EmbedderSettings
    switched: bool = False


def choose_embedder(location: StoreLocation, settings: Settings) -> EmbedderChoice:
    """Return which embedder suits the store at ``location``; the configured one where there is none, or none suits.

    Loads no model.
    """
    configured = EmbedderChoice(settings=settings.embedder)
    try:
        store = open_to_read(location, settings)
    except StoreUnusable:
        return configured  # whoever opens it next is told
    try:
        live = store.live_space()
    finally:
        store.close()
    if not live.recipe or not live.replaced or not _was_replaced(make_embedder(settings.embedder), live):
        return configured
    return EmbedderChoice(settings=from_recipe(live.recipe, settings.embedder), switched=True)


def names_live_model(settings: Settings, live: LiveSpace) -> bool:
    """Tell whether the configured embedder makes the vectors that are searched; loads no model."""
    try:
        embedder = make_embedder(settings.embedder)
    except (ModelUnusable, UserMistake):  # it is not there (any more), so it is another one
        return False
    return (embedder.model_id, embedder.token_space) == (live.space.embedding_model, live.space.token_space)


def _was_replaced(embedder: Embedder, live: LiveSpace) -> bool:
    """Tell whether the embedder's space was live before, and is not now."""
    name = (embedder.model_id, embedder.token_space)
    if name == (live.space.embedding_model, live.space.token_space):
        return False
    return name in {(space.embedding_model, space.token_space) for space in live.replaced}


def recipe_of(settings: EmbedderSettings) -> str:
    """Return what a store keeps of an embedder's settings to load it again; a folder by its whole path."""
    whole = asdict(settings)
    kept = {name: whole[name] for name in _OF_THE_MODEL}
    if os.path.isdir(settings.model):
        kept["model"] = str(Path(settings.model).resolve())
    return json.dumps(kept, sort_keys=True)


def from_recipe(recipe: str, settings: EmbedderSettings) -> EmbedderSettings:
    """Return ``settings`` with the model that a recipe names; device, precision and batches stay as they are."""
    kept = json.loads(recipe)
    return replace(settings, **{name: kept[name] for name in _OF_THE_MODEL if name in kept})


def other_embedder(
    settings: EmbedderSettings, *, model: str | None, token_vectors: TokenVectorKind | None
) -> EmbedderSettings:
    """Return the settings of another model or of other token vectors; a prefix or revision is that of one model."""
    changed = settings
    if model is not None and model != settings.model:
        changed = replace(settings, model=model, revision="", question_prefix="", passage_prefix="")
    return changed if token_vectors is None else replace(changed, token_vectors=token_vectors)

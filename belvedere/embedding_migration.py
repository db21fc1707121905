"""Changing the embedding model of a store that goes on answering: a second vector space, a switch, the old one gone.

The store is locked for writing as long as a run lasts: questions are answered meanwhile, `belvedere index` is told to
wait. A run that is stopped, in whatever way, goes on where it was when the same is asked for again.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace

from belvedere.built_settings import record_embedder
from belvedere.embedder_choice import choose_embedder, from_recipe, recipe_of
from belvedere.errors import UserMistake
from belvedere.settings import Settings
from belvedere.store_location import StoreLocation
from belvedere.wiring import make_embedder, notes_of, open_to_migrate, open_to_read
from graph_store.spaces import LiveSpace, SpareSpace
from graph_store.store import GraphStore
from indexing.report import Progress
from indexing.space_migration import FillReport, fill_spare_space, space_of
from model_clients.errors import ModelUnusable
from model_clients.settings import EmbedderSettings


class MigrationMistake(UserMistake):
    """Steps of a migration that cannot be taken as the store is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationSteps:
    """What is to be done, in this order: fill the space of ``embedder`` (None: fill none), switch, drop the old space.

    ``abandon`` stands alone: it removes a second space that was never live.
    """

    embedder: EmbedderSettings | None = None
    switch: bool = False
    drop_old: bool = False
    abandon: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationReport:
    """How the store stands after a migration's steps, and what was done.

    ``lacking`` is the number of records without vectors in the second space, 0 where there is none.
    """

    live: LiveSpace
    spare: SpareSpace | None
    lacking: int
    filled: FillReport
    switched: bool = False
    dropped: bool = False


def look_at_spaces(location: StoreLocation, settings: Settings) -> MigrationReport:
    """Tell how the vector spaces of a store stand; changes nothing. Raises ``StoreUnusable``."""
    with closing(open_to_read(location, settings)) as store:
        return _report(store)


def migrate_embeddings(
    location: StoreLocation,
    settings: Settings,
    steps: MigrationSteps,
    *,
    progress: Callable[[Progress], None] | None = None,
) -> MigrationReport:
    """Take the steps of a migration, and say how the store stands.

    Steps that are done already are left out, so that a run that was stopped may be repeated as it was. Raises
    ``MigrationMistake``, ``StoreUnusable`` (locked, another second space, an incomplete one) and ``ModelUnusable``.
    """
    if steps.abandon and steps != MigrationSteps(abandon=True):
        raise MigrationMistake("--abandon removes the second vector space: leave the other steps out")
    with closing(open_to_migrate(location, settings)) as store:
        if steps.abandon:
            _abandon(store)
            return replace(_report(store), dropped=True)
        filled, wanted_is_live = FillReport(), False
        if steps.embedder is not None:
            embedder = make_embedder(steps.embedder)
            wanted_is_live = (steps.switch or steps.drop_old) and space_of(embedder) == store.live_space().space
            if not wanted_is_live:
                live_recipe = _live_recipe(location, settings, store)
                store.begin_space(space_of(embedder), recipe=recipe_of(steps.embedder), live_recipe=live_recipe)
                filled = fill_spare_space(store, embedder, batch_size=settings.indexing.batch_chunks, progress=progress)
        switched = steps.switch and not wanted_is_live
        if switched:
            _switch(store, named=steps.embedder is not None)
        if steps.switch:
            _record_switch(location, settings, store)
        dropped = steps.drop_old and _drop_old(store)
        return replace(_report(store), filled=filled, switched=switched, dropped=dropped)


def _live_recipe(location: StoreLocation, settings: Settings, store: GraphStore) -> str:
    """Return how the live model is loaded, where the settings know: a switch back must find it.

    A model that is not there any more is no hindrance: changing to another one is the way out.
    """
    live = store.live_space().space
    try:
        chosen = choose_embedder(location, settings).settings
        embedder = make_embedder(chosen)
    except (ModelUnusable, UserMistake):
        return ""
    fits = (embedder.model_id, embedder.token_space) == (live.embedding_model, live.token_space)
    return recipe_of(chosen) if fits else ""


def _switch(store: GraphStore, *, named: bool) -> None:
    """Switch to the second space; back to the old one only where its model is ``named``."""
    spare = store.spare_space()
    if spare is not None and spare.former and not named:
        raise MigrationMistake(
            f"the store was switched already, from {spare.space.embedding_model!r}: to go back to that model name it"
            " with --model"
        )
    store.switch_space()


def _record_switch(location: StoreLocation, settings: Settings, store: GraphStore) -> None:
    recipe = store.live_space().recipe
    if recipe:
        record_embedder(notes_of(location, store), from_recipe(recipe, settings.embedder))


def _abandon(store: GraphStore) -> None:
    spare = store.spare_space()
    if spare is not None and spare.former:
        raise MigrationMistake(
            f"the second vector space, of {spare.space.embedding_model!r}, is the old one: --drop-old removes it"
        )
    store.drop_space()


def _drop_old(store: GraphStore) -> bool:
    """Drop the space that was live before the last switch; tell whether there was one."""
    spare = store.spare_space()
    if spare is None:
        return False
    if not spare.former:
        raise MigrationMistake(
            f"the second vector space, of {spare.space.embedding_model!r}, is not the old one: --switch makes it live,"
            " --abandon removes it"
        )
    store.drop_space()
    return True


def _report(store: GraphStore) -> MigrationReport:
    spare = store.spare_space()
    lacking = 0 if spare is None else sum(store.unfilled(tenant).total for tenant in store.tenants())
    return MigrationReport(live=store.live_space(), spare=spare, lacking=lacking, filled=FillReport())

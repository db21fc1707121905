"""What a store holds."""

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from belvedere.built_settings import changed_since
from belvedere.language_models import replies_beside
from belvedere.settings import Settings
from belvedere.store_location import StoreLocation
from belvedere.wiring import notes_of
from graph_store.access import Access
from graph_store.bundles import StoreCounts
from graph_store.errors import SpaceMissing
from graph_store.spaces import SpareSpace
from graph_store.store import GraphStore


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """A store at a glance.

    ``counts`` are of what the caller may read. ``up_to_date`` says whether communities and trees were made from the
    documents as they are; if not, the next indexing run makes them. ``store_bytes`` is the size on the disk,
    None on a server, which does not tell.
    ``second_space`` is the vector space beside the live one, None where there is none; ``second_space_whole`` whether
    every record of the tenant has its vectors there.
    ``tasks`` are those that a language model does, each with its model; ``kept_replies`` is how many replies of such
    models are kept for the tenant.
    ``settings_changed`` are settings for indexing that differ from those of the tenant's last run: name -> (then, now).
    """

    store: StoreLocation
    embedding_model: str
    dimension: int
    tenant: str
    counts: StoreCounts
    up_to_date: bool
    store_bytes: int | None
    settings_changed: Mapping[str, tuple[object, object]]
    second_space: SpareSpace | None = None
    second_space_whole: bool = False
    tasks: Mapping[str, str] = field(default_factory=dict)
    kept_replies: int = 0


def read_status(location: StoreLocation, store: GraphStore, access: Access, settings: Settings) -> StoreStatus:
    """Look at an open store at ``location``; ``settings`` are those of today."""
    counts = store.counts(access)
    second_space, whole = _second_space(store, access.tenant)
    return StoreStatus(
        store=location,
        embedding_model=store.embedding_model,
        dimension=store.dimension,
        tenant=access.tenant,
        counts=counts,
        up_to_date=counts.documents == 0 or store.derived_fingerprint(access.tenant) is not None,
        store_bytes=folder_bytes(location) if isinstance(location, Path) else None,
        second_space=second_space,
        second_space_whole=whole,
        tasks={task: model for task, model in settings.llm.models().items()},
        kept_replies=_kept_replies(location, store, access.tenant) if counts.documents else 0,
        # Nothing that another caller did is told to one who may read nothing.
        settings_changed=changed_since(notes_of(location, store), access.tenant, settings) if counts.documents else {},
    )


def _second_space(store: GraphStore, tenant: str) -> tuple[SpareSpace | None, bool]:
    """Return the second vector space and whether it is whole; none where it is dropped while it is looked at."""
    space = store.spare_space()
    try:
        return space, space is not None and store.unfilled(tenant).total == 0
    except SpaceMissing:
        return None, False


def _kept_replies(location: StoreLocation, store: GraphStore, tenant: str) -> int:
    with closing(replies_beside(location, lambda: store.identity)) as replies:
        return replies.count(tenant)


def folder_bytes(folder: Path) -> int:
    """Return the total size of the files below ``folder``."""
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return sum(map(_size, paths))


def _size(path: Path) -> int:
    """Return the size of a file, 0 where it is gone: a run of `belvedere index` replaces files meanwhile."""
    try:
        return path.stat().st_size
    except OSError:
        return 0

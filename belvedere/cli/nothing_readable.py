"""Refuses a caller who may read nothing, in the same words whatever else the store holds."""

from typing import TYPE_CHECKING

from belvedere.errors import UserMistake

if TYPE_CHECKING:
    from belvedere.cli.options import Shared
    from belvedere.knowledge_base import KnowledgeBase


class NothingReadable(UserMistake):
    """The caller may read no document of the store: most often a tenant or a group that is misspelt."""


def refuse_if_nothing_readable(shared: "Shared", kb: "KnowledgeBase") -> None:
    """Raise ``NothingReadable`` where the caller may read no document; for commands that found nothing, or would."""
    if not kb.store.counts(kb.access).documents:
        raise NothingReadable(nothing_readable(shared))


def nothing_readable(shared: "Shared") -> str:
    """Return the sentence; it does not tell whether other tenants or groups have documents."""
    asked = f"in the groups {', '.join(shared.groups)}" if shared.groups else "without a group"
    return (
        f"the tenant {shared.tenant!r} {asked} has no documents to read here: name another --tenant or --groups "
        "(`belvedere doctor --all` lists the tenants), or run `belvedere index`"
    )

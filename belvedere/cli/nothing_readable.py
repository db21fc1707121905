"""Tells a caller who may read nothing that this is so, in the same words whatever else the store holds."""

from typing import TYPE_CHECKING

from belvedere.cli.printing import complain

if TYPE_CHECKING:
    from belvedere.cli.options import Shared
    from belvedere.knowledge_base import KnowledgeBase


def complain_if_nothing_readable(shared: "Shared", kb: "KnowledgeBase") -> None:
    """Say so on stderr where the caller may read no document; for commands that found nothing."""
    if not kb.store.counts(kb.access).documents:
        complain(nothing_readable(shared))


def nothing_readable(shared: "Shared") -> str:
    """Return the sentence; it does not tell whether other tenants or groups have documents."""
    asked = f"in the groups {', '.join(shared.groups)}" if shared.groups else "without a group"
    return (
        f"the tenant {shared.tenant!r} {asked} has no documents to read here: name another --tenant or --groups, "
        "or run `belvedere index`"
    )

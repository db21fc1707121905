"""Labels and index names. They cannot be parameters of a query, so nothing that comes from outside reaches them as is.

The names are those that other tools for knowledge graphs on Neo4j use. Searchable nodes carry a second label for their
tenant, which its text index is on. Labels of tenants hold a blank, those made from entity types never do.
"""

import re

from graph_store.ids import stable_id
from graph_store.records import SearchKind

LABEL_OF: dict[SearchKind, str] = {"chunk": "Chunk", "report": "__Community__", "tree_node": "Summary"}
"""Which nodes a search of a kind finds."""

TERMS_OF: dict[SearchKind, str] = {"chunk": "chunk_terms", "report": "report_terms", "tree_node": "summary_terms"}
"""The property that holds the index terms of a kind; each is a field of its own, with word statistics of its own."""

INSIDE: dict[SearchKind, tuple[str, ...]] = {
    "chunk": ("tenant",),
    "report": ("tenant", "generation"),
    "tree_node": ("tenant", "generation"),
}
"""Properties that vector indexes hold beside the vectors, where the server can: a search then sees nothing else."""

DERIVED_LABELS = ("__Entity__", "__Community__", "Summary")
"""Nodes of the derived layer; each belongs to one generation of it."""

RESERVED_LABELS = frozenset(
    {
        "Document",
        "Chunk",
        "ChunkData",
        "Parent",
        "Source",
        "BelvedereStore",
        "BelvedereTenant",
        *DERIVED_LABELS,
    }
)
"""Labels that an entity type must not become."""

_LONGEST_LABEL = 64


def tenant_label(tenant: str) -> str:
    """Return the label, ready for a query, of a tenant's searchable nodes."""
    return f"`{stable_id('tenant ', tenant)}`"


def text_index(tenant: str) -> str:
    """Return the name of a tenant's full-text index."""
    return stable_id("belvedere_text_", tenant)


def type_label(entity_type: str) -> str:
    """Return the label of an entity type: letters, digits and underscores only, and none that means something else."""
    label = re.sub(r"[^A-Za-z0-9_]", "_", entity_type)[:_LONGEST_LABEL] or "_"
    if label[0].isdigit():
        label = f"_{label}"
    return f"{label}_" if label in RESERVED_LABELS else label

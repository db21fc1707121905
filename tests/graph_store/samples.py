"""Three small documents for the contract of a store, callers who see different ones, and a short way to search."""

from graph_store.access import Access
from graph_store.bundles import DocumentBundle, StoreCounts
from graph_store.records import SearchKind
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, generation_of

PUBLIC = Access()
STAFF = Access(groups=frozenset({"staff"}))
OTHER = Access(tenant="other", groups=frozenset({"staff"}))
KINDS: tuple[SearchKind, ...] = ("chunk", "report", "tree_node")
NOTHING = StoreCounts(documents=0, chunks=0, entities=0, relations=0, communities=0, tree_nodes=0)


def open_document() -> DocumentBundle:
    return document_bundle(
        "open", ["Alpha meets Beta at the harbour.", "Gamma sleeps alone."], metadata={"year": 2020, "tags": ("x", "y")}
    )


def staff_document() -> DocumentBundle:
    return document_bundle(
        "staff", ["Alpha hides the treasure of Omega."], groups=("staff",), metadata={"year": 2022.5, "secret": "yes"}
    )


def other_document() -> DocumentBundle:
    return document_bundle("foreign", ["Alpha sells treasure to Delta."], tenant="other")


def three_documents() -> list[DocumentBundle]:
    return [open_document(), staff_document(), other_document()]


def fill(store: GraphStore) -> list[DocumentBundle]:
    """Write and publish three documents: open, for staff, and of another tenant."""
    bundles = three_documents()
    store.write_documents(bundles)
    store.publish(generation_of(bundles, aliases={"Alpha": ("Omega",)}))
    store.publish(generation_of(bundles, tenant="other"))
    return bundles


def search_ids(store: GraphStore, access: Access, text: str, *, kind: SearchKind = "chunk", k: int = 10) -> list[str]:
    return [hit.id for hit in store.search_keywords(access, text, kind=kind, k=k)]

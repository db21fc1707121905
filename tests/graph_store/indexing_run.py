"""What a run of indexing does to a store: it can be stopped anywhere, and done again.

As a program, ``python -m tests.graph_store.indexing_run bolt://…``, it does so to a store in Neo4j.
"""

import sys

from graph_store.neo4j.address import parse_address
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.settings import Neo4jSettings
from graph_store.store import GraphStore
from tests.graph_store.builders import DIMENSION, MODEL, document_bundle, generation_of

SETTINGS = Neo4jSettings(transaction_rows=10)
"""A derived layer of a few records is written in several transactions."""

KEPT = [
    document_bundle(f"d{number}", [f"Alpha meets Beta{number}.", "Gamma rests.", "Delta sings."]) for number in range(6)
]
GONE = document_bundle("gone", ["Epsilon was here."])
_TOGETHER = 2


def index_all(store: GraphStore) -> None:
    """Write what the store does not have, publish, delete a document, and publish what is left."""
    known = store.document_states("default")
    missing = [bundle for bundle in (*KEPT, GONE) if bundle.document.id not in known]
    for start in range(0, len(missing), _TOGETHER):
        store.write_documents(missing[start : start + _TOGETHER])
    store.publish(generation_of([*KEPT, GONE]))
    store.delete_documents("default", [GONE.document.id])
    store.publish(generation_of(KEPT))


def open_store(uri: str) -> Neo4jStore:
    """Open the store at an address to write."""
    return Neo4jStore.create_or_open(parse_address(uri), embedding_model=MODEL, dimension=DIMENSION, settings=SETTINGS)


if __name__ == "__main__":
    with open_store(sys.argv[1]) as opened:
        index_all(opened)

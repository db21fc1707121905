"""The part of a collection that is no older version of another part."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from graph_store.bundles import Collection
from graph_store.records import Document
from graph_store.version_circles import SUPERSEDES, find_circles


def current_versions(collection: Collection) -> Collection:
    """Return the collection without documents that another supersedes, for derived texts to be made from.

    A reader is shown no text that rests on a superseded document, so one such document would hide whole reports from
    him. A document is left out only where everybody who may read it may read what supersedes it: for all others it is
    the current version. Names and relations stay, as they are found by their chunks.
    """
    gone = superseded(collection.documents)
    if not gone:
        return collection
    rows = np.array(
        [row for row, chunk in enumerate(collection.chunks) if chunk.document_id not in gone], dtype=np.int64
    )
    chunks = tuple(collection.chunks[row] for row in rows)
    known = {chunk.id for chunk in chunks}
    told = np.array([row for row, one in enumerate(collection.sentences) if one.chunk_id in known], dtype=np.int64)
    return replace(
        collection,
        documents=tuple(document for document in collection.documents if document.id not in gone),
        chunks=chunks,
        chunk_vectors=collection.chunk_vectors[rows],
        sentences=tuple(collection.sentences[row] for row in told),
        sentence_vectors=collection.sentence_vectors[told],
    )


def superseded(documents: tuple[Document, ...]) -> frozenset[str]:
    """Return the ids of documents that another one supersedes for everybody who may read them.

    Documents that supersede each other in a circle do not.
    """
    by_id = {document.id: document for document in documents}
    older: defaultdict[str, set[str]] = defaultdict(set)
    for newer, old in _links(by_id):
        older[newer].add(old)
    circles = find_circles(older)
    return frozenset(
        old
        for newer, names in older.items()
        for old in names
        if circles[newer] != circles[old] and _reaches(by_id[newer], by_id[old])
    )


def _links(documents: Mapping[str, Document]) -> Iterator[tuple[str, str]]:
    for document in documents.values():
        value = document.metadata.get(SUPERSEDES, ())
        names = (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()
        for name in names:
            if name in documents:
                yield document.id, name


def _reaches(newer: Document, old: Document) -> bool:
    """Tell whether everybody who may read ``old`` may read ``newer``."""
    return not newer.groups or (bool(old.groups) and set(old.groups) <= set(newer.groups))

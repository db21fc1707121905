"""Pours indexed sets into one store: what was read, split and embedded is taken over; what rests on the whole
collection (entities, homes, the passage graph) is made anew.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.merging import prefixed
from graph_store.access import DEFAULT_TENANT, Access
from graph_store.bundles import Collection, DocumentBundle, Generation
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Chunk, Document, NamedHome, NamedMention, NamedRelation
from indexing.passage_graph import build_passage_edges
from indexing.resolution import resolve
from indexing.settings import IndexingSettings

_BATCH = 500

Named = TypeVar("Named", NamedMention, NamedRelation, NamedHome)


def pour(stores: Mapping[str, Path], folder: Path, settings: IndexingSettings) -> None:
    """Make a store in ``folder`` with the documents of ``stores``, each id behind the name of its store.

    The passage graph is made; communities and trees, which ranking passages does not look at, are not.
    """
    with EmbeddedStore.open(next(iter(stores.values()))) as like:
        made = EmbeddedStore.create_or_open(
            folder,
            embedding_model=like.embedding_model,
            dimension=like.dimension,
            token_space=like.token_space,
            token_dimension=like.token_dimension,
        )
    with made:
        for name, path in stores.items():
            with EmbeddedStore.open(path) as store:
                _write(made, bundles(store, name))
        collection = made.read_collection(DEFAULT_TENANT)
        found = resolve(collection)
        made.publish(
            Generation(
                tenant=DEFAULT_TENANT,
                fingerprint="poured",
                entities=found.entities,
                mentions=found.mentions,
                homes=found.homes,
                passage_edges=build_passage_edges(collection, found, settings.graph),
            )
        )


def _write(store: EmbeddedStore, poured: Iterable[DocumentBundle]) -> None:
    batch: list[DocumentBundle] = []
    for bundle in poured:
        batch.append(bundle)
        if len(batch) == _BATCH:
            store.write_documents(batch)
            batch = []
    if batch:
        store.write_documents(batch)


def bundles(store: EmbeddedStore, name: str) -> Iterator[DocumentBundle]:
    """Yield the documents of a store under ids that begin with ``name``."""
    rows = _Rows(store.read_collection(DEFAULT_TENANT))
    for document in rows.collection.documents:
        yield _bundle(store, rows, document, name)


class _Rows:
    """The rows of a collection by document and by chunk."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.chunks = _places(chunk.document_id for chunk in collection.chunks)
        self.sentences = _places(sentence.chunk_id for sentence in collection.sentences)
        self.mentions = _places(mention.chunk_id for mention in collection.mentions)
        self.relations = _places(relation.chunk_id for relation in collection.relations)
        self.homes = _places(home.chunk_id for home in collection.homes)


def _places(keys: Iterable[str]) -> Mapping[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        found[key].append(place)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """What belongs to the chunks of one document."""

    rows: _Rows
    chunks: tuple[Chunk, ...]

    def of(self, places: Mapping[str, list[int]]) -> list[int]:
        """Return the rows of the document's chunks."""
        return [place for chunk in self.chunks for place in places.get(chunk.id, ())]

    def named(
        self, records: tuple[Named, ...], places: Mapping[str, list[int]], rename: Callable[[str], str]
    ) -> tuple[Named, ...]:
        """Return the records of the document's chunks, under the new ids."""
        return tuple(replace(records[place], chunk_id=rename(records[place].chunk_id)) for place in self.of(places))


def _bundle(store: EmbeddedStore, rows: _Rows, document: Document, name: str) -> DocumentBundle:
    def rename(identifier: str) -> str:
        return prefixed(identifier, name)

    access, all_of = Access(), rows.collection
    own_chunks = rows.chunks.get(document.id, [])
    own = _Own(rows=rows, chunks=tuple(all_of.chunks[place] for place in own_chunks))
    own_sentences = own.of(rows.sentences)
    tokens = store.token_vectors(access, [chunk.id for chunk in own.chunks])
    parents = store.parents(access, sorted({chunk.parent_id for chunk in own.chunks if chunk.parent_id is not None}))
    return DocumentBundle(
        document=replace(document, id=rename(document.id), source_uri=rename(document.source_uri)),
        text=store.document_text(access, document.id) or "",
        parents=tuple(
            replace(parent, id=rename(parent.id), document_id=rename(parent.document_id)) for parent in parents
        ),
        chunks=tuple(_renamed(chunk, rename) for chunk in own.chunks),
        chunk_vectors=_unit(all_of.chunk_vectors[own_chunks]),
        sentences=tuple(
            replace(all_of.sentences[place], chunk_id=rename(all_of.sentences[place].chunk_id))
            for place in own_sentences
        ),
        sentence_vectors=_unit(all_of.sentence_vectors[own_sentences]),
        token_vectors=tuple(tokens[chunk.id] for chunk in own.chunks if chunk.id in tokens),
        mentions=own.named(all_of.mentions, rows.mentions, rename),
        relations=own.named(all_of.relations, rows.relations, rename),
        homes=own.named(all_of.homes, rows.homes, rename),
    )


def _renamed(chunk: Chunk, rename: Callable[[str], str]) -> Chunk:
    parent = rename(chunk.parent_id) if chunk.parent_id is not None else None
    return replace(chunk, id=rename(chunk.id), document_id=rename(chunk.document_id), parent_id=parent)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return rows of unit length: what a store keeps in fewer bits comes back a little longer or shorter."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), dtype=np.float32)

"""What was read of passages within one piece of work, so that a passage is asked for once.

Whoever wants the text of a passage will want its sentences, vectors, tokens and document as well: they come together.
"""

from collections.abc import Collection as AnyCollection
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from graph_store.bundles import ChunkSentences, FloatVector, NamePlaces, NamesOfPassages, TokenVectors
from graph_store.neo4j import document_reads, near_names
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.document_reads import WholePassage
from graph_store.neo4j.scope import Scope
from graph_store.neo4j.search import Aside
from graph_store.neo4j.slots import StoredSpace
from graph_store.records import Chunk, Document
from graph_store.searches import Along

_Record = TypeVar("_Record")

MOST_AT_ONCE = 256
"""Passages beyond which only what is asked for is read, and not kept."""


class PassageMemo:
    """Passages of one scope, with what is known not to be there."""

    def __init__(self, transaction: Transaction, scope: Scope, space: StoredSpace) -> None:
        self._transaction = transaction
        self._scope = scope
        self._space = space
        self._passages: dict[str, WholePassage | None] = {}
        self._vectors: dict[str, FloatVector | None] = {}
        self._documents: dict[str, Document | None] = {}
        self._places: dict[tuple[Scope, str, int], NamePlaces | None] = {}
        self._chunks_of: dict[str, tuple[str, ...]] = {}

    def chunks(self, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return the passages in the order asked."""
        return tuple(passage.chunk for passage in self._whole(chunk_ids))

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        """Return the passages of a document by position."""
        if document_id not in self._chunks_of:
            found = document_reads.read_whole_document(self._transaction, self._scope, document_id, space=self._space)
            self._keep(found)
            self._chunks_of[document_id] = tuple(passage.chunk.id for passage in found)
        return self.chunks(self._chunks_of[document_id])

    def sentences(self, chunk_ids: Sequence[str]) -> ChunkSentences:
        """Return the sentences of passages in the order asked."""
        rows = (passage.sentences for passage in self._whole(chunk_ids))
        return document_reads.sentences_of((row for row in rows if row is not None), self._space.dimension)

    def tokens(self, chunk_ids: Sequence[str]) -> dict[str, TokenVectors]:
        """Return chunk id -> tokens in the order asked, of the passages that have some kept."""
        width = self._space.token_dimension
        return {
            passage.chunk.id: passage.tokens(width)
            for passage in self._whole(chunk_ids)
            if passage.token_starts is not None
        }

    def names(self, scope: Scope, chunk_ids: Sequence[str], *, most: int) -> NamesOfPassages:
        """Return the names of passages within a generation; the passages that are not known yet come along."""
        missing = self._missing(chunk_ids)
        if not missing:
            return near_names.read_passage_names(self._transaction, scope, chunk_ids, most=most)
        passages = document_reads.whole_passages_query(
            missing, with_vectors=self._without_vector(missing), space=self._space
        )
        names, rows = near_names.read_names_and_passages(
            self._transaction, scope, chunk_ids, most=most, passages=passages
        )
        self._passages.update(dict.fromkeys(missing))
        self._keep(document_reads.whole_passage(row, scope.tenant, self._space) for row in rows)
        return names

    def places(self, scope: Scope, keys: AnyCollection[str], *, most: int) -> dict[str, NamePlaces]:
        """Return where names stand within a generation."""
        missing = [key for key in keys if (scope, key, most) not in self._places]
        if missing:
            self._keep_places(
                scope, missing, near_names.read_name_places(self._transaction, scope, missing, most=most), most=most
            )
        found = {key: self._places[scope, key, most] for key in sorted(set(keys))}
        return {key: places for key, places in found.items() if places is not None}

    def asides(self, scope: Scope, along: Along) -> list[Aside]:
        """Return what reads and keeps what will be asked for and is not known yet."""
        asides: list[Aside] = []
        keys = [key for key in along.names if key and (scope, key, along.places) not in self._places]
        if keys:
            query, parameters = near_names.places_query(scope, keys, along.places)

            def take_places(rows: Sequence[Mapping[str, Any]]) -> None:
                self._keep_places(scope, keys, near_names.places_of(rows), most=along.places)

            asides.append(Aside(query=query, columns=near_names.COLUMNS, parameters=parameters, take=take_places))
        missing = self._without_vector(along.vectors)
        if missing:

            def take_vectors(rows: Sequence[Mapping[str, Any]]) -> None:
                found = document_reads.vectors_of(rows, self._space)
                self._vectors.update({chunk_id: found.get(chunk_id) for chunk_id in missing})

            query = document_reads.vectors_query(self._space)
            columns = ("id", "vector")
            asides.append(Aside(query=query, columns=columns, parameters={"vector_ids": missing}, take=take_vectors))
        return asides

    def _keep_places(self, scope: Scope, keys: Iterable[str], found: Mapping[str, NamePlaces], *, most: int) -> None:
        self._places.update({(scope, key, most): found.get(key) for key in keys})

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, FloatVector]:
        """Return chunk id -> vector in the order asked."""
        missing = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in self._vectors]
        if missing:
            found = document_reads.read_vectors(self._transaction, self._scope, missing, space=self._space)
            self._vectors.update({chunk_id: found.get(chunk_id) for chunk_id in missing})
        return _known(chunk_ids, self._vectors)

    def documents(self, document_ids: Sequence[str]) -> tuple[Document, ...]:
        """Return documents in the order asked."""
        missing = [document_id for document_id in dict.fromkeys(document_ids) if document_id not in self._documents]
        if missing:
            found = {item.id: item for item in document_reads.read_documents(self._transaction, self._scope, missing)}
            self._documents.update({document_id: found.get(document_id) for document_id in missing})
        return tuple(_known(document_ids, self._documents).values())

    def _whole(self, chunk_ids: Sequence[str]) -> tuple[WholePassage, ...]:
        missing = self._missing(chunk_ids)
        if missing:
            self._passages.update(dict.fromkeys(missing))
            self._keep(
                document_reads.read_whole_passages(
                    self._transaction,
                    self._scope,
                    missing,
                    with_vectors=self._without_vector(missing),
                    space=self._space,
                )
            )
        return tuple(_known(chunk_ids, self._passages).values())

    def _missing(self, chunk_ids: Sequence[str]) -> list[str]:
        return [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in self._passages]

    def _without_vector(self, chunk_ids: Sequence[str]) -> list[str]:
        return [chunk_id for chunk_id in chunk_ids if chunk_id not in self._vectors]

    def _keep(self, passages: Iterable[WholePassage]) -> None:
        for passage in passages:
            self._passages[passage.chunk.id] = passage
            self._documents[passage.document.id] = passage.document
            if passage.vector is not None:
                self._vectors[passage.chunk.id] = passage.vector


def _known(wanted: Iterable[str], found: Mapping[str, _Record | None]) -> dict[str, _Record]:
    return {key: record for key in dict.fromkeys(wanted) if (record := found.get(key)) is not None}

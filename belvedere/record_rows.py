"""The records of a store as rows of plain values, so that two stores can be compared row by row.

A row names its kind and its id; vectors stand in it by their SHA-256, so rows are equal exactly where every value is,
to the last bit.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import DocumentBundle, FloatMatrix, SourceState
from graph_store.copies import StoredLayer
from graph_store.records import Community, NamedHome, NamedMention, NamedRelation, TreeNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One record: what it is, which one, and its values by name."""

    kind: str
    id: str
    values: Mapping[str, Any]

    @property
    def line(self) -> str:
        """The row as one line of JSON."""
        return json.dumps([self.id, self.values], ensure_ascii=False, sort_keys=True, default=list)


def document_rows(bundle: DocumentBundle) -> Iterator[Row]:
    """Yield the rows of a document and of all that belongs to it."""
    document = bundle.document
    yield Row(kind="document", id=document.id, values={**asdict(document), "text": bundle.text})
    for parent in bundle.parents:
        yield Row(kind="parent", id=parent.id, values=asdict(parent))
    for chunk, vector in zip(bundle.chunks, bundle.chunk_vectors, strict=True):
        yield Row(kind="chunk", id=chunk.id, values={**_plain(chunk), "vector": _digest(vector)})
    for chunk, tokens in zip(bundle.chunks, bundle.token_vectors, strict=False):
        values = {"starts": _digest(tokens.starts), "vectors": _digest(tokens.vectors)}
        yield Row(kind="tokens", id=chunk.id, values=values)
    for sentence, vector in zip(bundle.sentences, bundle.sentence_vectors, strict=True):
        number = f"{sentence.chunk_id}:{sentence.position}"
        yield Row(kind="sentence", id=number, values={**_plain(sentence), "vector": _digest(vector)})
    yield from _found("name", bundle.mentions)
    yield from _found("statement", bundle.relations)
    yield from _found("named home", bundle.homes)


def _found(kind: str, items: Iterable[NamedMention | NamedRelation | NamedHome]) -> Iterator[Row]:
    """Yield what extraction found, numbered within its chunk."""
    counted: dict[str, int] = {}
    for item in items:
        number = counted.get(item.chunk_id, 0)
        counted[item.chunk_id] = number + 1
        yield Row(kind=kind, id=f"{item.chunk_id}:{number}", values=_plain(item))


def layer_rows(layer: StoredLayer) -> Iterator[Row]:
    """Yield the rows of a derived layer, and one for how it stands."""
    generation, standing = layer.generation, layer.standing
    for entity in generation.entities:
        yield Row(kind="entity", id=entity.id, values=_plain(entity))
    for relation in generation.relations:
        yield Row(kind="relation", id=relation.id, values=_plain(relation))
    for mention in generation.mentions:
        number = f"{mention.entity_id} in {mention.chunk_id}:{mention.char_start}-{mention.char_end}"
        yield Row(kind="mention", id=number, values=_plain(mention))
    for home in generation.homes:
        yield Row(kind="home", id=f"{home.entity_id} in {home.chunk_id} by {home.kind}", values=_plain(home))
    for edge in generation.passage_edges:
        yield Row(kind="edge", id=f"{edge.source_id} to {edge.target_id}", values=_plain(edge))
    yield from _text_rows("community", generation.communities, generation.community_vectors)
    yield from _text_rows("tree node", generation.tree_nodes, generation.tree_vectors)
    yield Row(kind="standing", id="layer", values={**asdict(standing), "mended": sorted(standing.mended)})


def _text_rows(kind: str, texts: Sequence[Community | TreeNode], vectors: FloatMatrix) -> Iterator[Row]:
    for text, vector in zip(texts, vectors if texts else (), strict=True):
        yield Row(kind=kind, id=text.id, values={**asdict(text), "vector": _digest(vector)})


def source_rows(sources: Mapping[str, SourceState]) -> Iterator[Row]:
    """Yield the rows of what is remembered of source files."""
    for path, state in sources.items():
        yield Row(kind="source", id=path, values=_plain(state))


def _plain(record: Any) -> dict[str, Any]:  # noqa: ANN401  # any of the frozen records
    """Return the values of a record that holds no other records."""
    return {item.name: getattr(record, item.name) for item in fields(record)}


def _digest(values: NDArray[Any]) -> str:
    whole = np.ascontiguousarray(values)
    return f"{whole.dtype}{whole.shape}:{hashlib.sha256(whole.tobytes()).hexdigest()}"

"""What a record must fulfil before it is written; ``InvalidRecord`` names the record and the rule it breaks."""

from collections.abc import Sequence

import numpy as np

from graph_store.bundles import DocumentBundle, FloatMatrix, Generation
from graph_store.errors import InvalidRecord
from graph_store.filters import is_date
from graph_store.records import SourcedSentence

_LENGTH_TOLERANCE = 1e-3


def check_vectors(matrix: FloatMatrix, *, rows: int, dimension: int, owner: str) -> None:
    """Raise where ``matrix`` is not (rows, dimension) of finite unit rows; no rows need no columns."""
    if rows == 0 and matrix.shape[0] == 0:
        return
    if matrix.shape != (rows, dimension):
        raise InvalidRecord(f"vectors of {owner} have shape {matrix.shape}, expected {(rows, dimension)}")
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1.0) <= _LENGTH_TOLERANCE))  # a NaN compares false: it is wrong too
    if wrong.size:
        length = float(lengths[wrong[0]])
        raise InvalidRecord(f"vector {int(wrong[0])} of {owner} has length {length!r}: it must be a finite unit vector")


def check_bundle(bundle: DocumentBundle, *, dimension: int, embedding_model: str) -> None:
    """Raise where the parts of a bundle do not belong together or break the contract of their record."""
    owner = f"document {bundle.document.id!r}"
    check_vectors(bundle.chunk_vectors, rows=len(bundle.chunks), dimension=dimension, owner=f"chunks of {owner}")
    check_vectors(
        bundle.sentence_vectors, rows=len(bundle.sentences), dimension=dimension, owner=f"sentences of {owner}"
    )
    for chunk in bundle.chunks:
        if chunk.document_id != bundle.document.id:
            raise InvalidRecord(f"chunk {chunk.id!r} belongs to document {chunk.document_id!r}, not to {owner}")
        if chunk.text != bundle.text[chunk.char_start : chunk.char_end]:
            raise InvalidRecord(f"chunk {chunk.id!r} of {owner} does not have the text of its span")
        if chunk.embedding_model not in {"", embedding_model}:
            raise InvalidRecord(
                f"chunk {chunk.id!r} was embedded by {chunk.embedding_model!r}, not {embedding_model!r}"
            )
    _check_parts(bundle, owner)
    for key, value in bundle.document.metadata.items():
        if not _is_metadata_value(value):
            raise InvalidRecord(
                f"metadata {key!r} of {owner} is {value!r}: only text, numbers and tuples of text may be"
            )
    for name, day in (("from", bundle.document.effective_from), ("to", bundle.document.effective_to)):
        if day is not None and not is_date(day):
            raise InvalidRecord(f"effective_{name} of {owner} is {day!r}: only dates in ISO 8601 may be")


def _is_metadata_value(value: object) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(element, str) for element in value)
    return isinstance(value, str | int | float)


def _check_parts(bundle: DocumentBundle, owner: str) -> None:
    known = {chunk.id for chunk in bundle.chunks}
    named = {sentence.chunk_id for sentence in bundle.sentences}
    named |= {mention.chunk_id for mention in bundle.mentions}
    named |= {relation.chunk_id for relation in bundle.relations}
    named |= {home.chunk_id for home in bundle.homes}
    strangers = sorted(named - known)
    if strangers:
        raise InvalidRecord(f"{owner} has sentences or names of a chunk that it does not have: {strangers[0]!r}")
    parents = {parent.id for parent in bundle.parents}
    for chunk in bundle.chunks:
        if chunk.parent_id is not None and chunk.parent_id not in parents:
            raise InvalidRecord(f"chunk {chunk.id!r} of {owner} has an unknown parent {chunk.parent_id!r}")


def check_generation(generation: Generation, *, dimension: int) -> None:
    """Raise for vectors that do not fit, for records of another tenant, and for records without evidence."""
    check_vectors(
        generation.community_vectors, rows=len(generation.communities), dimension=dimension, owner="communities"
    )
    check_vectors(generation.tree_vectors, rows=len(generation.tree_nodes), dimension=dimension, owner="tree nodes")
    for entity in generation.entities:
        _need_tenant(entity.id, entity.tenant, generation.tenant)
    for relation in generation.relations:
        _need_tenant(relation.id, relation.tenant, generation.tenant)
        _need_evidence(relation.id, relation.evidence)
    for community in generation.communities:
        _need_tenant(community.id, community.tenant, generation.tenant)
        _need_evidence(community.id, community.chunk_ids)
        _need_sourced(community.id, community.report, community.chunk_ids)
    for node in generation.tree_nodes:
        _need_tenant(node.id, node.tenant, generation.tenant)
        _need_evidence(node.id, node.chunk_ids)
        _need_sourced(node.id, node.summary, node.chunk_ids)


def _need_tenant(record_id: str, tenant: str, wanted: str) -> None:
    if tenant != wanted:
        raise InvalidRecord(f"{record_id!r} belongs to tenant {tenant!r}, not to {wanted!r}")


def _need_sourced(record_id: str, sentences: Sequence[SourcedSentence], chunk_ids: Sequence[str]) -> None:
    known = frozenset(chunk_ids)
    for sentence in sentences:
        if not sentence.chunk_ids or not known.issuperset(sentence.chunk_ids):
            raise InvalidRecord(f"{record_id!r} has a sentence that does not rest on its own chunks: {sentence.text!r}")


def _need_evidence(record_id: str, chunk_ids: Sequence[str]) -> None:
    if not chunk_ids:
        raise InvalidRecord(f"{record_id!r} rests on no chunk: nothing derived may exist without evidence")

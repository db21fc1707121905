"""A digest of records in canonical order, the same in every backend that holds the same."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace

from graph_store.records import Chunk, Document


def digest_records(documents: Iterable[Document], chunks: Iterable[Chunk], *others: Iterable[object]) -> str:
    """Return a SHA-256 in hexadecimal over documents, chunks and other records or rows, each in canonical order.

    Vectors are left out (they differ in the last bits between machines), and so is what tells of the store and not of
    its content: sequences, row numbers, how often a document changed, and when its source did.
    """
    digest = hashlib.sha256()
    contents: Iterable[Iterable[object]] = (
        (replace(document, updated_at="", version=0) for document in documents),
        (replace(chunk, document_version=0) for chunk in chunks),
        *others,
    )
    for records in contents:
        for record in records:
            line = json.dumps(record, ensure_ascii=False, sort_keys=True, default=_values)
            digest.update(line.encode("utf-8"))
            digest.update(b"\n")
        digest.update(b"\x00")
    return digest.hexdigest()


def _values(record: object) -> list[object]:
    """Return the values of a dataclass in the order of its fields, for JSON."""
    if not is_dataclass(record):
        raise TypeError(f"{record!r} is no record")
    return [getattr(record, item.name) for item in fields(record)]

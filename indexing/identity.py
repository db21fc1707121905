"""Which document is which: ids that stay the same from run to run, and hashes that tell whether one changed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from graph_store.bundles import DocumentState
from graph_store.ids import content_hash, stable_id
from indexing.loading.loaded import LoadedDocument

# Raise it when loading, chunking or extraction change what they produce: every document is then made anew.
PIPELINE_VERSION = "1"


def natural_id(loaded: LoadedDocument, source: Path, roots: Sequence[Path]) -> str:
    """Return the id a person would use: the row's own id, else the path relative to the folder that was given."""
    if loaded.key:
        return loaded.key
    for root in roots:
        if root.is_dir() and source.is_relative_to(root):
            return source.relative_to(root).as_posix()
    return source.name


class DocumentIds:
    """Gives each source an id that no other source of the tenant has, and the same one on every run."""

    def __init__(self, stored: Mapping[str, DocumentState]) -> None:
        self._by_source = {state.source_uri: document_id for document_id, state in stored.items()}
        self._owner = {document_id: state.source_uri for document_id, state in stored.items()}

    def assign(self, wanted: str, source_uri: str) -> str:
        """Return the stored id of ``source_uri``, else ``wanted``, qualified where another source has it already."""
        known = self._by_source.get(source_uri)
        if known is not None:
            return known
        document_id = wanted
        if self._owner.get(document_id, source_uri) != source_uri:
            document_id = stable_id(f"{wanted}~", source_uri)
        self._owner[document_id] = source_uri
        self._by_source[source_uri] = document_id
        return document_id


def document_hash(loaded: LoadedDocument, title: str, groups: Sequence[str], fingerprint: str) -> str:
    """Return a hash of all that the stored form of a document depends on."""
    metadata = {key: list(value) if isinstance(value, tuple) else value for key, value in loaded.metadata.items()}
    parts = [title, loaded.text, loaded.media_type, sorted(metadata.items()), sorted(groups), fingerprint]
    return content_hash(json.dumps(parts, ensure_ascii=False))


def settings_fingerprint(*sections: Any) -> str:  # noqa: ANN401  # any settings dataclass
    """Return a short hash of settings sections and of the pipeline's version."""
    text = json.dumps([PIPELINE_VERSION, *[asdict(section) for section in sections]], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

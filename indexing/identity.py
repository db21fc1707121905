"""Which document is which: ids that stay the same from run to run, and hashes that tell whether one changed."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from graph_store.bundles import DocumentState
from graph_store.ids import content_hash as hash_of
from graph_store.ids import stable_id
from indexing.loading.loaded import LoadedDocument
from indexing.source_files import is_gone, source_file

# Raise it when loading, chunking or extraction change what they produce: every document is then made anew.
PIPELINE_VERSION = "1"


UNFINISHED = "+unfinished"
"""Stands behind the stored hash of a document that a language model failed at: the next run makes it anew."""


def told_apart(states: Mapping[str, DocumentState]) -> tuple[Mapping[str, DocumentState], frozenset[str]]:
    """Return the states with the hashes that their sources have, and the ids of documents that are not finished."""
    unfinished = frozenset(key for key, state in states.items() if state.content_hash.endswith(UNFINISHED))
    plain = dict(states)
    for key in unfinished:
        plain[key] = replace(states[key], content_hash=states[key].content_hash.removesuffix(UNFINISHED))
    return plain, unfinished


def natural_id(loaded: LoadedDocument, source: Path, roots: Sequence[Path]) -> str:
    """Return the id a person would use: the row's own id, else the path relative to the folder that was given."""
    if loaded.key:
        return loaded.key
    for root in roots:
        if source != root and source.is_relative_to(root):
            return source.relative_to(root).as_posix()
    return source.name


class DocumentIds:
    """Gives each source an id that no other source of the tenant has, and the same one on every run.

    A stored document whose source is gone gives its id to a source of equal content, which is the same document moved:
    a file keeps its id under any name, a row, which names itself, under its own name alone. With ``prune``, where the
    document is about to be deleted since its source lay ``below`` the given paths, it gives its id to any source that
    wants it.
    """

    def __init__(
        self,
        stored: Mapping[str, DocumentState],
        *,
        prune: bool = False,
        below: Callable[[str], bool] = lambda _source_uri: True,
    ) -> None:
        self._prune = prune
        self._below = below
        self._hashes = {state.source_uri: state.content_hash for state in stored.values()}
        self._by_source = {state.source_uri: document_id for document_id, state in stored.items()}
        self._owner = {document_id: state.source_uri for document_id, state in stored.items()}
        self._by_content: defaultdict[str, list[str]] = defaultdict(list)
        for document_id, state in sorted(stored.items()):
            self._by_content[state.content_hash].append(document_id)

    def knows(self, source_uri: str) -> bool:
        """Tell whether the source has an id already."""
        return source_uri in self._by_source

    def assign(self, wanted: str, loaded: LoadedDocument, content_hash: str, *, twins: Collection[str] = ()) -> str:
        """Return the stored id of the source, else ``wanted``, qualified where another source has it already.

        ``twins`` are the hashes that the very same content has for other readers: it may have moved from there too.
        """
        source_uri = loaded.source_uri
        known = self._by_source.get(source_uri)
        if known is not None:
            return known
        hashes = (content_hash, *twins)
        is_taken = self._is_taken(wanted, source_uri, hashes)
        moved = None if loaded.key or (wanted in self._owner and not is_taken) else self._moved(hashes)
        document_id = moved or (stable_id(f"{wanted}~", source_uri) if is_taken else wanted)
        self._owner[document_id] = source_uri
        self._by_source[source_uri] = document_id
        return document_id

    def _moved(self, hashes: Sequence[str]) -> str | None:
        """Return the first stored document of this content whose source is gone."""
        names = (name for content_hash in hashes for name in self._by_content.get(content_hash, ()))
        return next((name for name in names if is_gone(source_file(self._owner[name], name))), None)

    def _is_taken(self, document_id: str, source_uri: str, hashes: Collection[str]) -> bool:
        owner = self._owner.get(document_id, source_uri)
        if owner == source_uri:
            return False
        is_free = owner in self._hashes and (self._hashes[owner] in hashes or (self._prune and self._below(owner)))
        return not is_free or not is_gone(source_file(owner, document_id))


def document_hash(loaded: LoadedDocument, groups: Sequence[str], fingerprint: str) -> str:
    """Return a hash of all that the stored form of a document depends on, but for its source's name."""
    metadata = {key: list(value) if isinstance(value, tuple) else value for key, value in loaded.metadata.items()}
    parts = [loaded.title, loaded.text, loaded.media_type, sorted(metadata.items()), sorted(groups), fingerprint]
    return hash_of(json.dumps(parts, ensure_ascii=False))


def settings_fingerprint(*sections: Any) -> str:  # noqa: ANN401  # any settings dataclass
    """Return a short hash of settings sections and of the pipeline's version."""
    text = json.dumps([PIPELINE_VERSION, *[asdict(section) for section in sections]], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

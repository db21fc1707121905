"""What must hold of a store after a kill; every sentence that is returned is a failure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.crash_world import (
    COMMON_WORD,
    EVERYBODY,
    NEXT_EMBEDDER,
    TENANT,
    Scenario,
    document_parts,
    embedder_of,
    open_store,
)
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.examination import examine_store
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.errors import StoreMissing
from graph_store.records import Community, SearchKind, TreeNode
from graph_store.settings import StoreSettings

_ALL = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A whole store: its digest, document id -> content hash, and (id, hash) -> digest of all parts of the document."""

    digest: str
    documents: Mapping[str, str]
    parts: Mapping[str, str]

    @classmethod
    def of(cls, folder: Path, settings: StoreSettings) -> "Snapshot":
        """Take one of the store in ``folder``; of nothing where there is none."""
        if not (folder / DATABASE_FILE).exists():
            return cls(digest="", documents={}, parts={})
        with EmbeddedStore.open(folder, settings=settings) as store:
            found = store.list_documents(EVERYBODY)
            return cls(
                digest=store.content_digest(TENANT),
                documents={document.id: document.content_hash for document in found},
                parts={f"{item.id} {item.content_hash}": document_parts(store, item) for item in found},
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The store before and after the run that is killed."""

    before: Snapshot
    after: Snapshot


def check_after_kill(folder: Path, settings: StoreSettings, expected: Expected, told: Sequence[Any]) -> Iterator[str]:
    """Yield what is wrong for a reader who comes after the kill, and after a writer has come and gone."""
    try:
        with EmbeddedStore.open(folder, settings=settings) as store:
            yield from _check_documents(store, expected, told)
            if any("switched" in item for item in told) and store.embedding_model != NEXT_EMBEDDER.model_id:
                yield f"the switch was acknowledged, and the model is {store.embedding_model!r}"
            yield from _check_derived(store, expected)
            yield from _check_searches(store)
    except StoreMissing:
        if told:
            yield f"there is no store although {told[-1]} was acknowledged"
    with open_store(folder, settings) as store:
        store.document_states(TENANT)
        yield from _check_searches(store)
    for finding in examine_store(folder, settings):
        if finding.level == "problem" and finding.check != "derived layer":
            yield f"after a writer: {finding.says}"


def check_after_run(folder: Path, settings: StoreSettings, expected: Expected, scenario: Scenario) -> Iterator[str]:
    """Yield what is wrong after a further run: it must have led where an uninterrupted one does."""
    found = Snapshot.of(folder, settings)
    if found != expected.after:
        yield "a further run ends in another state than one that was not interrupted"
    for finding in examine_store(folder, settings):
        if finding.level == "problem":
            yield f"after a further run: {finding.says}"
    for path in folder.rglob("*"):
        content = path.read_bytes().lower() if path.is_file() else b""
        if path.suffix == ".tmp":
            yield f"{path.name} was left behind"
        for word in scenario.secrets:
            if word.encode() in content:
                yield f"the deleted word {word!r} stands in {path.name}"


def _check_documents(store: EmbeddedStore, expected: Expected, told: Sequence[Any]) -> Iterator[str]:
    """Yield where a document is not as acknowledged, without that not as before or after, or not whole."""
    found = {document.id: document for document in store.list_documents(EVERYBODY)}
    before, after = expected.before, expected.after
    acknowledged = {name for item in told for name in (*item.get("written", {}), *item.get("deleted", ()))}
    for name in sorted({*before.documents, *after.documents, *found}):
        held = found[name].content_hash if name in found else None
        allowed = {after.documents.get(name)}
        if name not in acknowledged:
            allowed.add(before.documents.get(name))
        if held not in allowed:
            yield f"the document {name!r} is {held}, which is neither its old nor its acknowledged state"
    for document in found.values():
        key = f"{document.id} {document.content_hash}"
        if document_parts(store, document) not in {before.parts.get(key), after.parts.get(key)}:
            yield f"the document {document.id!r} is not whole"


def _check_derived(store: EmbeddedStore, expected: Expected) -> Iterator[str]:
    """Yield where a layer that claims to be current is not that of the documents, or rests on what is gone."""
    documents = store.list_documents(EVERYBODY)
    chunks = {chunk.id for item in documents for chunk in store.document_chunks(EVERYBODY, item.id)}
    derived: list[Community | TreeNode] = [*store.communities(EVERYBODY), *store.tree_nodes(EVERYBODY)]
    resting = {name for item in derived for name in item.chunk_ids}
    resting |= {name for relation in store.list_relations(EVERYBODY) for name in relation.evidence}
    resting |= set(store.passage_graph(EVERYBODY).chunk_ids)
    if not resting <= chunks:
        yield f"something derived rests on chunks that are gone: {sorted(resting - chunks)[:3]}"
    digest = store.content_digest(TENANT)
    is_current = bool(documents) and store.derived_fingerprint(TENANT) is not None
    if is_current and digest not in {expected.before.digest, expected.after.digest}:
        yield "the derived layer claims to be current and is neither that before nor that after"


def _check_searches(store: EmbeddedStore) -> Iterator[str]:
    """Yield where rows, keyword index and vectors do not hold the same records."""
    chunks = {
        chunk.id for item in store.list_documents(EVERYBODY) for chunk in store.document_chunks(EVERYBODY, item.id)
    }
    records: dict[SearchKind, set[str]] = {
        "chunk": chunks,
        "report": {item.id for item in store.communities(EVERYBODY)},
        "tree_node": {item.id for item in store.tree_nodes(EVERYBODY)},
    }
    vector = embedder_of(store).embed_question(COMMON_WORD).astype(np.float32)
    for kind, rows in records.items():
        near = {hit.id for hit in store.search_vectors(EVERYBODY, vector, kind=kind, k=_ALL)}
        if near != rows:
            yield f"vectors of {kind} differ from the rows by {sorted(near ^ rows)[:3]}"
    words = {hit.id for hit in store.search_keywords(EVERYBODY, COMMON_WORD, kind="chunk", k=_ALL)}
    if words != chunks:
        yield f"keywords of chunks differ from the rows by {sorted(words ^ chunks)[:3]}"

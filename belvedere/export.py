"""Writes what a caller may read to one file: the entity graph as GraphML, or every record as JSON Lines."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, BinaryIO, Literal, TypeAlias

from belvedere.errors import UserMistake
from graph_store.access import Access
from graph_store.errors import StoreChanged
from graph_store.store import GraphStore

ExportFormat: TypeAlias = Literal["graphml", "jsonl"]

_ATTEMPTS = 3
_KEPT_IN_MEMORY = 8_000_000  # bytes of an export to a stream; more of it waits in a temporary file

# Characters that XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_PLURALS: Mapping[str, str] = {
    "document": "documents",
    "chunk": "chunks",
    "entity": "entities",
    "relation": "relations",
    "community": "communities",
    "tree_node": "tree_nodes",
}


def export_to_file(store: GraphStore, access: Access, destination: Path, form: ExportFormat) -> dict[str, int]:
    """Write beside ``destination`` and rename into place, so that no half-written file is ever seen under its name.

    Raises ``UserMistake`` where the folder is not there.
    """
    if not destination.parent.is_dir():
        raise UserMistake(f"cannot write {str(destination)!r}: there is no folder {str(destination.parent)!r}")
    partial = destination.with_name(f".{destination.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            counts = _write_one_state(store, access, file, form)
        partial.replace(destination)
    finally:
        partial.unlink(missing_ok=True)
    return counts


def export_to_stream(store: GraphStore, access: Access, stream: BinaryIO, form: ExportFormat) -> dict[str, int]:
    """Write the export in UTF-8, once it is whole; return how many records of each kind it holds."""
    with SpooledTemporaryFile(max_size=_KEPT_IN_MEMORY) as whole:
        counts = _write_one_state(store, access, whole, form)
        whole.seek(0)
        shutil.copyfileobj(whole, stream)
    return counts


def _write_one_state(store: GraphStore, access: Access, file: IO[bytes], form: ExportFormat) -> dict[str, int]:
    """Write what the store holds in one state; from the start again where somebody wrote to it meanwhile.

    Raises ``StoreChanged`` where somebody does each time.
    """
    for _ in range(_ATTEMPTS - 1):
        try:
            return _write_held(store, access, file, form)
        except StoreChanged:
            file.seek(0)
            file.truncate()
    return _write_held(store, access, file, form)


def _write_held(store: GraphStore, access: Access, file: IO[bytes], form: ExportFormat) -> dict[str, int]:
    with store.one_state():
        match form:
            case "graphml":
                return _write_graphml(store, access, file)
            case "jsonl":
                return _write_jsonl(store, access, file)


def _write_graphml(store: GraphStore, access: Access, stream: IO[bytes]) -> dict[str, int]:
    import networkx as nx  # type: ignore[import-untyped]  # noqa: PLC0415  # ships no types; heavy, only when used

    graph = nx.MultiDiGraph()
    for entity in store.list_entities(access):
        graph.add_node(
            entity.id,
            name=_xml(entity.name),
            type=_xml(entity.type),
            aliases=_xml(" | ".join(entity.aliases)),
            description=_xml(entity.description),
        )
    for relation in store.list_relations(access):
        if relation.source_id in graph and relation.target_id in graph:
            graph.add_edge(
                relation.source_id,
                relation.target_id,
                key=relation.id,
                predicate=_xml(relation.predicate),
                weight=float(relation.weight),
                evidence=" ".join(relation.evidence),
            )
    nx.write_graphml(graph, stream)
    return {"entities": graph.number_of_nodes(), "relations": graph.number_of_edges()}


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)


def _write_jsonl(store: GraphStore, access: Access, stream: IO[bytes]) -> dict[str, int]:
    counts = dict.fromkeys(_PLURALS.values(), 0)
    for kind, record in _records(store, access):
        stream.write(json.dumps({"kind": kind, **record}).encode("ascii") + b"\n")
        counts[_PLURALS[kind]] += 1
    return counts


def _records(store: GraphStore, access: Access) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every readable record with its kind; documents come with their text, followed by their chunks."""
    for document in store.list_documents(access):
        yield "document", {**asdict(document), "text": store.document_text(access, document.id)}
        for chunk in store.document_chunks(access, document.id):
            yield "chunk", asdict(chunk)
    for entity in store.list_entities(access):
        yield "entity", asdict(entity)
    for relation in store.list_relations(access):
        yield "relation", asdict(relation)
    for community in store.communities(access):
        yield "community", asdict(community)
    for node in store.tree_nodes(access):
        yield "tree_node", asdict(node)

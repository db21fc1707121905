"""Writes what a caller may read to one file: the entity graph as GraphML, or every record as JSON Lines."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from belvedere.errors import UserMistake
from graph_store.access import Access
from graph_store.store import GraphStore

ExportFormat: TypeAlias = Literal["graphml", "jsonl"]

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
            counts = export_to_stream(store, access, file, form)
        partial.replace(destination)
    finally:
        partial.unlink(missing_ok=True)
    return counts


def export_to_stream(store: GraphStore, access: Access, stream: BinaryIO, form: ExportFormat) -> dict[str, int]:
    """Write the export in UTF-8; return how many records of each kind it holds.

    It is all of one state where the store keeps snapshots: an embedded one does, a Neo4j server does not.
    """
    with store.one_state():
        match form:
            case "graphml":
                return _write_graphml(store, access, stream)
            case "jsonl":
                return _write_jsonl(store, access, stream)


def _write_graphml(store: GraphStore, access: Access, stream: BinaryIO) -> dict[str, int]:
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


def _write_jsonl(store: GraphStore, access: Access, stream: BinaryIO) -> dict[str, int]:
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

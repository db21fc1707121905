"""Home passages: the chunks that are about the thing they name."""

from collections.abc import Iterable, Iterator, Sequence

from graph_store.ids import name_key
from graph_store.records import Chunk, HomeKind, NamedHome
from indexing.extraction.aliases import without_middle_names
from indexing.extraction.document_names import BlockReading, DocumentNames
from indexing.extraction.names import TOPIC
from indexing.extraction.titles import heading_name, is_capitalised

_FREQUENT = 3
_NEAR_START = 60


def find_homes(names: DocumentNames, chunks: Sequence[Chunk]) -> tuple[NamedHome, ...]:
    """Return the homes of a document: title, headings, lead subject, definitions; each name once a chunk.

    Where several kinds name the same chunk alike, the first in that order stays. A person who leads the text is also
    known without middle names.
    """
    if not chunks:
        return ()
    lead = min(chunks, key=lambda chunk: chunk.position)
    found: list[tuple[str, str, HomeKind]] = []
    found += [(lead.id, name, "title") for name in (names.title.names if names.title else ())]
    found += [(chunk_id, name, "heading") for chunk_id, name in _headings(names, chunks)]
    subject = lead_subject(names)
    if subject is not None:
        found.append((lead.id, subject, "lead_subject"))
        short = without_middle_names(subject) if names.type_of(subject) == "PERSON" else None
        if short is not None:
            found.append((lead.id, short, "lead_subject"))
    found += [(entry.chunk.id, name, "definition") for entry, name in _definitions(names)]
    unique: dict[tuple[str, str], NamedHome] = {}
    for chunk_id, name, kind in found:
        home = NamedHome(chunk_id=chunk_id, name=name, type=names.type_of(name), kind=kind)
        unique.setdefault((chunk_id, name_key(name)), home)
    return tuple(unique.values())


def lead_subject(names: DocumentNames) -> str | None:
    """Return what the first sentence is about: what stands before its first finite verb, where that is a name.

    A document without a title falls back on a name that it has three times or more, then on a name within the first 60
    characters.
    """
    entry = lead_block(names.blocks)
    if entry is None:
        return None
    if entry.reading.subject is not None:
        text = entry.block.text[slice(*entry.reading.subject)]
        return names.canonical(text, TOPIC)
    return None if names.title else _frequent(names) or _near_start(names, entry)


def lead_block(blocks: Iterable[BlockReading]) -> BlockReading | None:
    """Return the first paragraph of a document."""
    return next((entry for entry in blocks if entry.block.kind == "paragraph"), None)


def _frequent(names: DocumentNames) -> str | None:
    counts = {key: count for key, count in names.counts.items() if key[1] != "GROUP"}
    if not counts:
        return None
    best = min(counts, key=lambda key: (-counts[key], key))
    return names.canonical(*best) if counts[best] >= _FREQUENT else None


def _near_start(names: DocumentNames, entry: BlockReading) -> str | None:
    for name in entry.names:
        if name.start < _NEAR_START and name.type != "GROUP":
            return names.canonical(entry.block.text[name.start : name.end], name.type)
    return None


def _headings(names: DocumentNames, chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    """Yield (chunk id, name) for the first chunk under each heading that is a name."""
    seen: set[tuple[str, ...]] = set()
    for chunk in sorted(chunks, key=lambda chunk: chunk.position):
        for depth in range(1, len(chunk.heading_path) + 1):
            path = chunk.heading_path[:depth]
            if path in seen:
                continue
            seen.add(path)
            name = heading_name(path[-1])
            if name is not None and (is_capitalised(name) or name_key(name) in names.types):
                yield chunk.id, name


def _definitions(names: DocumentNames) -> Iterator[tuple[BlockReading, str]]:
    for entry in names.blocks:
        for definition in entry.reading.definitions if entry.block.kind != "heading" else ():
            text = entry.block.text[definition.start : definition.end]
            yield entry, names.canonical(text, TOPIC)

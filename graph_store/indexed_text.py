"""The text of a chunk as both indexes see it: title, heading path and table context before the text itself."""

from graph_store.records import Chunk


def chunk_prefix(title: str, chunk: Chunk) -> str:
    """Return what stands before the chunk's own text in both indexes, one line a part, each ending in a newline.

    Headings that repeat the title are left out.
    """
    headings = " > ".join(heading for heading in chunk.heading_path if heading != title)
    parts = [part for part in (title, headings, chunk.context) if part]
    return "".join(f"{part}\n" for part in parts)


def indexed_text(title: str, chunk: Chunk) -> str:
    """Return ``chunk_prefix`` followed by the chunk's text."""
    return chunk_prefix(title, chunk) + chunk.text

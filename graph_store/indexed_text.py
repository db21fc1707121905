"""The text of a chunk as both indexes see it: title, heading path and table context before the text itself."""

from graph_store.records import Chunk

# In UTF-8 bytes, since no tokenizer makes more tokens than bytes: whatever the title, it leaves room for the text.
_TITLE_BYTES = 200


def chunk_prefix(title: str, chunk: Chunk) -> str:
    """Return what stands before the chunk's own text in both indexes, one line a part, each ending in a newline.

    Headings that repeat the title are left out; a title of more than 200 bytes is cut at a word's end.
    """
    return prefix_text(title, chunk.heading_path, chunk.context)


def prefix_text(title: str, heading_path: tuple[str, ...], context: str) -> str:
    """Return the prefix of a chunk with this heading path and context (see ``chunk_prefix``)."""
    headings = " > ".join(heading for heading in heading_path if heading != title)
    parts = [part for part in (_short_title(title), headings, context) if part]
    return "".join(f"{part}\n" for part in parts)


def indexed_text(title: str, chunk: Chunk) -> str:
    """Return ``chunk_prefix`` followed by the chunk's text."""
    return chunk_prefix(title, chunk) + chunk.text


def _short_title(title: str) -> str:
    encoded = title.encode("utf-8")
    if len(encoded) <= _TITLE_BYTES:
        return title
    cut = encoded[:_TITLE_BYTES].decode("utf-8", errors="ignore")
    whole_words = cut.rpartition(" ")[0]
    return whole_words if len(whole_words) > len(cut) // 2 else cut

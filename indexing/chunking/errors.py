"""Errors of chunking.

ChunkingError            a document cannot be cut into chunks that the embedder reads
"""


class ChunkingError(Exception):
    """A document cannot be cut: its title leaves no room for text, or the settings contradict each other."""

"""The formats that can be read, by suffix."""

MEDIA_TYPES = {
    ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".htm": "text/html",
    ".html": "text/html",
    ".jsonl": "application/jsonl",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
}
SUPPORTED_SUFFIXES = frozenset(MEDIA_TYPES)


def unsupported_sentence(suffix: str) -> str:
    """Return the sentence that refuses a file with ``suffix``."""
    what = f"Files ending in {suffix!r}" if suffix else "Files without a suffix"
    return f"{what} are not supported; supported are {', '.join(sorted(SUPPORTED_SUFFIXES))}."

"""Settings of loading: caps that keep one hostile or broken file from taking the machine with it."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from annotated_types import Ge

Count: TypeAlias = Annotated[int, Ge(1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadingSettings:
    """Limits on what is read. Sources beyond them are named among the failures, with the limit."""

    max_file_bytes: Count = 200_000_000
    """Largest file that is read whole. JSON Lines files are read row by row and have ``max_row_bytes`` instead."""
    max_row_bytes: Count = 16_000_000
    """Longest row of a JSON Lines file."""
    max_unpacked_bytes: Count = 500_000_000
    """Largest total size of a packed format (DOCX) after unpacking."""
    max_pdf_pages: Count = 5_000
    """Most pages that are read of one PDF."""
    max_reported_rows: Annotated[int, Ge(0)] = 20
    """Bad rows of one JSON Lines file that are named one by one; the rest is counted in one last failure."""
    skipped_names: tuple[str, ...] = ("Thumbs.db", "__MACOSX", "__pycache__", "desktop.ini", "node_modules")
    """Files and folders within a given folder that are passed over, like hidden ones."""

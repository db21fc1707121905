"""Settings of the stores; every default is written here and nowhere else."""

from dataclasses import dataclass

_LEAST = (
    ("ann_threshold", 0),
    ("exact_rows", 0),
    ("ann_neighbours", 2),
    ("ann_build_effort", 1),
    ("ann_search_effort", 1),
    ("keyword_terms", 1),
    ("keyword_memory_bytes", 15_000_000),
    ("log_rows", 0),
    ("busy_timeout_ms", 0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Knobs of the embedded store. Only speed and memory depend on them, never what is found exactly."""

    ann_threshold: int = 50_000
    """Vectors of one kind and tenant above which an approximate index is built, where hnswlib can be imported."""

    exact_rows: int = 20_000
    """Rows that pass access and filters up to which a search is exact, whatever the size of the index."""

    ann_neighbours: int = 16
    """M of the HNSW graph: links per vector."""

    ann_build_effort: int = 100
    """ef_construction of the HNSW graph: candidates looked at per insertion."""

    ann_search_effort: int = 200
    """ef of a search in the HNSW graph: candidates looked at per search, at least."""

    ann_dead_share: float = 0.2
    """Share of deleted vectors in the HNSW graph above which it is built again."""

    vector_file_rows: int = 10_000
    """Vectors of one kind and tenant from which a matrix file is kept beside the database (loading fewer is quick)."""

    keyword_rebuild_texts: int = 10_000
    """Texts up to which a keyword index is built anew with every change (0.6 s), so that scores have no history."""

    keyword_dead_share: float = 0.1
    """Share of deleted texts in a larger keyword index above which it is built anew: they blur its word statistics."""

    keyword_terms: int = 64
    """Distinct words of a question that take part in a keyword search; the rarest are kept."""

    keyword_memory_bytes: int = 50_000_000
    """Memory of the keyword index writer, in bytes (at least 15,000,000)."""

    log_rows: int = 50_000
    """Changes of a tenant that every index has applied and that are kept all the same, as rows of the log."""

    busy_timeout_ms: int = 5_000
    """How long a statement waits for a lock in the database, in milliseconds."""

    def __post_init__(self) -> None:
        """Refuse memory that the keyword index cannot be written with, and sizes below what means anything."""
        for name, least in _LEAST:
            if getattr(self, name) < least:
                raise ValueError(f"store setting {name} is {getattr(self, name)!r}; give {least:,} or more")

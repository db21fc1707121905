"""Settings of the stores; every default is written here and nowhere else."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from annotated_types import Interval

Count: TypeAlias = Annotated[int, Interval(ge=0, le=1_000_000_000)]
CountFromOne: TypeAlias = Annotated[int, Interval(ge=1, le=1_000_000)]
Share: TypeAlias = Annotated[float, Interval(ge=0, le=1)]
Seconds: TypeAlias = Annotated[float, Interval(gt=0, le=86_400)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where the store is, and knobs of the embedded one. Only speed and memory depend on those, never what is found."""

    location: str = "belvedere-store"
    """Folder of the store, or neo4j://host:port/database (bolt, neo4j+s and bolt+s as well) for a Neo4j server."""

    ann_threshold: Count = 50_000
    """Vectors of one kind and tenant above which an approximate index is built, where hnswlib can be imported."""

    exact_rows: Count = 20_000
    """Rows that pass access and filters up to which a search is exact, whatever the size of the index."""

    ann_neighbours: Annotated[int, Interval(ge=2, le=1_000)] = 16
    """M of the HNSW graph: links per vector."""

    ann_build_effort: CountFromOne = 100
    """ef_construction of the HNSW graph: candidates looked at per insertion."""

    ann_search_effort: CountFromOne = 200
    """ef of a search in the HNSW graph: candidates looked at per search, at least."""

    ann_dead_share: Share = 0.2
    """Share of deleted vectors in the HNSW graph above which it is built again."""

    vector_file_rows: Count = 10_000
    """Vectors of one kind and tenant from which a matrix file is kept beside the database (loading fewer is quick)."""

    keyword_rebuild_texts: Count = 10_000
    """Texts up to which a keyword index is built anew with every change (0.6 s), so that scores have no history."""

    keyword_dead_share: Share = 0.1
    """Share of deleted texts in a larger keyword index above which a search builds it anew: they blur its statistics.

    Whatever it is, publishing, deleting and closing leave none."""

    keyword_terms: CountFromOne = 64
    """Distinct words of a question that take part in a keyword search; the rarest are kept."""

    keyword_memory_bytes: Annotated[int, Interval(ge=15_000_000, le=4_000_000_000)] = 50_000_000
    """Memory of the keyword index writer, in bytes."""

    log_rows: Count = 50_000
    """Changes of a tenant that every index has applied and that are kept all the same, as rows of the log."""

    busy_timeout_ms: Annotated[int, Interval(ge=0, le=86_400_000)] = 5_000
    """How long a statement waits for a lock in the database, in milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neo4jSettings:
    """Knobs of a store on a Neo4j server. User and password come from the environment alone."""

    connection_timeout_s: Seconds = 15.0
    """How long connecting to the server may take, in seconds."""

    connection_lifetime_s: Seconds = 900.0
    """Age in seconds at which a connection is replaced; below what load balancers and Aura allow."""

    liveness_check_s: Seconds = 30.0
    """Idle time in seconds after which a connection is tried before it is used."""

    retry_s: Seconds = 30.0
    """How long a transaction that failed for a moment (a deadlock, a new leader) is begun again, in seconds."""

    query_timeout_s: Seconds = 60.0
    """Time in seconds after which the server gives up a reading transaction."""

    write_timeout_s: Seconds = 600.0
    """Time in seconds after which the server gives up a writing transaction."""

    writer_lease_s: Seconds = 30.0
    """Time in seconds after which another writer may follow one that no longer tells that it is alive."""

    batch_rows: CountFromOne = 1_000
    """Rows that are sent with one statement at most."""

    batch_bytes: Annotated[int, Interval(ge=10_000, le=1_000_000_000)] = 4_000_000
    """Bytes of rows that are sent with one statement, about, at most."""

    transaction_rows: CountFromOne = 20_000
    """Rows of the derived layer that are written in one transaction, about, at most."""

    many_tenants: CountFromOne = 100
    """Tenants above which `belvedere doctor` notes that each of them has a full-text index of its own."""

    exact_rows: Count = 2_000
    """Records of a kind and tenant up to which a vector search is exact."""

    most_candidates: CountFromOne = 1_000
    """Candidates that the vector index is asked for before a search that filters much turns to an exact one."""

    keyword_terms: CountFromOne = 64
    """Distinct words of a question that take part in a keyword search; the rarest are kept."""

"""How search fares when little of the store may be found: ``python -m benchmarks.filtered [--chunks 100000]``.

Writes made-up chunks with vectors around random centres (384 dimensions, unit length) and metadata that admits 40 %,
10 %, 1 % and 0.5 % of them, and asks vectors drawn alike. Prints recall@10 against the exact search over the admitted
rows, and the median time of a search, warm, also as a ratio of the unfiltered one; each of filters and groups.
"""

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from belvedere.evaluation.machine import describe_machine
from graph_store.access import Access
from graph_store.bundles import DocumentBundle, FloatMatrix, FloatVector
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.filters import Filters, parse_filter
from graph_store.records import Chunk, Document

DIMENSION = 384
MODEL = "made-up"
SHARES = (0.4, 0.1, 0.01, 0.005)
CENTRES = 200
SPREAD = 1.0
K = 10
BATCH = 5_000
PER_DOCUMENT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Who searches within which filters, under a name, and which rows (of the matrix) that admits."""

    name: str
    access: Access
    filters: Filters
    admitted: FloatVector | None


@click.command(help=__doc__)
@click.option("--chunks", default=100_000, show_default=True, help="Number of chunks.")
@click.option("--questions", default=100, show_default=True, help="Questions asked of each kind.")
@click.option("--seed", default=0, show_default=True, help="Seed of all that is drawn.")
def main(chunks: int, questions: int, seed: int) -> None:
    """Build the store and print the table."""
    click.echo(f"{chunks:,} made-up chunks of {DIMENSION} dimensions, seed {seed}, {describe_machine()}")
    chance = np.random.default_rng(seed)
    matrix, asked = drawn(chance, chunks, questions)
    documents = (chunks + PER_DOCUMENT - 1) // PER_DOCUMENT
    order = np.random.default_rng(seed + 1).permutation(documents).tolist()
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with EmbeddedStore.create_or_open(Path(folder) / "store", embedding_model=MODEL, dimension=DIMENSION) as store:
            for batch in bundles(matrix, order):
                store.write_documents(batch)
        click.echo(f"written and indexed in {time.perf_counter() - start:.0f} s")
        with EmbeddedStore.open(Path(folder) / "store") as store:
            report(store, matrix, asked, order)


def drawn(chance: np.random.Generator, chunks: int, questions: int) -> tuple[FloatMatrix, FloatMatrix]:
    """Return (chunks, d) and (questions, d) float32 unit rows around the same centres."""
    centres = chance.standard_normal((CENTRES, DIMENSION)).astype(np.float32)

    def around(count: int) -> FloatMatrix:
        noise = chance.standard_normal((count, DIMENSION), dtype=np.float32)
        rows: FloatMatrix = centres[chance.integers(CENTRES, size=count)] + SPREAD * noise
        return np.ascontiguousarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    return around(chunks), around(questions)


def bundles(matrix: FloatMatrix, order: Sequence[int]) -> Iterator[list[DocumentBundle]]:
    """Yield batches of documents; ``part`` is a document's place in a random order, from 0 to 1, so are its groups."""
    batch: list[DocumentBundle] = []
    for number in range(len(order)):
        batch.append(_bundle(number, matrix, order[number] / len(order)))
        if len(batch) * PER_DOCUMENT >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _bundle(number: int, matrix: FloatMatrix, part: float) -> DocumentBundle:
    words = random.Random(number).choices(("boat", "herring", "lamp", "tower", "market", "coast"), k=3)
    text = " ".join(words)
    first = number * PER_DOCUMENT
    count = min(PER_DOCUMENT, len(matrix) - first)
    groups = tuple(f"share{share}" for share in SHARES if part < share) or ("rest",)
    document = Document(
        id=f"d{number}",
        source_uri=f"made:{number}",
        title=f"d{number}",
        media_type="text/plain",
        content_hash=str(number),
        groups=groups,
        metadata={"part": float(part)},
    )
    chunks = tuple(
        Chunk(
            id=f"c{first + place:07d}",
            document_id=document.id,
            document_version=1,
            text=text,
            heading_path=(),
            char_start=0,
            char_end=len(text),
            position=place,
            groups=groups,
            embedding_model=MODEL,
        )
        for place in range(count)
    )
    return DocumentBundle(
        document=document,
        text=text,
        parents=(),
        chunks=chunks,
        chunk_vectors=matrix[first : first + count],
        sentences=(),
        sentence_vectors=np.zeros((0, DIMENSION), dtype=np.float32),
    )


def report(store: EmbeddedStore, matrix: FloatMatrix, asked: FloatMatrix, order: Sequence[int]) -> None:
    """Print one line per case: recall against the exact search, and time."""
    everybody = Access(groups=frozenset(["rest", *(f"share{share}" for share in SHARES)]))
    part = np.repeat(np.asarray(order) / len(order), PER_DOCUMENT)[: len(matrix)]
    cases = [Case(name="unfiltered", access=everybody, filters=(), admitted=None)]
    for share in SHARES:
        admitted = np.where(part < share, 0.0, -np.inf).astype(np.float32)
        within = (parse_filter(f"part<{share}"),)
        cases.append(Case(name=f"filter {share:.1%}", access=everybody, filters=within, admitted=admitted))
        member = Access(groups=frozenset([f"share{share}"]))
        cases.append(Case(name=f"groups {share:.1%}", access=member, filters=(), admitted=admitted))
    unfiltered = 0.0
    click.echo(f"{'':<16}{'recall@10':>10}{'p50 ms':>9}{'ratio':>7}")
    for case in cases:
        recall, median = measured(store, matrix, asked, case)
        unfiltered = unfiltered or median
        click.echo(f"{case.name:<16}{recall:>10.4f}{median:>9.2f}{median / unfiltered:>7.2f}")


def measured(store: EmbeddedStore, matrix: FloatMatrix, asked: FloatMatrix, case: Case) -> tuple[float, float]:
    """Return recall@10 against the exact search, and the median milliseconds of a search."""
    store.search_vectors(case.access, asked[0], kind="chunk", k=K, filters=case.filters)
    recalls, times = [], []
    for vector in asked:
        start = time.perf_counter()
        hits = store.search_vectors(case.access, vector, kind="chunk", k=K, filters=case.filters)
        times.append((time.perf_counter() - start) * 1e3)
        scores = matrix @ vector if case.admitted is None else matrix @ vector + case.admitted
        best = {f"c{row:07d}" for row in np.argpartition(-scores, K)[:K].tolist()}
        recalls.append(len(best & {hit.id for hit in hits}) / K)
    return float(np.mean(recalls)), float(np.median(times))


if __name__ == "__main__":
    main()

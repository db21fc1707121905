"""Do communities and tree levels follow the topics that people see? Purity and NMI against labels, beside k-means.

    python benchmarks/topics.py FOLDER [--label FIELD] [--seed N] [--limit N] [--store DIR]

FOLDER holds a ``corpus.jsonl`` whose rows have id, title, text and a label field. Documents are shuffled, renamed and
stripped of their label before they are indexed, so that neither order nor names can tell. K-means on document vectors
(the mean of a document's chunk vectors) with as many clusters stands beside every figure: purity rises with the number
of clusters alone. NMI is normalised by the arithmetic mean of both entropies.
"""

import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from sklearn.cluster import KMeans  # type: ignore[import-untyped]
from sklearn.metrics import normalized_mutual_info_score  # type: ignore[import-untyped]

from belvedere import KnowledgeBase
from belvedere.evaluation.machine import describe_machine
from graph_store.access import DEFAULT_TENANT
from graph_store.bundles import Collection, FloatMatrix
from graph_store.records import Community, TreeNode
from indexing.communities.assignment import assign_documents
from indexing.resolution import resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """A named assignment of document ids to clusters; documents that it does not place are left out."""

    name: str
    cluster_of: Mapping[str, str]


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--label", default="label", show_default=True, help="Field of the rows that holds the topic.")
@click.option("--seed", default=0, show_default=True, help="Seed of the shuffle and of k-means.")
@click.option("--limit", default=None, type=int, help="Number of documents; all where not given.")
@click.option(
    "--store", default=None, type=click.Path(path_type=Path), help="Keep the index here; else a temporary one."
)
def main(folder: Path, label: str, seed: int, limit: int | None, store: Path | None) -> None:
    """Index the corpus and print the table."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines() if line]
    random.Random(seed).shuffle(rows)
    labels = {f"doc-{number:06}": str(row[label]) for number, row in enumerate(rows[:limit])}
    click.echo(f"data {folder.name} · {len(labels)} of {len(rows)} documents, {len(set(labels.values()))} labels")
    click.echo(f"seed {seed} · {describe_machine()}")
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "corpus.jsonl"
        _write(corpus, dict(zip(labels, rows, strict=False)))
        knowledge = KnowledgeBase.open(store or Path(scratch) / "store")
        knowledge.index(corpus)
        _print_table(knowledge, labels, seed)
        knowledge.close()


def _write(corpus: Path, rows: Mapping[str, Mapping[str, object]]) -> None:
    kept = ({"id": name, "title": row.get("title", ""), "text": row["text"]} for name, row in rows.items())
    corpus.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")


def _print_table(knowledge: KnowledgeBase, labels: Mapping[str, str], seed: int) -> None:
    collection = knowledge.store.read_collection(DEFAULT_TENANT)
    names, vectors = document_vectors(collection)
    click.echo(f"{len(names)} documents indexed, {len(collection.chunks)} chunks\n")
    click.echo(f"{'':32} {'clusters':>8} {'documents':>9} {'purity':>7} {'NMI':>6}   {'k-means purity':>14} {'NMI':>6}")
    for clustering in clusterings(knowledge, collection):
        placed = [row for row, name in enumerate(names) if name in clustering.cluster_of]
        found = [clustering.cluster_of[names[row]] for row in placed]
        truth = [labels[names[row]] for row in placed]
        count = len(set(found))
        beside = kmeans(vectors[placed], count, seed)
        click.echo(
            f"{clustering.name:32} {count:8} {len(placed):9} {purity(found, truth):7.3f} {nmi(found, truth):6.3f}"
            f"   {purity(beside, truth):14.3f} {nmi(beside, truth):6.3f}"
        )
    truth = [labels[name] for name in names]
    plain = kmeans(vectors, len(set(truth)), seed)
    line = f"{'k-means, as many as labels':32} {len(set(truth)):8} {len(names):9}"
    click.echo(f"{line} {purity(plain, truth):7.3f} {nmi(plain, truth):6.3f}")


def clusterings(knowledge: KnowledgeBase, collection: Collection) -> Iterator[Clustering]:
    """Yield the finest and the top communities, and each level of the tree that spans documents."""
    communities = knowledge.communities()
    mentions = resolve(collection).mentions
    levels: dict[str, Sequence[Community]] = {
        "communities, finest": [item for item in communities if item.level == 0],
        "communities, top": [item for item in communities if item.parent_id is None],
    }
    for name, chosen in levels.items():
        yield Clustering(name=name, cluster_of=assign_documents(collection.chunks, mentions, chosen))
    across = [node for node in knowledge.tree() if node.document_id is None]
    document_of = {chunk.id: chunk.document_id for chunk in collection.chunks}
    for level in sorted({node.level for node in across}):
        nodes = [node for node in across if node.level == level]
        if len(nodes) > 1:
            yield Clustering(name=f"tree, level {level}", cluster_of=_documents_below(nodes, document_of))


def _documents_below(nodes: Sequence[TreeNode], document_of: Mapping[str, str]) -> dict[str, str]:
    return {document_of[chunk]: node.id for node in nodes for chunk in node.chunk_ids}


def document_vectors(collection: Collection) -> tuple[list[str], FloatMatrix]:
    """Return the document ids and their (n, d) unit mean chunk vectors."""
    names = sorted({chunk.document_id for chunk in collection.chunks})
    rows = {name: row for row, name in enumerate(names)}
    sums = np.zeros((len(names), collection.chunk_vectors.shape[1]), dtype=np.float32)
    for chunk, vector in zip(collection.chunks, collection.chunk_vectors, strict=True):
        sums[rows[chunk.document_id]] += vector
    sums /= np.linalg.norm(sums, axis=1, keepdims=True)
    return names, sums


def kmeans(vectors: FloatMatrix, clusters: int, seed: int) -> list[str]:
    """Return a k-means label per row."""
    labels = KMeans(clusters, n_init=4, random_state=seed).fit_predict(vectors)
    return [str(label) for label in labels]


def purity(found: Sequence[str], truth: Sequence[str]) -> float:
    """Return the share of documents whose label is the commonest of their cluster."""
    counts: dict[str, dict[str, int]] = {}
    for cluster, label in zip(found, truth, strict=True):
        inside = counts.setdefault(cluster, {})
        inside[label] = inside.get(label, 0) + 1
    return sum(max(inside.values()) for inside in counts.values()) / len(truth)


def nmi(found: Sequence[str], truth: Sequence[str]) -> float:
    """Return the normalised mutual information of two labellings."""
    return float(normalized_mutual_info_score(truth, found))


if __name__ == "__main__":
    main()

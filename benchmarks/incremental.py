"""What a repair of communities and trees costs, what it leaves as it is, and what it is worth.

    python -m benchmarks.incremental FOLDER [--share 0.01] [--seed N] [--label FIELD] [--questions N] [--store DIR]

FOLDER holds a ``corpus.jsonl`` whose rows have id, title, text and a label. The whole corpus is indexed: the full build
that times are ratios of. Some documents drawn at random are deleted and the rest is derived from nothing: the store
before. Then the documents are added again: the repair. The model is loaded before times are taken.

A report or node counts as rewritten where its id is gone or its title or any sentence differs. Quality is told beside
that of the full build: modularity of the entity graph; NMI of communities and tree levels with the labels; and R@5: a
sentence that no report and no summary of either store quotes is a question, found where one of the five reports (of the
finest level) or nodes (of the lowest level across documents) nearest to it rests on its document. Documents that were
added are asked about first.
"""

import json
import random
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from belvedere import KnowledgeBase
from belvedere.evaluation.machine import describe_machine
from belvedere.settings import Settings
from belvedere.wiring import make_embedder, open_to_write
from benchmarks.topics import clusterings, nmi
from graph_store.access import DEFAULT_TENANT
from graph_store.bundles import Collection, FloatMatrix, PreviousGeneration
from graph_store.records import Community, TreeNode
from indexing.build_index import build_index
from indexing.communities.entity_graph import EntityGraph, build_entity_graph
from indexing.communities.entity_places import gather_facts, gather_knowledge
from indexing.options import IndexOptions
from indexing.report import IndexReport
from indexing.resolution import resolve
from model_clients.embedder import Embedder, Passage
from raptor.audience import audience_views

_FOUND_AMONG = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """What a run took."""

    report: IndexReport
    wall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A store as it is: what the derived layer is made from, and its reports and nodes."""

    collection: Collection
    standing: PreviousGeneration


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--share", default=0.01, show_default=True, help="Share of the documents that is added.")
@click.option("--seed", default=0, show_default=True, help="Seed of all that is drawn.")
@click.option("--label", default="label", show_default=True, help="Field of the rows that holds the topic.")
@click.option("--questions", default=500, show_default=True, help="Number of sentences that are asked for.")
@click.option("--store", default=None, type=click.Path(path_type=Path), help="Keep the stores here.")
def main(folder: Path, share: float, seed: int, label: str, questions: int, store: Path | None) -> None:
    """Build, take away, add again, and print what became of it."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines() if line]
    random.Random(seed).shuffle(rows)
    labels = {f"doc-{number:06}": str(row[label]) for number, row in enumerate(rows)}
    added = sorted(random.Random(seed).sample(sorted(labels), max(1, round(share * len(labels)))))
    click.echo(
        f"data {folder.name} · {len(added)} of {len(labels)} documents added · seed {seed} · {describe_machine()}"
    )
    with tempfile.TemporaryDirectory() as scratch:
        place = store or Path(scratch)
        place.mkdir(parents=True, exist_ok=True)
        corpus = place / "corpus.jsonl"
        _write(corpus, dict(zip(labels, rows, strict=True)))
        _run(place, corpus, labels, added, seed=seed, questions=questions)


def _write(corpus: Path, rows: Mapping[str, Mapping[str, object]]) -> None:
    kept = ({"id": name, "title": row.get("title", ""), "text": row["text"]} for name, row in rows.items())
    corpus.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")


def _run(
    place: Path, corpus: Path, labels: Mapping[str, str], added: Sequence[str], *, seed: int, questions: int
) -> None:
    embedder = make_embedder(Settings().embedder)
    embedder.embed_passages([Passage(text="The model is loaded.")])
    full = _index(place / "full", [corpus], embedder)
    shutil.copytree(place / "full", place / "repaired", dirs_exist_ok=True)
    _index(place / "repaired", [], embedder, delete=added)
    before = _state(place / "repaired", embedder)
    repair = _index(place / "repaired", [corpus], embedder)
    after, whole = _state(place / "repaired", embedder), _state(place / "full", embedder)
    _tell_changes(before.standing, after.standing)
    _tell_time("full build", full)
    _tell_time("repair", repair)
    ratios = (repair.report.cpu_seconds / full.report.cpu_seconds, repair.wall / full.wall)
    click.echo(f"{'ratio':24}{ratios[0]:9.1%} CPU {ratios[1]:9.1%} wall   (wanted: at most 5 %)\n")
    click.echo(f"{'quality':44}{'full build':>12}{'repaired':>12}{'change':>9}")
    _tell_modularity(after, whole)
    _tell_nmi(place, labels)
    _tell_recall(after, whole, embedder, added=added, questions=questions, seed=seed)


def _index(folder: Path, paths: Sequence[Path], embedder: Embedder, *, delete: Sequence[str] = ()) -> Timed:
    """Bring a store up to date; where documents are deleted, derive from nothing what is left."""
    settings = Settings()
    with closing(open_to_write(folder, settings, embedder=embedder)) as store:
        if delete:
            store.delete_documents(DEFAULT_TENANT, delete)
            store.require_whole(DEFAULT_TENANT)
        start = time.perf_counter()
        report = build_index(paths, store=store, embedder=embedder, settings=settings.indexing, options=IndexOptions())
        return Timed(report=report, wall=time.perf_counter() - start)


def _state(folder: Path, embedder: Embedder) -> State:
    with closing(open_to_write(folder, Settings(), embedder=embedder)) as store:
        return State(collection=store.read_collection(DEFAULT_TENANT), standing=store.read_generation(DEFAULT_TENANT))


def _tell_changes(before: PreviousGeneration, after: PreviousGeneration) -> None:
    for name, old, new in (
        ("reports", before.communities, after.communities),
        ("tree nodes", before.tree_nodes, after.tree_nodes),
    ):
        told = {item.id: _text(item) for item in new}
        rewritten = sum(told.get(item.id) != _text(item) for item in old)
        click.echo(
            f"{name:24}{len(old):6} before, {len(new):6} after, {rewritten:5} rewritten ({rewritten / len(old):.1%})"
        )
    places = _finest_of(after)
    stayed = [places[key] == community for key, community in _finest_of(before).items() if key in places]
    click.echo(f"{'entities':24}{len(stayed):6} with a community, {np.mean(stayed):.2%} kept it\n")


def _text(item: Community | TreeNode) -> tuple[str, ...]:
    sentences = item.report if isinstance(item, Community) else item.summary
    return (item.title, *(sentence.text for sentence in sentences))


def _finest_of(standing: PreviousGeneration) -> dict[str, str]:
    return {key: item.id for item in standing.communities if item.level == 0 for key in item.entity_ids}


def _tell_time(name: str, timed: Timed) -> None:
    steps = ", ".join(f"{step} {seconds:.1f}" for step, seconds in timed.report.seconds.items())
    click.echo(f"{name:24}{timed.report.cpu_seconds:7.1f} s CPU {timed.wall:7.1f} s wall   ({steps})")


def _tell(name: str, whole: float, repaired: float) -> None:
    click.echo(f"{name:44}{whole:12.3f}{repaired:12.3f}{(repaired - whole) / max(abs(whole), 1e-9):+9.1%}")


def _tell_modularity(after: State, whole: State) -> None:
    resolution = resolve(after.collection)
    knowledge = gather_knowledge(
        entities=resolution.entities,
        mentions=resolution.mentions,
        homes=resolution.homes,
        relations=resolution.relations,
    )
    (view,) = audience_views(after.collection)
    facts = gather_facts(view, knowledge)
    settings = Settings().indexing.communities
    graph = build_entity_graph(view, facts.places, facts.relations, settings)
    names = [entity.id for entity in facts.places.entities]
    for label, level in (("finest", True), ("top", False)):
        found = [
            modularity(graph, [_chosen(state.standing, finest=level).get(name, "") for name in names])
            for state in (whole, after)
        ]
        _tell(f"modularity, {label} communities", *found)


def _chosen(standing: PreviousGeneration, *, finest: bool) -> Mapping[str, str]:
    chosen = [item for item in standing.communities if (item.level == 0 if finest else item.parent_id is None)]
    return {key: item.id for item in chosen for key in item.entity_ids}


def modularity(graph: EntityGraph, labels: Sequence[str]) -> float:
    """Return Newman's modularity of a partition in [-0.5, 1]; entities labelled "" are each alone."""
    numbers = {label: number for number, label in enumerate(sorted(set(labels)))}
    alone = len(numbers)
    groups = np.array(
        [numbers[label] if label else alone + place for place, label in enumerate(labels)], dtype=np.int64
    )
    total = float(graph.weights.sum())
    inside = float(graph.weights[groups[graph.sources] == groups[graph.targets]].sum())
    ends = np.concatenate([groups[graph.sources], groups[graph.targets]])
    mass = np.bincount(ends, weights=np.concatenate([graph.weights, graph.weights]))
    return inside / total - float(np.square(mass / (2 * total)).sum())


def _tell_nmi(place: Path, labels: Mapping[str, str]) -> None:
    found: dict[str, list[float]] = {}
    for name in ("full", "repaired"):
        with KnowledgeBase.open(place / name) as knowledge:
            collection = knowledge.store.read_collection(DEFAULT_TENANT)
            for clustering in clusterings(knowledge, collection):
                names = sorted(clustering.cluster_of)
                value = nmi([clustering.cluster_of[one] for one in names], [labels[one] for one in names])
                found.setdefault(clustering.name, []).append(value)
    for name, values in found.items():
        if len(values) > 1:
            _tell(f"NMI with labels, {name}", *values)


def _tell_recall(
    after: State, whole: State, embedder: Embedder, *, added: Sequence[str], questions: int, seed: int
) -> None:
    asked = held_out(after, whole, first=added, count=questions, seed=seed)
    vectors = np.stack([embedder.embed_question(text) for text, _ in asked])
    documents = [document for _, document in asked]
    news = np.array([document in set(added) for document in documents])
    for name in ("reports", "tree nodes"):
        hits = [_hits(state, vectors, documents, reports=name == "reports") for state in (whole, after)]
        _tell(f"R@5 of {len(hits[0])} sentences, {name}", *(float(found.mean()) for found in hits))
        _tell(f"R@5 of {int(news.sum())} of added documents, {name}", *(float(found[news].mean()) for found in hits))


def held_out(after: State, whole: State, *, first: Sequence[str], count: int, seed: int) -> list[tuple[str, str]]:
    """Return (sentence, document id): one sentence a document, quoted nowhere, those of ``first`` first."""
    items: list[Community | TreeNode] = []
    for state in (after, whole):
        items += [*state.standing.communities, *state.standing.tree_nodes]
    quoted = {text for item in items for text in _text(item)}
    chunks = {chunk.id: chunk for chunk in after.collection.chunks}
    by_document: dict[str, list[str]] = {}
    for sentence in after.collection.sentences:
        chunk = chunks[sentence.chunk_id]
        text = chunk.text[sentence.char_start : sentence.char_end]
        if text not in quoted and len(text.split()) >= 8:
            by_document.setdefault(chunk.document_id, []).append(text)
    drawn = random.Random(seed)
    others = [name for name in sorted(by_document) if name not in set(first)]
    drawn.shuffle(others)
    names = [name for name in first if name in by_document] + others
    return [(drawn.choice(by_document[name]), name) for name in names[:count]]


def _hits(state: State, questions: FloatMatrix, documents: Sequence[str], *, reports: bool) -> np.ndarray:
    """Return for each question whether one of the nearest five reports or nodes rests on its document."""
    standing = state.standing
    items: Sequence[Community | TreeNode] = standing.communities if reports else standing.tree_nodes
    vectors = standing.community_vectors if reports else standing.tree_vectors
    across = [node.level for node in standing.tree_nodes if node.document_id is None]
    rows = [
        row
        for row, item in enumerate(items)
        if (item.level == 0 if isinstance(item, Community) else item.document_id is None and item.level == min(across))
    ]
    document_of = {chunk.id: chunk.document_id for chunk in state.collection.chunks}
    below = [{document_of[key] for key in items[row].chunk_ids} for row in rows]
    nearest = np.argsort(-(questions @ vectors[rows].T), axis=1, kind="stable")[:, :_FOUND_AMONG]
    return np.array(
        [any(document in below[row] for row in found) for found, document in zip(nearest, documents, strict=True)]
    )


if __name__ == "__main__":
    main()

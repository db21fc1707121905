"""What extraction by a language model is worth: ``python -m benchmarks.llm_extraction DATA``.

Graphs that others made of the data sets in DATA, with large models or other extractors, are replayed as a model's
replies, and go through the same checks as a real model's. Three tables: R@5 of the local route on musique_train100
without a model, with its gold graph beside what the parser finds, and instead of it; entities and linked pairs against
the gold of redocred_dev200 for the parser alone; and facts of `mine` for the parser, for three recorded extractors as
they are, and for what is left of them after the checks. Many recorded graphs of `mine` stand under the id of another
essay: only essays count for which every extractor has a graph most of whose words stand in the essay.

A fact counts as recalled where one triple, or three together, hold at least half of its words (stemmed, without
function words). That measures words, not meaning: it compares extractors, and is no score of the authors of `mine`.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
from numpy.typing import NDArray

from belvedere.evaluation.comparisons import compare_paired
from belvedere.evaluation.dataset import Dataset, read_dataset
from belvedere.evaluation.index_cache import IndexedDataset, cache_folder, index_dataset
from belvedere.evaluation.intervals import estimate_means
from belvedere.evaluation.machine import describe_machine
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from belvedere.store_location import read_location
from belvedere.wiring import open_to_write
from benchmarks.replayed_extraction import RecordedGraph, ReplayingModel, read_graphs
from benchmarks.tables import told
from graph_store.access import Access
from graph_store.bundles import Collection
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.ids import name_key
from graph_store.keyword_analysis import question_terms
from indexing.build_index import build_index
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.model_names import NO_MODELS, IndexingModels
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from indexing.source_files import source_file
from model_clients.chat.task_model import TaskModel
from model_clients.hashing_embedder import HashingEmbedder

Triple = tuple[str, str, str]

K = 5
EXTRACTORS = ("openie", "kggen", "graphrag")
_LEAST_WORDS = 0.5
_TOGETHER = 3
_UNNAMED = frozenset({"TIME", "NUM"})


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**32 - 1))
@click.option("--part", type=click.Choice(["recall", "entities", "facts"]), multiple=True, help="Print these alone.")
def main(data: Path, seed: int, part: tuple[str, ...]) -> None:
    """Print what recorded graphs add to retrieval, and what the parser finds of gold graphs."""
    print(describe_machine())
    if not part or "recall" in part:
        print_recall(data / "musique_train100", seed)
    if not part or "entities" in part:
        print_entities(data / "redocred_dev200")
    if not part or "facts" in part:
        print_facts(data / "mine")


# -- retrieval ---------------------------------------------------------------------------------------------------------


def print_recall(folder: Path, seed: int) -> None:
    """Print R@5 and all@5 of the local route for each graph, and how each differs from the one without a model."""
    dataset = read_dataset(folder, seed=seed)
    graphs = read_graphs(folder / "openie.jsonl")
    settings = Settings()
    base = index_dataset(dataset, settings, cache_folder())
    with tempfile.TemporaryDirectory() as scratch:
        rows = {"no model": found_documents(base.store, dataset, settings)}
        modes: tuple[Literal["beside", "instead"], ...] = ("beside", "instead")
        for mode in modes:
            store = Path(scratch) / mode
            shutil.copytree(base.store, store)
            with _corpus_where_it_was(base) as corpus:
                changed = _replayed(store, corpus, dataset, graphs, mode)
            rows[f"gold graph, {mode}"] = found_documents(store, dataset, changed)
    print(f"\nlocal route, {dataset.name}, {len(dataset.questions)} questions, points of 100 [95 % interval]")
    first = rows["no model"]
    for name, values in rows.items():
        recall, whole = estimate_means(values, seed=seed)
        line = f"{name:22} R@{K} {told(recall)}  all@{K} {told(whole)}"
        if name != "no model":
            difference, _ = compare_paired(values - first, columns=2, seed=seed)
            line += f"  difference in R@{K} {told(difference.estimate, sign='+')}, p {difference.p:.3f}"
        print(line)


@contextmanager
def _corpus_where_it_was(base: IndexedDataset) -> Iterator[Path]:
    """Put the corpus where the cached store read it from: documents from elsewhere would be others of the same id."""
    with KnowledgeBase.open(base.store) as kb:
        first = kb.store.list_documents(Access())[0]
    path = source_file(first.source_uri, first.id)
    path.parent.mkdir(parents=True)
    try:
        shutil.copy(base.store.parent / path.name, path)
        yield path
    finally:
        shutil.rmtree(path.parent)


def _replayed(
    store: Path,
    corpus: Path,
    dataset: Dataset,
    graphs: Mapping[str, RecordedGraph],
    mode: Literal["beside", "instead"],
) -> Settings:
    """Index again with the recorded graphs as replies, and return the settings of that."""
    extraction = LlmExtractionSettings(mode=mode)
    settings = replace(Settings(), indexing=replace(Settings().indexing, llm_extraction=extraction))
    texts = {str(row["id"]): str(row["text"]) for row in dataset.corpus}
    models = IndexingModels(extraction=TaskModel(ReplayingModel(graphs, texts)))
    with KnowledgeBase.open(store, config=settings) as kb:
        embedder = kb.embedder
        with closing(open_to_write(read_location(store), settings, embedder=embedder)) as writer:
            report = build_index(
                [corpus],
                store=writer,
                embedder=embedder,
                settings=settings.indexing,
                options=IndexOptions(models=models),
            )
    assert report.model_work is not None
    dropped = report.model_work.dropped["extraction"]
    print(f"{mode}: {report.entities:,} entities, {report.relations:,} relations; {dropped:,} of the replies dropped")
    return settings


def found_documents(store: Path, dataset: Dataset, settings: Settings) -> NDArray[np.float64]:
    """Return (questions, 2): the share of gold found among the first documents, and whether all of it was."""
    rows = []
    with KnowledgeBase.open(store, config=settings) as kb:
        for question in dataset.questions:
            results = kb.search(question.text, k=4 * K, route="local").results
            first = set(list(dict.fromkeys(result.document_id for result in results))[:K])
            found = sum(bool(group & first) for group in question.gold)
            rows.append((found / len(question.gold), float(found == len(question.gold))))
    return np.array(rows, dtype=np.float64)


# -- graphs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGraph:
    """Names (each with all its spellings) and triples of a document."""

    names: tuple[frozenset[str], ...]
    triples: tuple[Triple, ...]


def extracted(folder: Path, models: IndexingModels = NO_MODELS, *, instead: bool = False) -> dict[str, FoundGraph]:
    """Return what indexing finds in each document of a data set."""
    embedder = HashingEmbedder(64)
    settings = IndexingSettings(llm_extraction=LlmExtractionSettings(mode="instead" if instead else "beside"))
    with (
        tempfile.TemporaryDirectory() as scratch,
        EmbeddedStore.create_or_open(
            Path(scratch) / "store",
            embedding_model=embedder.model_id,
            dimension=embedder.dimension,
            token_space=embedder.token_space,
            token_dimension=embedder.token_dimension,
        ) as store,
    ):
        options = IndexOptions(models=models)
        build_index([folder / "corpus.jsonl"], store=store, embedder=embedder, settings=settings, options=options)
        return _graphs(store.read_collection("default"))


def _graphs(collection: Collection) -> dict[str, FoundGraph]:
    document_of = {chunk.id: chunk.document_id for chunk in collection.chunks}
    spellings: dict[str, dict[str, set[str]]] = {document.id: {} for document in collection.documents}
    triples: dict[str, list[Triple]] = {document.id: [] for document in collection.documents}
    for mention in collection.mentions:
        names = spellings[document_of[mention.chunk_id]].setdefault(name_key(mention.name), set())
        names.update((name_key(mention.name), name_key(mention.surface)))
    for relation in collection.relations:
        triples[document_of[relation.chunk_id]].append((relation.subject, relation.predicate, relation.object))
    return {
        key: FoundGraph(names=tuple(map(frozenset, names.values())), triples=tuple(dict.fromkeys(triples[key])))
        for key, names in spellings.items()
    }


@dataclass(slots=True)
class _Counts:
    """Counts over documents: names found and how many of them are right, gold names and how many were found, pairs."""

    found: int = 0
    right: int = 0
    wanted: int = 0
    reached: int = 0
    pairs: int = 0
    linked: int = 0

    def add(self, graph: FoundGraph, gold: Mapping[str, Any]) -> None:
        """Compare one document."""
        spellings = {name_key(item["name"]): _spellings(item) for item in gold["entities"]}
        entities = [_spellings(item) for item in gold["entities"] if item["type"] not in _UNNAMED]
        self.found += len(graph.names)
        self.right += sum(any(names & entity for entity in entities) for names in graph.names)
        self.wanted += len(entities)
        self.reached += sum(any(names & entity for names in graph.names) for entity in entities)
        told_pairs = {frozenset((name_key(subject), name_key(target))) for subject, _, target in graph.triples}
        for subject, _, target in gold["triples"]:
            ends = (spellings[name_key(subject)], spellings[name_key(target)])
            self.pairs += 1
            self.linked += any(frozenset((one, other)) in told_pairs for one in ends[0] for other in ends[1])


def _spellings(entity: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(map(name_key, (entity["name"], *entity["aliases"])))


def print_entities(folder: Path) -> None:
    """Print precision, recall and F1 of the names that the parser finds, and the recall of linked pairs."""
    gold = {row["id"]: row for row in _rows(folder / "gold.jsonl")}
    counts = _Counts()
    for key, graph in extracted(folder).items():
        counts.add(graph, gold[key])
    precision, recall = counts.right / counts.found, counts.reached / counts.wanted
    f1 = 2 * precision * recall / (precision + recall)
    print(f"\n{folder.name}, parser alone, {len(gold)} documents (gold names but for times and numbers)")
    print(f"entities: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}")
    print(f"gold relations whose ends some statement links: {counts.linked / counts.pairs:.3f} of {counts.pairs:,}")


def print_facts(folder: Path) -> None:
    """Print how many facts the triples of each extractor hold."""
    rows = {str(row["id"]): row for row in _rows(folder / "corpus.jsonl")}
    texts = {key: str(row["text"]) for key, row in rows.items()}
    recorded = {name: read_graphs(folder / "kgs.jsonl", extractor=name) for name in EXTRACTORS}
    own = [key for key in rows if all(_is_of(graphs.get(key), texts[key]) for graphs in recorded.values())]
    facts = {row["id"]: row["facts"] for row in _rows(folder / "facts.jsonl") if row["id"] in own}
    count = sum(map(len, facts.values()))
    print(f"\n{folder.name}, {len(own)} of {len(rows)} essays, {count} facts; names and triples of one")
    with tempfile.TemporaryDirectory() as scratch:
        part = Path(scratch)
        (part / "corpus.jsonl").write_text("".join(f"{json.dumps(rows[key])}\n" for key in own), encoding="utf-8")
        _print_fact_row("parser alone", extracted(part), facts)
        for name, graphs in recorded.items():
            _print_fact_row(f"{name}, as recorded", {key: _as_found(graphs[key]) for key in own}, facts)
            models = IndexingModels(extraction=TaskModel(ReplayingModel(graphs, texts)))
            _print_fact_row(f"{name}, checked, instead", extracted(part, models, instead=True), facts)
            _print_fact_row(f"{name}, checked, beside", extracted(part, models), facts)


def _is_of(graph: RecordedGraph | None, text: str) -> bool:
    """Tell whether most words of a graph's names stand in a text."""
    words = set(question_terms(" ".join(graph.entities))) if graph is not None else set()
    return len(words.intersection(question_terms(text))) > _LEAST_WORDS * len(words)


def _as_found(graph: RecordedGraph) -> FoundGraph:
    return FoundGraph(names=tuple(frozenset({name_key(name)}) for name in graph.entities), triples=graph.triples)


def _print_fact_row(name: str, graphs: Mapping[str, FoundGraph], facts: Mapping[str, Sequence[str]]) -> None:
    shares = [share for key, told_facts in facts.items() for share in _shares(graphs[key].triples, told_facts)]
    single, several = (np.mean([share[place] >= _LEAST_WORDS for share in shares]) for place in (0, 1))
    names = np.mean([len(graphs[key].names) for key in facts])
    triples = np.mean([len(graphs[key].triples) for key in facts])
    held = f"facts in one triple {single:.3f}, in {_TOGETHER} together {several:.3f}"
    print(f"{name:28} {names:6.1f} {triples:6.1f}  {held}")


def _shares(triples: Sequence[Triple], facts: Sequence[str]) -> Iterator[tuple[float, float]]:
    """Yield for each fact the share of its words in the best triple, and in the best few (chosen greedily)."""
    terms = [frozenset(question_terms(" ".join(triple))) for triple in triples]
    for fact in facts:
        wanted = frozenset(question_terms(fact))
        held: frozenset[str] = frozenset()
        best = 0.0
        for step in range(_TOGETHER):
            gained = max((term & wanted for term in terms), key=lambda found: len(found | held), default=held)
            held |= gained
            best = len(held) / len(wanted) if step == 0 else best
        yield best, len(held) / len(wanted)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()

"""What extraction by a language model is worth: ``python -m benchmarks.llm_extraction DATA``.

Graphs that others made of the data sets in DATA, with large models or other extractors, are replayed by an endpoint on
loopback as a model's replies, and go through the same checks as a real model's. Three tables: R@5 of the local route on
musique_train100 without a model, with its gold graph beside what the parser finds, and instead of it; entities and
linked pairs against the gold of redocred_dev200 for the parser alone; and facts of `mine` for the parser, for three
recorded extractors as they are, and for what is left of them after the checks. Many recorded graphs of `mine` stand
under the id of another essay: only essays count for which every extractor has a graph most of whose words stand in the
essay.

A fact counts as recalled where one triple, or three together, hold at least half of its words (stemmed, without
function words). That measures words, not meaning: it compares extractors, and is no score of the authors of `mine`.

With ``--endpoint URL --model NAME`` a real model is asked as well, about a sample of documents that the seed draws;
entities and facts alone are printed then, of the parser and the recorded extractors for the same documents.
``python -m tests.llm.small_model PORT`` serves a small one. Chunks that it gives no reply of use about count as empty.
"""

import json
import random
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
from benchmarks.found_graphs import (
    LEAST_WORDS,
    TOGETHER,
    Found,
    FoundGraph,
    estimated,
    extracted,
    fact_counts,
    name_counts,
    names_f1,
    share_of,
)
from benchmarks.replayed_extraction import RecordedGraph, extracting, read_graphs, replaying
from benchmarks.tables import told
from graph_store.access import Access
from graph_store.ids import name_key
from graph_store.keyword_analysis import question_terms
from indexing.build_index import build_index
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.model_names import IndexingModels
from indexing.options import IndexOptions
from indexing.source_files import source_file

K = 5
EXTRACTORS = ("openie", "kggen", "graphrag")
_PATIENCE_S = 600.0


MODES: tuple[Literal["beside", "instead"], ...] = ("beside", "instead")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """A model behind an endpoint, which is asked about a sample of so many ``documents`` of each set."""

    endpoint: str
    model: str
    documents: int
    reply_tokens: int


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**32 - 1))
@click.option("--part", type=click.Choice(["recall", "entities", "facts"]), multiple=True, help="Print these alone.")
@click.option("--endpoint", help="Address of a model that is asked too, such as http://localhost:8080/v1.")
@click.option("--model", default="model", show_default=True, help="Its name there.")
@click.option("--documents", default=30, show_default=True, type=click.IntRange(min=1), help="Sample that it reads.")
@click.option(
    "--reply-tokens", default=2000, show_default=True, type=click.IntRange(min=100), help="Its longest reply."
)
def main(  # noqa: PLR0913  # one parameter per option
    data: Path, *, seed: int, part: tuple[str, ...], endpoint: str | None, model: str, documents: int, reply_tokens: int
) -> None:
    """Print what recorded graphs add to retrieval, and what the parser (and a model) finds of gold graphs."""
    asked = None
    if endpoint is not None:
        asked = AskedModel(endpoint=endpoint, model=model, documents=documents, reply_tokens=reply_tokens)
    print(describe_machine(), f"seed {seed}")
    if "recall" in part or (not part and asked is None):
        print_recall(data / "musique_train100", seed)
    if not part or "entities" in part:
        print_entities(data / "redocred_dev200", seed, asked)
    if not part or "facts" in part:
        print_facts(data / "mine", seed, asked)


# -- retrieval ---------------------------------------------------------------------------------------------------------


def print_recall(folder: Path, seed: int) -> None:
    """Print R@5 and all@5 of the local route for each graph, and how each differs from the one without a model."""
    dataset = read_dataset(folder, seed=seed)
    graphs = read_graphs(folder / "openie.jsonl")
    settings = Settings()
    base = index_dataset(dataset, settings, cache_folder())
    with tempfile.TemporaryDirectory() as scratch:
        rows = {"no model": found_documents(base.store, dataset, settings)}
        for mode in MODES:
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
    with KnowledgeBase.open(store, config=settings) as kb, replaying(graphs, dataset.corpus) as model:
        embedder = kb.embedder
        with closing(open_to_write(read_location(store), settings, embedder=embedder)) as writer:
            report = build_index(
                [corpus],
                store=writer,
                embedder=embedder,
                settings=settings.indexing,
                options=IndexOptions(models=IndexingModels(extraction=model)),
            )
    assert report.model_work is not None
    assert not report.model_work.failed
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


def print_entities(folder: Path, seed: int, asked: AskedModel | None) -> None:
    """Print precision, recall and F1 of the names that are found, and the recall of linked pairs."""
    gold = {row["id"]: row for row in _rows(folder / "gold.jsonl")}
    rows = _sample(_rows(folder / "corpus.jsonl"), seed, asked)
    print(
        f"\n{folder.name}, {len(rows)} of {len(gold)} documents (gold names but for times and numbers), points of 100"
    )
    with _corpus_of(rows) as part:
        for name, found in _extractors(part, asked):
            counts = [name_counts(graph, gold[key]) for key, graph in found.graphs.items()]
            precision, recall, f1, linked = (
                told(estimated(counts, figure, seed=seed))
                for figure in (share_of(1, 0), share_of(3, 2), names_f1, share_of(5, 4))
            )
            print(f"{name:28} precision {precision}, recall {recall}, F1 {f1}, ends of gold relations linked {linked}")


def print_facts(folder: Path, seed: int, asked: AskedModel | None) -> None:
    """Print how many facts the triples of each extractor hold."""
    rows = {str(row["id"]): row for row in _rows(folder / "corpus.jsonl")}
    recorded = {name: read_graphs(folder / "kgs.jsonl", extractor=name) for name in EXTRACTORS}
    own = [
        row for key, row in rows.items() if all(_is_of(graphs.get(key), row["text"]) for graphs in recorded.values())
    ]
    own = _sample(own, seed, asked)
    facts = {row["id"]: row["facts"] for row in _rows(folder / "facts.jsonl")}
    facts = {row["id"]: facts[row["id"]] for row in own}
    count = sum(map(len, facts.values()))
    print(f"\n{folder.name}, {len(own)} of {len(rows)} essays, {count} facts; names and triples of one; points of 100")
    with _corpus_of(own) as part:
        for name, found in _extractors(part, asked):
            _print_fact_row(name, found.graphs, facts, seed)
        for name, graphs in recorded.items():
            _print_fact_row(f"{name}, as recorded", {key: _as_found(graphs[key]) for key in facts}, facts, seed)
            if asked is not None:
                continue
            with replaying(graphs, own) as model:
                for mode in MODES:
                    found = extracted(part, IndexingModels(extraction=model), LlmExtractionSettings(mode=mode))
                    _print_fact_row(f"{name}, checked, {mode}", found.graphs, facts, seed)


def _extractors(part: Path, asked: AskedModel | None) -> Iterator[tuple[str, Found]]:
    """Yield the parser, and the model where one is asked; of the model what it finds by itself, after the checks."""
    yield "parser alone", extracted(part)
    if asked is not None:
        settings = LlmExtractionSettings(mode="instead", max_reply_tokens=asked.reply_tokens)
        with extracting(asked.endpoint, asked.model, timeout_s=_PATIENCE_S) as model:
            found = extracted(part, IndexingModels(extraction=model), settings, leave_failed=False)
        print(f"{asked.model}: asked about {found.asked} chunks, no reply of use about {found.failed} of them")
        yield f"{asked.model} alone", found


def _sample(rows: Sequence[dict[str, Any]], seed: int, asked: AskedModel | None) -> list[dict[str, Any]]:
    """Return all rows, or a sample where a model is asked about them."""
    if asked is None or asked.documents >= len(rows):
        return list(rows)
    return [rows[place] for place in sorted(random.Random(seed).sample(range(len(rows)), asked.documents))]


@contextmanager
def _corpus_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[Path]:
    """Give a folder with these documents."""
    with tempfile.TemporaryDirectory() as scratch:
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (Path(scratch) / "corpus.jsonl").write_text(lines, encoding="utf-8")
        yield Path(scratch)


def _is_of(graph: RecordedGraph | None, text: str) -> bool:
    """Tell whether most words of a graph's names stand in a text."""
    words = set(question_terms(" ".join(graph.entities))) if graph is not None else set()
    return len(words.intersection(question_terms(text))) > LEAST_WORDS * len(words)


def _as_found(graph: RecordedGraph) -> FoundGraph:
    return FoundGraph(names=tuple(frozenset({name_key(name)}) for name in graph.entities), triples=graph.triples)


def _print_fact_row(name: str, graphs: Mapping[str, FoundGraph], facts: Mapping[str, Sequence[str]], seed: int) -> None:
    counts = [fact_counts(graphs[key], told_facts) for key, told_facts in facts.items()]
    single, several = (told(estimated(counts, share_of(place, 0), seed=seed)) for place in (1, 2))
    names = np.mean([len(graphs[key].names) for key in facts])
    triples = np.mean([len(graphs[key].triples) for key in facts])
    print(f"{name:28} {names:6.1f} {triples:6.1f}  facts in one triple {single}, in {TOGETHER} together {several}")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()

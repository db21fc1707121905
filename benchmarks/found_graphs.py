"""Graphs that indexing finds in documents, held against gold names, gold relations and facts told in words."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from belvedere.evaluation.intervals import RESAMPLES, Estimate
from graph_store.bundles import Collection
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.ids import name_key
from graph_store.keyword_analysis import question_terms
from indexing.build_index import build_index
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.model_names import NO_MODELS, IndexingModels
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from model_clients.hashing_embedder import HashingEmbedder

Triple: TypeAlias = tuple[str, str, str]

LEAST_WORDS = 0.5
TOGETHER = 3
_UNNAMED = frozenset({"TIME", "NUM"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGraph:
    """Names (each with all its spellings) and triples of a document."""

    names: tuple[frozenset[str], ...]
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The graph of each document, and what a model had a part in: chunks asked about, and how many it failed at."""

    graphs: Mapping[str, FoundGraph]
    asked: int = 0
    failed: int = 0


def extracted(
    folder: Path,
    models: IndexingModels = NO_MODELS,
    extraction: LlmExtractionSettings | None = None,
    *,
    leave_failed: bool = True,
) -> Found:
    """Return what indexing finds in each document of ``folder``.

    Where a model fails at a chunk there is what the parser finds; without ``leave_failed`` there is nothing: only
    what the model finds is to count.
    """
    embedder = HashingEmbedder(64)
    settings = IndexingSettings(llm_extraction=extraction or LlmExtractionSettings())
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
        report = build_index(
            [folder / "corpus.jsonl"], store=store, embedder=embedder, settings=settings, options=options
        )
        work = report.model_work
        failed = frozenset(call.about for call in work.failed) if work is not None else frozenset()
        graphs = _graphs(store.read_collection("default"), frozenset() if leave_failed else failed)
    return Found(graphs=graphs, asked=work.asked["extraction"] if work is not None else 0, failed=len(failed))


def _graphs(collection: Collection, without: frozenset[str]) -> dict[str, FoundGraph]:
    document_of = {
        chunk.id: chunk.document_id
        for chunk in collection.chunks
        if f"chunk {chunk.position + 1} of {chunk.document_id!r}" not in without
    }
    spellings: dict[str, dict[str, set[str]]] = {document.id: {} for document in collection.documents}
    triples: dict[str, list[Triple]] = {document.id: [] for document in collection.documents}
    for mention in collection.mentions:
        if mention.chunk_id in document_of:
            names = spellings[document_of[mention.chunk_id]].setdefault(name_key(mention.name), set())
            names.update((name_key(mention.name), name_key(mention.surface)))
    for relation in collection.relations:
        if relation.chunk_id in document_of:
            triples[document_of[relation.chunk_id]].append((relation.subject, relation.predicate, relation.object))
    return {
        key: FoundGraph(names=tuple(map(frozenset, names.values())), triples=tuple(dict.fromkeys(triples[key])))
        for key, names in spellings.items()
    }


def name_counts(graph: FoundGraph, gold: Mapping[str, Any]) -> list[int]:
    """Return counts of one document: names found, how many of them are right, gold names, how many of them were found,
    gold relations, how many of them have their two ends linked by some statement.
    """
    spellings = {name_key(item["name"]): _spellings(item) for item in gold["entities"]}
    entities = [_spellings(item) for item in gold["entities"] if item["type"] not in _UNNAMED]
    told_pairs = {frozenset((name_key(subject), name_key(target))) for subject, _, target in graph.triples}
    ends = [(spellings[name_key(one)], spellings[name_key(other)]) for one, _, other in gold["triples"]]
    return [
        len(graph.names),
        sum(any(names & entity for entity in spellings.values()) for names in graph.names),
        len(entities),
        sum(any(names & entity for names in graph.names) for entity in entities),
        len(ends),
        sum(any(frozenset((one, other)) in told_pairs for one in first for other in second) for first, second in ends),
    ]


def _spellings(entity: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(map(name_key, (entity["name"], *entity["aliases"])))


def fact_counts(graph: FoundGraph, facts: Sequence[str]) -> list[int]:
    """Return counts of one document: facts, those that one triple holds, those that a few triples together hold."""
    shares = list(_shares(graph.triples, facts))
    return [len(shares), *(sum(share[place] >= LEAST_WORDS for share in shares) for place in (0, 1))]


def _shares(triples: Sequence[Triple], facts: Sequence[str]) -> Iterator[tuple[float, float]]:
    """Yield for each fact the share of its words in the best triple, and in the best few (chosen greedily)."""
    terms = [frozenset(question_terms(" ".join(triple))) for triple in triples]
    for fact in facts:
        wanted = frozenset(question_terms(fact))
        held: frozenset[str] = frozenset()
        best = 0.0
        for step in range(TOGETHER):
            gained = max((term & wanted for term in terms), key=lambda found: len(found | held), default=held)
            held |= gained
            best = len(held) / len(wanted) if step == 0 else best
        yield best, len(held) / len(wanted)


def share_of(part: int, whole: int) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return the figure that is one sum of counts over another, 0 where there is nothing."""
    return lambda sums: sums[..., part] / np.maximum(sums[..., whole], 1.0)


def names_f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the F1 of names from sums of ``name_counts``."""
    precision, recall = share_of(1, 0)(sums), share_of(3, 2)(sums)
    both = precision + recall
    return 2.0 * precision * recall / np.where(both > 0.0, both, 1.0)


def estimated(
    counts: Sequence[Sequence[int]], figure: Callable[[NDArray[np.float64]], NDArray[np.float64]], *, seed: int
) -> Estimate:
    """Return a figure of the sums of counts, with its 95 % interval: percentile bootstrap over the documents."""
    rows = np.asarray(counts, dtype=np.float64)
    n = len(rows)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1.0 / n), size=RESAMPLES)
    low, high = np.percentile(figure(draws @ rows), [2.5, 97.5])
    return Estimate(value=float(figure(rows.sum(axis=0))), low=float(low), high=float(high), n=n)

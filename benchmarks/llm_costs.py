"""Tokens of indexing with a language model: ``python -m benchmarks.llm_costs FOLDER... [--documents N]``.

Indexes each data set (or folder of documents) with the real prompts and a model that replies by rules
(``belvedere.estimate.counting_model``), so nothing is paid for. Prints tokens per 1,000 words for each mode, what a
question costs where only the reports that it touches are written, and what a million chunks would cost and take by
three example price lists (``--prices FILE`` for others). Where FOLDER has ``openie.jsonl``, replies about a document
tell its facts. Vectors are by hashing, which costs next to nothing; four characters count as a token. With
``--documents`` a sample, drawn by the seed.
"""

import json
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from belvedere.estimate.counting_model import CountingModel, KnownFacts, counted_tokens
from belvedere.evaluation.dataset import read_corpus
from belvedere.evaluation.dataset_files import Row
from benchmarks.llm_simulation import EXAMPLE_PRICES, PriceList, bill, read_prices
from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.store import GraphStore
from indexing.build_index import build_index
from indexing.llm_extraction.prompt import PROMPT as EXTRACTION
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.model_names import IndexingModels
from indexing.options import IndexOptions
from indexing.settings import IndexingSettings
from model_clients.chat.messages import TokenUsage
from model_clients.chat.task_model import TaskModel
from model_clients.hashing_embedder import HashingEmbedder
from query.settings import CommunitySettings

MILLION = 1_000_000
EMBEDDER = HashingEmbedder(64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The reports of one level of communities, and the tokens of their texts; level 0 is the finest."""

    level: int
    reports: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What each mode used up on one collection; ``reports`` is what was used for reports alone."""

    name: str
    documents: int
    words: int
    text_tokens: int
    chunks: int
    modes: Mapping[str, TokenUsage]
    reports: TokenUsage
    levels: tuple[Level, ...]


@click.command(help=__doc__)
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--documents", type=click.IntRange(min=1), help="Only a sample of this many documents.")
@click.option("--seed", default=0, show_default=True, help="Seed of the sample.")
@click.option("--prices", type=click.Path(exists=True, path_type=Path), default=EXAMPLE_PRICES, help="Price lists.")
def main(folders: tuple[Path, ...], documents: int | None, seed: int, prices: Path) -> None:
    """Count each collection and print the tables."""
    for folder in folders:
        costs = measure(folder, documents, seed)
        _show(costs)
        _show_questions(costs)
        _show_simulation(costs, read_prices(prices))


def measure(folder: Path, documents: int | None, seed: int) -> Costs:
    """Index a collection twice: with reports and summaries alone, and with all tasks and a second look."""
    rows = _rows(folder, documents, seed)
    known = _known(folder / "openie.jsonl")
    derived = _index(rows, None, known)
    whole = _index(rows, LlmExtractionSettings(second_look=True), known).counts
    first = _sum(whole, lambda name: name == f"extraction: {EXTRACTION}")
    again = _sum(whole, lambda name: name.startswith("extraction: ") and name != f"extraction: {EXTRACTION}")
    others = _sum(whole, lambda name: not name.startswith("extraction: "))
    return Costs(
        name=folder.resolve().name,
        documents=len(rows),
        words=sum(len(str(row["text"]).split()) for row in rows),
        text_tokens=sum(counted_tokens(str(row["text"])) for row in rows),
        chunks=derived.chunks,
        modes={
            "no language model, or lazy": TokenUsage(),
            "reports and summaries": _sum(derived.counts, lambda _: True),
            "extraction": first,
            "extraction, with a second look": first + again,
            "extraction, reports and summaries": first + others,
        },
        reports=_sum(derived.counts, lambda name: name.startswith("reports: ")),
        levels=derived.levels,
    )


def _rows(folder: Path, documents: int | None, seed: int) -> list[Row]:
    rows = list(read_corpus(folder, seed=seed).corpus)
    return rows if documents is None else random.Random(seed).sample(rows, min(documents, len(rows)))


def _known(path: Path) -> dict[str, KnownFacts]:
    if not path.exists():
        return {}
    facts = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {
        str(row["id"]): KnownFacts(
            entities=tuple(row["entities"]),
            triples=tuple((source, predicate, target) for source, predicate, target in row["triples"]),
        )
        for row in facts
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Indexed:
    counts: Mapping[str, TokenUsage]
    chunks: int
    levels: tuple[Level, ...]


def _index(rows: Iterable[Row], extraction: LlmExtractionSettings | None, known: Mapping[str, KnownFacts]) -> _Indexed:
    """Index with reports and summaries by a counting model, and where there are settings for it extraction too."""
    counting = CountingModel(known=known)
    model = TaskModel(counting)
    models = IndexingModels(extraction=model if extraction else None, reports=model, summaries=model)
    settings = IndexingSettings()
    if extraction is not None:
        settings = replace(settings, llm_extraction=extraction)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "corpus.jsonl"
        corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
        with EmbeddedStore.create_or_open(
            Path(scratch) / "store",
            embedding_model=EMBEDDER.model_id,
            dimension=EMBEDDER.dimension,
            token_space=EMBEDDER.token_space,
            token_dimension=EMBEDDER.token_dimension,
        ) as store:
            report = build_index(
                [corpus], store=store, embedder=EMBEDDER, settings=settings, options=IndexOptions(models=models)
            )
            return _Indexed(counts=counting.counts, chunks=report.chunks, levels=tuple(_levels(store)))


def _levels(store: GraphStore) -> Iterator[Level]:
    reports: dict[int, list[int]] = {}
    for community in store.communities(Access()):
        text = " ".join(sentence.text for sentence in community.report)
        reports.setdefault(community.level, []).append(counted_tokens(text))
    for level in sorted(reports):
        yield Level(level=level, reports=len(reports[level]), tokens=sum(reports[level]))


def _sum(counts: Mapping[str, TokenUsage], chosen: Callable[[str], bool]) -> TokenUsage:
    return sum((used for name, used in counts.items() if chosen(name)), start=TokenUsage())


def _show(costs: Costs) -> None:
    click.echo(
        f"\n{costs.name}: {costs.documents:,} documents, {costs.words:,} words, {costs.text_tokens:,} tokens of text, "
        f"{costs.chunks:,} chunks"
    )
    click.echo(f"  {'tokens for 1,000 words':<34}{'calls':>8}{'sent':>10}{'replied':>10}{'times the text':>16}")
    thousands = costs.words / 1000.0
    for mode, used in costs.modes.items():
        together = used.prompt_tokens + used.reply_tokens
        click.echo(
            f"  {mode:<34}{used.calls / thousands:>8.1f}{used.prompt_tokens / thousands:>10,.0f}"
            f"{used.reply_tokens / thousands:>10,.0f}{together / costs.text_tokens:>16.2f}"
        )


def _show_questions(costs: Costs) -> None:
    """Print what a question costs that needs reports: where some are written for it, or all of a level are read."""
    k = CommunitySettings().themes
    mean = (costs.reports.prompt_tokens + costs.reports.reply_tokens) / max(costs.reports.calls, 1)
    click.echo(
        f"  lazy: a question for which {k} reports are written: {k * mean:,.0f} tokens, "
        f"{100.0 * k * mean / costs.text_tokens:.1f} % of the text"
    )
    for level in costs.levels:
        click.echo(
            f"  reading all {level.reports:,} reports of level {level.level} for a question: {level.tokens:,} tokens, "
            f"{100.0 * level.tokens / costs.text_tokens:.1f} % of the text"
        )


def _show_simulation(costs: Costs, prices: Mapping[str, PriceList]) -> None:
    for name, found in prices.items():
        click.echo(f"  a million such chunks, example prices of: {name}")
        for mode, used in costs.modes.items():
            made = bill(used, MILLION / costs.chunks, found)
            click.echo(
                f"    {mode:<34}{made.prompt_tokens:>8,.0f} M sent{made.reply_tokens:>8,.0f} M replied"
                f"{made.money:>10,.0f} in money{made.hours:>8,.0f} h"
            )


if __name__ == "__main__":
    main()

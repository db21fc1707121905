"""How far two stores with the same content agree: ``python -m benchmarks.store_agreement STORE SERVER``.

Asks the questions of a data set of both, such as a folder and its copy by ``belvedere copy-store`` on a Neo4j server,
and compares the ten best results, the documents among them against the gold, and the routes. For each question whose
results are not the same in the same order it tells what differs beneath: the keyword scores of either index (two
implementations of BM25, which count texts differently), the cosines (rounding), or neither.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from belvedere.evaluation.dataset import LabelledQuestion, read_dataset
from belvedere.evaluation.machine import describe_machine
from belvedere.evaluation.measures import collapse, score_rankings
from belvedere.knowledge_base import KnowledgeBase
from belvedere.store_location import read_location
from graph_store.access import Access
from graph_store.records import Hit
from query.outcome import RankedResult

K = 10
DEEP = 100
EVERYBODY = Access()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What both stores say to one question, and the hits of their keyword and vector searches."""

    question: LabelledQuestion
    routes: tuple[str, str]
    results: tuple[tuple[RankedResult, ...], tuple[RankedResult, ...]]
    keywords: tuple[tuple[Hit, ...], tuple[Hit, ...]]
    vectors: tuple[tuple[Hit, ...], tuple[Hit, ...]]

    @property
    def overlap(self) -> float:
        """The share of the results that both have, whatever their order; 1 where neither has any."""
        left, right = ({result.id for result in results} for results in self.results)
        return len(left & right) / max(len(left), len(right), 1) if left or right else 1.0

    @property
    def same_order(self) -> bool:
        """Whether both have the same results in the same order."""
        left, right = ([result.id for result in results] for results in self.results)
        return left == right


@click.command(help=__doc__)
@click.argument("store", type=click.Path(path_type=Path, exists=True))
@click.argument("server")
@click.option("--data", type=click.Path(path_type=Path, exists=True), default=Path("examples"), show_default=True)
@click.option("--config", type=click.Path(path_type=Path, exists=True), help="Settings file for both.")
def main(store: Path, server: str, data: Path, config: Path | None) -> None:
    """Ask both and print how they agree."""
    dataset = read_dataset(data, seed=0)
    with (
        KnowledgeBase.open(store, config=config) as folder_kb,
        KnowledgeBase.open(read_location(server), config=config) as server_kb,
    ):
        if folder_kb.store.content_digest("default") != server_kb.store.content_digest("default"):
            raise click.ClickException("the two stores do not hold the same: copy one into the other first")
        names = {
            document.id: Path(document.source_uri.rpartition("#")[2]).name
            for document in folder_kb.store.list_documents(EVERYBODY)
        }
        pairs = [_ask(folder_kb, server_kb, question) for question in dataset.questions]
    click.echo(f"{dataset.name}: {len(pairs)} questions, the {K} best of each · {describe_machine()}")
    _tell(pairs, names)


def _ask(left: KnowledgeBase, right: KnowledgeBase, question: LabelledQuestion) -> Pair:
    vector = left.embedder.embed_question(question.text)
    found = [kb.search(question.text, k=K, versions=question.versions) for kb in (left, right)]
    keywords = [kb.store.search_keywords(EVERYBODY, question.text, kind="chunk", k=DEEP) for kb in (left, right)]
    vectors = [kb.store.search_vectors(EVERYBODY, vector, kind="chunk", k=DEEP) for kb in (left, right)]
    return Pair(
        question=question,
        routes=(found[0].route, found[1].route),
        results=(found[0].results, found[1].results),
        keywords=(keywords[0], keywords[1]),
        vectors=(vectors[0], vectors[1]),
    )


def _tell(pairs: Sequence[Pair], names: Mapping[str, str]) -> None:
    overlap = statistics.fmean(pair.overlap for pair in pairs)
    recalls = [_recall(pairs, names, side) for side in (0, 1)]
    same = sum(pair.same_order for pair in pairs)
    click.echo(f"mean overlap of the {K} best {overlap:.4f}; {same} of {len(pairs)} questions have the same order")
    click.echo(f"R@5 {recalls[0]:.4f} in the folder, {recalls[1]:.4f} on the server")
    click.echo(f"other routes: {sum(pair.routes[0] != pair.routes[1] for pair in pairs)}")
    click.echo(f"largest difference of a cosine: {max(_largest_gap(pair.vectors) for pair in pairs):.1e}")
    shares = [_largest_share(pair.keywords) for pair in pairs]
    click.echo(f"largest difference of a keyword score: {max(shares):.2%} of it")
    for pair in pairs:
        if not pair.same_order:
            click.echo(f"{pair.question.id}: overlap {pair.overlap:.2f}; {'; '.join(_reasons(pair))}")


def _recall(pairs: Sequence[Pair], names: Mapping[str, str], side: int) -> float:
    rankings = [
        collapse(names[result.document_id] for result in pair.results[side] if result.document_id) for pair in pairs
    ]
    rows = score_rankings(rankings, [pair.question.gold for pair in pairs])
    return statistics.fmean(row["R@5"] for row in rows if row is not None)


def _reasons(pair: Pair) -> Iterator[str]:
    """Yield what is different beneath the results of a question."""
    if pair.routes[0] != pair.routes[1]:
        yield f"the routes are {pair.routes[0]} and {pair.routes[1]}"
    left, right = ([result.id for result in results] for results in pair.results)
    moved = [number for number, (one, other) in enumerate(zip(left, right, strict=False), 1) if one != other]
    yield f"first difference at rank {moved[0] if moved else min(len(left), len(right)) + 1}"
    for name, (one, other) in (("keyword", pair.keywords), ("vector", pair.vectors)):
        swapped = _swapped(one, other)
        if swapped:
            gap = _closeness(one, swapped[0])
            yield f"{name} ranks differ from {swapped[0] + 1} on, where scores lie {gap:.2%} apart"
        else:
            yield f"{name} ranks agree"
    yield f"keyword scores differ by up to {_largest_share(pair.keywords):.2%}"


def _swapped(left: Sequence[Hit], right: Sequence[Hit]) -> list[int]:
    return [place for place, (one, other) in enumerate(zip(left, right, strict=False)) if one.id != other.id]


def _closeness(hits: Sequence[Hit], place: int) -> float:
    """Return how far the hit at a place is from the next, as a share of its score."""
    following = hits[place + 1].score if place + 1 < len(hits) else hits[place].score
    return (hits[place].score - following) / max(abs(hits[place].score), 1e-9)


def _largest_gap(sides: tuple[Sequence[Hit], Sequence[Hit]]) -> float:
    known = {hit.id: hit.score for hit in sides[1]}
    return max((abs(hit.score - known[hit.id]) for hit in sides[0] if hit.id in known), default=0.0)


def _largest_share(sides: tuple[Sequence[Hit], Sequence[Hit]]) -> float:
    known = {hit.id: hit.score for hit in sides[1]}
    shares = (abs(hit.score - known[hit.id]) / hit.score for hit in sides[0] if hit.id in known and hit.score)
    return max(shares, default=0.0)


if __name__ == "__main__":
    main()

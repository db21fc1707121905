"""Trains the abstention model on questions whose passages are there, and on the same questions with them taken away.

``python -m query.abstention_training --set NAME=STORE:QUESTIONS ...`` reads stores indexed before and question files
(JSON Lines with ``question`` and ``gold_ids``, the documents that answer, or ``gold_chunks``), and writes
abstention_weights.json. Each question gets an unanswerable twin by hiding its gold and every near-duplicate of that.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.access import Access
from graph_store.bundles import PassageGraph
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Hit
from graph_store.settings import StoreSettings
from graph_store.store import GraphStore
from model_clients.embedder import Embedder
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings
from query.abstention import support_features
from query.fusion import z_sum
from query.local import FirstStage, LocalRanking, search_first_stage, walk_from
from query.local_answer import weigh_passages
from query.logistic import LogisticModel
from query.question import analyse
from query.readable_view import ReadableView
from query.request import Request
from query.settings import QuerySettings

WEIGHTS = Path(__file__).parent / "abstention_weights.json"
_NEAR_DUPLICATE = 0.95
_FALSE_ABSTENTIONS = 0.10
_STRENGTH = 0.01
_FOLDS = 10
_DECIMALS = 5

Matrix: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingQuestion:
    """A question with the documents that answer it, or the very chunks where those are known."""

    text: str
    gold: frozenset[str] = frozenset()
    gold_chunks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The features of a question, whether its documents were there, and which set and question it comes from."""

    features: Mapping[str, float]
    answerable: bool
    source: str
    number: int


class ExampleMaker:
    """Makes two examples of each question of one store: as it is, and with the gold documents hidden."""

    def __init__(self, store: GraphStore, embedder: Embedder, settings: QuerySettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._access = Access()
        self._graph = store.passage_graph(self._access)
        self._view = ReadableView(store, self._access, self._graph)

    def examples(self, source: str, questions: Sequence[TrainingQuestion]) -> Iterator[Example]:
        """Yield the answerable and the unanswerable twin of each question."""
        for number, question in enumerate(questions):
            request = self._request(question.text)
            hidden = self._hidden_chunks(question)
            graph = graph_without(self._graph, hidden)
            twins = (
                (self._view, frozenset[str](), True),
                (ReadableView(self._store, self._access, graph), hidden, False),
            )
            for view, without, answerable in twins:
                features = self._features(request, view, without)
                if features is not None:
                    yield Example(features=features, answerable=answerable, source=source, number=number)

    def _request(self, text: str) -> Request:
        # More hits than are used, so that enough are left when some are hidden.
        k = 2 * self._settings.local.candidates
        vectors = self._embedder.embed_question_tokens(text)
        return Request(
            question=analyse(text), vector=vectors.vector, tokens=vectors.tokens, access=self._access, filters=(), k=k
        )

    def _hidden_chunks(self, question: TrainingQuestion) -> frozenset[str]:
        of_documents = [
            chunk.id
            for document in sorted(question.gold)
            for chunk in self._store.document_chunks(self._access, document)
        ]
        chunks = [*of_documents, *sorted(question.gold_chunks)]
        hidden = set(chunks)
        for vector in self._store.chunk_vectors(self._access, chunks).values():
            near = self._store.search_vectors(self._access, vector, kind="chunk", k=20)
            hidden.update(hit.id for hit in near if hit.score >= _NEAR_DUPLICATE)
        return frozenset(hidden)

    def _features(self, request: Request, view: ReadableView, hidden: frozenset[str]) -> Mapping[str, float] | None:
        found = search_first_stage(self._store, request, self._settings.local)
        ranking = self._ranking(request, view, _stage_without(found, hidden, self._settings.local.candidates))
        evidence = weigh_passages(self._store, request, view, ranking, self._settings.answer)
        return support_features(evidence) if evidence.scored else None

    def _ranking(self, request: Request, view: ReadableView, stage: FirstStage) -> LocalRanking:
        passages, codes = self._settings.answer.passages, self._settings.local.rarest_code
        shown = replace(request, k=passages + codes)
        ranking = walk_from(self._store, shown, view, stage, self._settings.local)
        # An identifier is looked up in the store itself, hidden passages and all.
        seen = tuple(chunk for chunk in ranking.chunks if chunk.id in view.walk.position)
        return replace(ranking, chunks=seen[:passages])


def graph_without(graph: PassageGraph, hidden: frozenset[str]) -> PassageGraph:
    """Return ``graph`` without the hidden chunks, their edges, and names that only they mention."""
    kept = np.array([chunk_id not in hidden for chunk_id in graph.chunk_ids], dtype=bool)
    place = np.cumsum(kept) - 1
    rows = np.repeat(np.arange(len(kept)), np.diff(graph.indptr))
    edges = kept[rows] & kept[graph.indices]
    counts = np.bincount(place[rows[edges]], minlength=int(kept.sum()))

    def moved(names: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        left = {key: tuple(int(place[index]) for index in indices if kept[index]) for key, indices in names.items()}
        return {key: indices for key, indices in left.items() if indices}

    return PassageGraph(
        chunk_ids=tuple(chunk_id for chunk_id in graph.chunk_ids if chunk_id not in hidden),
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        indices=place[graph.indices[edges]].astype(np.int64),
        weights=graph.weights[edges],
        homes=moved(graph.homes),
        mentions=moved(graph.mentions),
    )


def _stage_without(stage: FirstStage, hidden: frozenset[str], count: int) -> FirstStage:
    bm25, dense = _hits_without(stage.bm25, hidden, count), _hits_without(stage.dense, hidden, count)
    fused = z_sum([{hit.id: hit.score for hit in hits} for hits in (bm25, dense)])
    return FirstStage(bm25=bm25, dense=dense, fused=fused)


def _hits_without(hits: Sequence[Hit], hidden: frozenset[str], count: int) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.id not in hidden)[:count]


def _matrix(examples: Sequence[Example], features: Sequence[str]) -> Matrix:
    return np.array([[example.features[name] for name in features] for example in examples], dtype=np.float64)


def fit(examples: Sequence[Example]) -> LogisticModel:
    """Fit the model on standardised features; its threshold is still 0."""
    # heavy import, only when used
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # noqa: PLC0415  # no types

    features = tuple(sorted(examples[0].features))
    matrix = _matrix(examples, features)
    means, scales = matrix.mean(axis=0), matrix.std(axis=0) + 1e-9
    model = LogisticRegression(C=_STRENGTH, max_iter=5_000, tol=1e-8)
    model.fit(np.clip((matrix - means) / scales, -4.0, 4.0), [example.answerable for example in examples])
    return LogisticModel(
        features=features,
        means=_rounded(means),
        scales=_rounded(scales),
        weights=_rounded(model.coef_[0]),
        bias=_rounded(model.intercept_)[0],
        threshold=0.0,
    )


def out_of_fold(examples: Sequence[Example]) -> list[float]:
    """Return the probability of each example by a model that saw neither its question nor the twin."""
    folds = [(example.number + len(example.source)) % _FOLDS for example in examples]
    probabilities = [0.0] * len(examples)
    for fold in range(_FOLDS):
        model = fit([example for example, own in zip(examples, folds, strict=True) if own != fold])
        for place, example in enumerate(examples):
            if folds[place] == fold:
                probabilities[place] = model.probability(example.features)
    return probabilities


def threshold_for(probabilities: Sequence[float], examples: Sequence[Example], false_abstentions: float) -> float:
    """Return the threshold below which the given share of the answerable examples falls."""
    answerable = sorted(
        probability for probability, example in zip(probabilities, examples, strict=True) if example.answerable
    )
    return round(answerable[int(false_abstentions * len(answerable))], _DECIMALS)


def trained_weights(examples: Sequence[Example]) -> str:
    """Return the weights file as text, with what it was trained on and how well it did on questions held out."""
    probabilities = out_of_fold(examples)
    threshold = threshold_for(probabilities, examples, _FALSE_ABSTENTIONS)
    model = fit(examples)
    content = {
        "trained_on": {source: sum(example.source == source for example in examples) for source in _sources(examples)},
        "cross_validated": {
            source: _report(examples, probabilities, source, threshold) for source in _sources(examples)
        },
        "trained_on_the_other_sets": {source: {"auroc": _transfer(examples, source)} for source in _sources(examples)},
        "bias": model.bias,
        "threshold": threshold,
        "features": {
            name: {"mean": mean, "scale": scale, "weight": weight}
            for name, mean, scale, weight in zip(model.features, model.means, model.scales, model.weights, strict=True)
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _sources(examples: Sequence[Example]) -> list[str]:
    return sorted({example.source for example in examples})


def _report(
    examples: Sequence[Example], probabilities: Sequence[float], source: str, threshold: float
) -> dict[str, float]:
    own = [
        (probability, example.answerable)
        for probability, example in zip(probabilities, examples, strict=True)
        if example.source == source
    ]
    there = [probability for probability, answerable in own if answerable]
    hidden = [probability for probability, answerable in own if not answerable]
    return {
        "auroc": _auroc(there, hidden),
        "answerable_abstained": round(sum(value < threshold for value in there) / len(there), 3),
        "unanswerable_abstained": round(sum(value < threshold for value in hidden) / len(hidden), 3),
    }


def _transfer(examples: Sequence[Example], source: str) -> float:
    others = [example for example in examples if example.source != source]
    if not others:
        return 0.0
    model = fit(others)
    own = [example for example in examples if example.source == source]
    scores = [(model.probability(example.features), example.answerable) for example in own]
    return _auroc([value for value, there in scores if there], [value for value, there in scores if not there])


def _auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    wins = sum((one > other) + 0.5 * (one == other) for one in positive for other in negative)
    return round(wins / (len(positive) * len(negative)), 3)


def _rounded(values: Matrix) -> tuple[float, ...]:
    return tuple(round(float(value), _DECIMALS) + 0.0 for value in values)


def _read_questions(path: Path) -> list[TrainingQuestion]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    questions = [
        TrainingQuestion(
            text=row["question"],
            gold=frozenset(row.get("gold_ids", ())),
            gold_chunks=frozenset(row.get("gold_chunks", ())),
        )
        for row in rows
    ]
    return [question for question in questions if question.gold or question.gold_chunks]


def _examples_of(name: str, store_folder: Path, questions: Path) -> list[Example]:
    with EmbeddedStore.open(store_folder, settings=StoreSettings(), read_only=True) as store:
        maker = ExampleMaker(store, SentenceTransformerEmbedder(EmbedderSettings()), QuerySettings())
        return list(maker.examples(name, _read_questions(questions)))


def main() -> None:
    """Write the weights beside this module."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", required=True, metavar="NAME=STORE:QUESTIONS", dest="sets")
    examples: list[Example] = []
    for entry in parser.parse_args().sets:
        name, _, place = entry.partition("=")
        store, _, questions = place.rpartition(":")
        examples.extend(_examples_of(name, Path(store), Path(questions)))
    WEIGHTS.write_text(trained_weights(examples), encoding="utf-8")


if __name__ == "__main__":
    main()

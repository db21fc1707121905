"""Trains the abstention model on questions that the documents answer, and on twins that they do not.

``python -m query.abstention_training --set NAME=STORE:QUESTIONS ...`` reads stores indexed before and question files
(JSON Lines with ``question`` and ``gold_ids``, the documents that answer, or ``gold_chunks``), and writes
abstention_weights.json. The examples come from :mod:`query.abstention_examples`. Support is calibrated for a mixture in
which half of the questions have no answer.
"""

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.settings import StoreSettings
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings
from query.abstention_examples import UNANSWERABLE, Example, ExampleMaker, Kind, TrainingQuestion
from query.logistic import LogisticModel, sigmoid
from query.settings import QuerySettings

WEIGHTS = Path(__file__).parent / "abstention_weights.json"
_FALSE_ABSTENTIONS = 0.10
_STRENGTH = 0.01
_FOLDS = 10
# Taught by questions whose gold is there or hidden. A near miss, or a question of which one hop is hidden, has all of
# its support but for a detail: learning from those made the model doubt questions of other collections.
TAUGHT: tuple[Kind, ...] = ("answerable", "hidden")
_DECIMALS = 5

Matrix: TypeAlias = NDArray[np.float64]


def _matrix(examples: Sequence[Example], features: Sequence[str]) -> Matrix:
    return np.array([[example.features[name] for name in features] for example in examples], dtype=np.float64)


def balance(examples: Sequence[Example]) -> list[float]:
    """Return the weight of each example: the unanswerable twins of a question weigh 1 together, as the question does.

    A question without twins weighs nothing, nor do twins without their question.
    """
    twins = Counter((example.source, example.number) for example in examples if not example.answerable)
    asked = {(example.source, example.number) for example in examples if example.answerable}
    return [_weight(example, twins, asked) for example in examples]


def _weight(example: Example, twins: Mapping[tuple[str, int], int], asked: set[tuple[str, int]]) -> float:
    key = (example.source, example.number)
    if example.answerable:
        return 1.0 if twins.get(key) else 0.0
    return 1.0 / twins[key] if key in asked else 0.0


def fit(examples: Sequence[Example]) -> LogisticModel:
    """Fit the model on standardised features of questions with their gold there or hidden; threshold still 0."""
    # heavy import, only when used
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # noqa: PLC0415  # no types

    examples = [example for example in examples if example.kind in TAUGHT]
    features = tuple(sorted(examples[0].features))
    matrix = _matrix(examples, features)
    means, scales = matrix.mean(axis=0), matrix.std(axis=0) + 1e-9
    model = LogisticRegression(C=_STRENGTH, max_iter=5_000, tol=1e-8)
    model.fit(
        np.clip((matrix - means) / scales, -4.0, 4.0),
        [example.answerable for example in examples],
        sample_weight=balance(examples),
    )
    return LogisticModel(
        features=features,
        means=_rounded(means),
        scales=_rounded(scales),
        weights=_rounded(model.coef_[0]),
        bias=_rounded(model.intercept_)[0],
        threshold=0.0,
    )


def out_of_fold(examples: Sequence[Example]) -> list[float]:
    """Return the log odds of each example by a model that saw neither its question nor the twins."""
    folds = [(example.number + len(example.source)) % _FOLDS for example in examples]
    odds = [0.0] * len(examples)
    for fold in range(_FOLDS):
        model = fit([example for example, own in zip(examples, folds, strict=True) if own != fold])
        for place, example in enumerate(examples):
            if folds[place] == fold:
                odds[place] = model.log_odds(example.features)
    return odds


def calibration(odds: Sequence[float], examples: Sequence[Example]) -> tuple[float, float]:
    """Return slope and offset that turn log odds into those of a probability (Platt, 1999), over what is taught."""
    # heavy import, only when used
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    model = LogisticRegression(C=1e6, max_iter=5_000, tol=1e-8)
    taught = [(value, example) for value, example in zip(odds, examples, strict=True) if example.kind in TAUGHT]
    column = np.array([value for value, _ in taught], dtype=np.float64)[:, None]
    weights = balance([example for _, example in taught])
    model.fit(column, [example.answerable for _, example in taught], sample_weight=weights)
    return float(model.coef_[0][0]), float(model.intercept_[0])


def calibrated(model: LogisticModel, slope: float, offset: float) -> LogisticModel:
    """Return the model whose log odds are ``slope`` times those of ``model``, plus ``offset``."""
    return replace(
        model,
        weights=_rounded(slope * np.asarray(model.weights)),
        bias=_rounded(np.asarray([slope * model.bias + offset]))[0],
    )


def threshold_for(probabilities: Sequence[float], examples: Sequence[Example], false_abstentions: float) -> float:
    """Return the threshold below which the given share of the answerable examples falls."""
    answerable = sorted(
        probability for probability, example in zip(probabilities, examples, strict=True) if example.answerable
    )
    return round(answerable[int(false_abstentions * len(answerable))], _DECIMALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A calibrated model with its threshold, and the probability of each example when it was held out."""

    model: LogisticModel
    examples: tuple[Example, ...]
    held_out: tuple[float, ...]


def train(examples: Sequence[Example]) -> Trained:
    """Fit and calibrate the model; the threshold comes from the examples held out."""
    odds = out_of_fold(examples)
    slope, offset = calibration(odds, examples)
    held_out = tuple(sigmoid(slope * value + offset) for value in odds)
    threshold = threshold_for(held_out, examples, _FALSE_ABSTENTIONS)
    model = replace(calibrated(fit(examples), slope, offset), threshold=threshold)
    return Trained(model=model, examples=tuple(examples), held_out=held_out)


def trained_weights(trained: Trained) -> str:
    """Return the weights file as text, with what it was trained on and how well it did on questions held out."""
    model, examples = trained.model, trained.examples
    content = {
        "trained_on": {source: _counts(examples, source) for source in _sources(examples)},
        "cross_validated": {source: _report(trained, source) for source in _sources(examples)},
        "trained_on_the_other_sets": {source: _transfer(examples, source) for source in _sources(examples)},
        "bias": model.bias,
        "threshold": model.threshold,
        "features": {
            name: {"mean": mean, "scale": scale, "weight": weight}
            for name, mean, scale, weight in zip(model.features, model.means, model.scales, model.weights, strict=True)
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _sources(examples: Sequence[Example]) -> list[str]:
    return sorted({example.source for example in examples})


def _counts(examples: Sequence[Example], source: str) -> dict[str, int]:
    return dict(sorted(Counter(example.kind for example in examples if example.source == source).items()))


def _report(trained: Trained, source: str) -> dict[str, float]:
    own = [
        (probability, example)
        for probability, example in zip(trained.held_out, trained.examples, strict=True)
        if example.source == source
    ]
    threshold = trained.model.threshold
    there = [value for value, example in own if example.answerable]
    absent = [value for value, example in own if not example.answerable]
    return {
        **_aurocs(own),
        "answerable_abstained": round(sum(value < threshold for value in there) / len(there), 3),
        "unanswerable_abstained": round(sum(value < threshold for value in absent) / len(absent), 3),
    }


def _transfer(examples: Sequence[Example], source: str) -> dict[str, float]:
    others = [example for example in examples if example.source != source]
    if not others:
        return {}
    model = fit(others)
    return _aurocs([(model.log_odds(example.features), example) for example in examples if example.source == source])


def _aurocs(scored: Sequence[tuple[float, Example]]) -> dict[str, float]:
    """Return the AUROC of answerable questions against each kind of unanswerable ones, and against all."""
    there = [score for score, example in scored if example.answerable]
    by_kind = {kind: [score for score, example in scored if example.kind == kind] for kind in UNANSWERABLE}
    absent = [score for scores in by_kind.values() for score in scores]
    return {
        "auroc": _auroc(there, absent),
        **{f"auroc_{kind}": _auroc(there, scores) for kind, scores in by_kind.items() if scores},
    }


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
    WEIGHTS.write_text(trained_weights(train(examples)), encoding="utf-8")


if __name__ == "__main__":
    main()

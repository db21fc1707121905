"""Fits linear scorers, and the rounds of chain ranking made of them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from query.chain_ranking.arrays import Indices, Vector
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.rounds import RoundInput, RoundResult
from query.chain_ranking.training_pools import TrainingPool
from query.chain_ranking.weights import CLIPPED, LinearScorer, RoundWeights

Columns = Mapping[str, Vector]
Labels = NDArray[np.bool_]

# Strength of the penalty, as its inverse.
_STRENGTH = 0.02
_LINK_FOLDS = 5
_PASSAGE_FOLDS = 4
_LEAST_SCALE = 1e-6
_DECIMALS = 5


class NothingToLearn(ValueError):
    """Questions that tell no gold from other passages, or no links to gold from other links; one sentence."""


def fit_scorer(tables: Sequence[Columns], labels: Sequence[Labels]) -> LinearScorer:
    """Fit L2-regularised logistic regression on standardised, clipped columns; weights are rounded to 5 decimals.

    Rounding makes the file the same wherever the last bits of the solver differ. Raises ``NothingToLearn``.
    """
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # noqa: PLC0415

    wanted = np.concatenate([np.zeros(0, dtype=bool), *labels])
    if wanted.all() or not wanted.any():
        raise NothingToLearn(
            "chains cannot be learnt from these questions: too few of them have both passages that are gold and others,"
            " reached by shared names"
        )
    features = tuple(tables[0])
    table = np.concatenate([np.column_stack([columns[name] for name in features]) for columns in tables])
    means = table.mean(axis=0).round(_DECIMALS)
    scales = np.maximum(table.std(axis=0), _LEAST_SCALE).round(_DECIMALS + 1)
    inputs = np.clip((table - means) / scales, -CLIPPED, CLIPPED)
    fitted = LogisticRegression(C=_STRENGTH, max_iter=2_000, tol=1e-8).fit(inputs, wanted)
    return LinearScorer(
        features=features,
        means=means,
        scales=scales,
        weights=fitted.coef_[0].round(_DECIMALS),
        bias=round(float(fitted.intercept_[0]), _DECIMALS),
    )


def fit_rounds(pools: Sequence[TrainingPool], *, rounds: int, seed: int) -> tuple[RoundWeights, ...]:
    """Fit the rounds one after the other; what a model passes on is always out of fold over questions.

    Raises ``NothingToLearn``.
    """
    random = np.random.default_rng(seed)
    inputs = [pool.rounds.first() for pool in pools]
    fitted: list[RoundWeights] = []
    for number in range(rounds):
        link_folds = question_folds(len(pools), _LINK_FOLDS, random)
        link_scores, link = _out_of_fold_links(pools, inputs, link_folds)
        tables = [pool.rounds.columns(data, own) for pool, data, own in zip(pools, inputs, link_scores, strict=True)]
        labels = [pool.is_gold for pool in pools]
        fitted.append(RoundWeights(link=link, passage=fit_scorer(tables, labels)))
        if number + 1 < rounds:
            scores = _out_of_fold(tables, labels, question_folds(len(pools), _PASSAGE_FOLDS, random))
            inputs = [pool.rounds.after(own) for pool, own in zip(pools, scores, strict=True)]
    return tuple(fitted)


def question_folds(count: int, folds: int, random: np.random.Generator) -> list[Indices]:
    """Deal the numbers 0 to ``count`` - 1 into folds at random."""
    dealt = random.permutation(count)
    return [dealt[start::folds] for start in range(folds)]


def cross_validate(pools: Sequence[TrainingPool], *, rounds: int, folds: int, seed: int) -> list[RoundResult]:
    """Return the result of each pool by rounds that were fitted on the other folds."""
    results: dict[int, RoundResult] = {}
    for fold in question_folds(len(pools), folds, np.random.default_rng(seed)):
        held = set(fold.tolist())
        weights = fit_rounds([pool for i, pool in enumerate(pools) if i not in held], rounds=rounds, seed=seed)
        results |= {index: run_rounds(pools[index].rounds, weights) for index in held}
    return [results[index] for index in range(len(pools))]


def _out_of_fold_links(
    pools: Sequence[TrainingPool], inputs: Sequence[RoundInput], folds: Sequence[Indices]
) -> tuple[list[Vector], LinearScorer]:
    """Return link scores by models that did not see the question, and the model fitted on all."""
    tables = [data.link_columns for data in inputs]
    labels = [pool.is_gold[data.links.target] for pool, data in zip(pools, inputs, strict=True)]
    return _out_of_fold(tables, labels, folds), fit_scorer(tables, labels)


def _out_of_fold(tables: Sequence[Columns], labels: Sequence[Labels], folds: Sequence[Indices]) -> list[Vector]:
    scores: dict[int, Vector] = {}
    for fold in folds:
        held = set(fold.tolist())
        others = [index for index in range(len(tables)) if index not in held]
        model = fit_scorer([tables[index] for index in others], [labels[index] for index in others])
        scores |= {index: model.scores(tables[index], len(labels[index])) for index in held}
    return [scores[index] for index in range(len(tables))]

from collections.abc import Sequence

import numpy as np
import pytest

from query.chain_ranking import fitting
from query.chain_ranking.fitting import NothingToLearn, cross_validate, fit_rounds, fit_scorer, question_folds
from query.chain_ranking.gate_training import ranking_quality
from query.chain_ranking.ranker import run_rounds
from query.chain_ranking.training_pools import TrainingPool
from query.chain_ranking.weights import LinearScorer, RoundWeights
from tests.query.chain_ranking.hand_made import joining_pool


@pytest.fixture(scope="module")
def pools() -> list[TrainingPool]:
    return [joining_pool(number) for number in range(20)]


def planted(seed: int, count: int = 200) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns of which the first says yes, the second no, and the third nothing."""
    random = np.random.default_rng(seed)
    table = random.normal(size=(count, 3))
    wanted = table[:, 0] - table[:, 1] + 0.3 * random.normal(size=count) > 0.0
    return {"yes": table[:, 0], "no": table[:, 1], "noise": table[:, 2]}, wanted


def test_a_planted_signal_is_recovered() -> None:
    tables, labels = zip(*(planted(seed) for seed in range(3)), strict=True)
    scorer = fit_scorer(tables, labels)
    yes, no, noise = scorer.weights.tolist()
    assert scorer.features == ("yes", "no", "noise")
    assert yes > 0.5
    assert no < -0.5
    assert abs(noise) < 0.2
    unseen, wanted = planted(9)
    assert ((scorer.scores(unseen, 200) > 0) == wanted).mean() > 0.9


def test_weights_are_rounded_and_a_constant_column_does_no_harm() -> None:
    columns, wanted = planted(0)
    scorer = fit_scorer([{**columns, "same": np.ones(200)}], [wanted])
    assert all(value == round(value, 5) for value in (*scorer.weights.tolist(), scorer.bias))
    assert np.isfinite(scorer.scores({**columns, "same": np.full(200, 2.0)}, 200)).all()
    assert (scorer.scales > 0).all()


@pytest.mark.parametrize("value", [True, False])
def test_labels_all_alike_teach_nothing(*, value: bool) -> None:
    with pytest.raises(NothingToLearn, match="too few"):
        fit_scorer([planted(0)[0]], [np.full(200, value)])


def test_no_questions_teach_nothing() -> None:
    with pytest.raises(NothingToLearn):
        fit_rounds([], rounds=1, seed=0)


def test_folds_share_out_all_questions() -> None:
    folds = question_folds(11, 4, np.random.default_rng(3))
    assert sorted(np.concatenate(folds).tolist()) == list(range(11))
    assert max(map(len, folds)) - min(map(len, folds)) <= 1


def test_the_rounds_learn_to_follow_names(pools: list[TrainingPool]) -> None:
    weights = fit_rounds(pools, rounds=2, seed=0)
    unseen = [joining_pool(number) for number in range(30, 36)]
    chains = [ranking_quality(pool, run_rounds(pool.rounds, weights).scores) for pool in unseen]
    searches = [ranking_quality(pool, pool.evidence.fused) for pool in unseen]
    assert min(chains) == pytest.approx(1.0)
    assert np.mean(searches) < 0.96


def test_two_runs_fit_the_same_bytes(pools: list[TrainingPool]) -> None:
    one, other = (fit_rounds(pools[:10], rounds=2, seed=4) for _ in range(2))
    for first, second in zip(one, other, strict=True):
        for a, b in ((first.link, second.link), (first.passage, second.passage)):
            assert a.features == b.features
            assert a.bias == b.bias
            for name in ("means", "scales", "weights"):
                assert getattr(a, name).tobytes() == getattr(b, name).tobytes()


def test_cross_validation_never_scores_a_question_by_a_model_that_saw_it(
    pools: list[TrainingPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fit_rounds(pools, rounds=1, seed=0)
    seen: list[set[int]] = []
    scored: list[tuple[int, int]] = []

    def fitted(given: Sequence[TrainingPool], **_: int) -> tuple[RoundWeights, ...]:
        seen.append({id(pool.rounds) for pool in given})
        return real

    def run(rounds: object, weights: Sequence[RoundWeights]) -> object:
        assert weights is real
        scored.append((id(rounds), len(seen) - 1))
        return rounds

    monkeypatch.setattr(fitting, "fit_rounds", fitted)
    monkeypatch.setattr(fitting, "run_rounds", run)
    results = cross_validate(pools, rounds=1, folds=4, seed=1)
    assert [id(result) for result in results] == [id(pool.rounds) for pool in pools]
    assert len(scored) == len(pools)
    assert all(question not in seen[model] for question, model in scored)
    assert all(len(own) == 15 for own in seen)


def test_link_scores_that_are_passed_on_are_out_of_fold(
    pools: list[TrainingPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = [pool.rounds.first() for pool in pools]
    tables, labels = (
        [data.link_columns for data in inputs],
        [pool.is_gold[data.links.target] for pool, data in zip(pools, inputs, strict=True)],
    )
    trained_on: list[list[int]] = []
    fit = fitting.fit_scorer

    def watched(given: Sequence[fitting.Columns], wanted: Sequence[fitting.Labels]) -> LinearScorer:
        trained_on.append([next(i for i, table in enumerate(tables) if table is own) for own in given])
        return fit(given, wanted)

    monkeypatch.setattr(fitting, "fit_scorer", watched)
    folds = question_folds(len(pools), 4, np.random.default_rng(0))
    scores = fitting._out_of_fold(tables, labels, folds)
    assert len(scores) == len(pools)
    for fold, trained in zip(folds, trained_on, strict=True):
        assert set(fold.tolist()).isdisjoint(trained)
        assert len(fold) + len(trained) == len(pools)

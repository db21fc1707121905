"""An earlier run of the same evaluation, read from its JSON, and how today's run differs from it."""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from belvedere.errors import UserMistake
from belvedere.evaluation.comparisons import Comparison, compare_rows
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.judging.computed import COMPUTED
from belvedere.evaluation.judging.judge import JUDGED
from belvedere.evaluation.judging.judged_by import judged_by
from belvedere.evaluation.measures import GRADED, MEASURES
from belvedere.evaluation.question_values import QuestionKey, Values, corpus_digest, question_key, values_by_system
from belvedere.evaluation.reply_scores import REPLY_VALUES
from belvedere.evaluation.system_scores import SystemScores

_LARGEST = 1e9
_FAMILIES: tuple[tuple[str, ...], ...] = ((*MEASURES, GRADED), REPLY_VALUES, COMPUTED, JUDGED)
"""Measures of rankings, of replies, what was computed and what was judged of them: p is corrected within each."""


class BaselineError(UserMistake):
    """A baseline that cannot be read, or that today's run cannot be held against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """An earlier run: the values of its questions by system, the settings that differed from their defaults, and by
    what its figures were judged.
    """

    file: str
    questions: Mapping[QuestionKey, Mapping[str, Values]]
    systems: tuple[str, ...]
    settings: Mapping[str, object]
    judged_by: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineComparison:
    """Today's systems minus those of the baseline, over ``questions`` questions that both have.

    ``changed`` are the questions of today that the baseline does not have, or has with other labels. ``settings`` are
    those that differ: name -> (then, now), None for a default. ``judged_otherwise`` are measures that were judged or
    computed by something else then, so that they are not compared: name -> (by what then, by what now).
    """

    file: str
    comparisons: tuple[Comparison, ...]
    questions: int
    changed: int
    settings: Mapping[str, tuple[object, object]]
    judged_otherwise: Mapping[str, tuple[str, str]]


def read_baseline(path: Path, dataset: Dataset, systems: Sequence[str]) -> Baseline:
    """Read what ``eval --json`` printed, and make sure that ``dataset`` is the same. Raises ``BaselineError``."""
    content = _content(path)
    _refuse_other_data(path, content["run"], dataset)
    questions = dict(_questions(path, content["questions"]))
    known = tuple(name for name in systems if any(name in values for values in questions.values()))
    if not known:
        raise BaselineError(f"the baseline {path} measured none of {', '.join(systems)}: compare the same systems")
    if not any(question_key(question) in questions for question in dataset.questions):
        raise BaselineError(f"the baseline {path} has none of these questions with these labels: measure it again")
    return Baseline(
        file=str(path),
        questions=questions,
        systems=known,
        settings=content["run"].get("settings") or {},
        judged_by={str(name): str(by) for name, by in content["run"].get("judged_by", {}).items()},
    )


def _content(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BaselineError(f"cannot read the baseline {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise BaselineError(_not_ours(path)) from None
    if not isinstance(content, dict) or not isinstance(content.get("run"), dict):
        raise BaselineError(_not_ours(path))
    if not isinstance(content.get("questions"), list) or not all(
        isinstance(content["run"].get(name, {}), dict) for name in ("settings", "judged_by")
    ):
        raise BaselineError(_not_ours(path))
    return content


def _not_ours(path: Path) -> str:
    return f"the baseline {path} holds no values of single questions: make it with `belvedere eval DIR --json`"


def _refuse_other_data(path: Path, run: Mapping[str, Any], dataset: Dataset) -> None:
    for name, now in (("seed", dataset.seed), ("limit", dataset.limit), ("filters", list(dataset.filters))):
        then = run.get(name)
        if then != now:
            raise BaselineError(
                f"the baseline {path} was measured with {name} {_told(then)}, this run has {name} {_told(now)}: "
                "give the same, or measure the baseline again"
            )
    if run.get("corpus") != corpus_digest(dataset):
        raise BaselineError(
            f"the baseline {path} was measured on other documents ({str(run.get('data'))!r}) than this run "
            f"({dataset.name!r}): measure it again on these"
        )


def _told(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _questions(path: Path, rows: Sequence[object]) -> Iterator[tuple[QuestionKey, Mapping[str, Values]]]:
    for row in rows:
        systems = row.get("systems") if isinstance(row, dict) else None
        if not isinstance(row, dict) or not isinstance(systems, dict):
            raise BaselineError(_not_ours(path))
        if not all(isinstance(values, dict) and all(map(_is_value, values.values())) for values in systems.values()):
            raise BaselineError(_not_ours(path))
        yield (str(row.get("question")), str(row.get("labels"))), systems


def _is_value(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def compare_with_baseline(
    baseline: Baseline, systems: Mapping[str, SystemScores], dataset: Dataset, settings: Mapping[str, object]
) -> BaselineComparison:
    """Compare each system with itself in the baseline, question by question; ``settings`` are today's."""
    keys = [question_key(question) for question in dataset.questions]
    shared = [number for number, key in enumerate(keys) if key in baseline.questions]
    rows = values_by_system(systems, dataset)
    judged = judged_by(systems)
    otherwise = {
        name: (baseline.judged_by[name], by) for name, by in judged.items() if baseline.judged_by.get(name, by) != by
    }
    return BaselineComparison(
        file=baseline.file,
        comparisons=tuple(
            comparison
            for system in baseline.systems
            for comparison in _compare(
                system,
                [rows[system][number] for number in shared],
                [baseline.questions[keys[number]].get(system, {}) for number in shared],
                left_out=otherwise,
                seed=dataset.seed,
            )
        ),
        questions=len(shared),
        changed=len(keys) - len(shared),
        settings={
            name: (baseline.settings.get(name), settings.get(name))
            for name in sorted({*baseline.settings, *settings})
            if baseline.settings.get(name) != settings.get(name)
        },
        judged_otherwise=otherwise,
    )


def _compare(
    system: str, now: Sequence[Values], then: Sequence[Values], *, left_out: Container[str], seed: int
) -> Iterator[Comparison]:
    for family in _FAMILIES:
        names = [
            name
            for name in family
            if name not in left_out and all(any(name in row for row in rows) for rows in (now, then))
        ]
        if names:
            differences = compare_rows(now, then, names, seed=seed)
            yield Comparison(system=system, against="baseline", measures=differences)

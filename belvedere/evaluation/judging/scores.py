"""What was judged and what was computed of the replies of one system, each with the name of what it was judged by."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.judging.computed import COMPUTED
from belvedere.evaluation.judging.judge import JUDGED, PROMPTS, JudgedReplies
from belvedere.evaluation.summaries import summarise
from belvedere.evaluation.systems import Reply
from model_clients.chat.messages import TokenUsage

Row = Mapping[str, float]

FAILED = "judge.failed"
"""The share of a judge's verdicts that failed, of all measures together, each call weighing as much as another."""

_NONE = Estimate(value=None, low=None, high=None, n=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """How many verdicts a judge gave about one measure, and why others are none, by their number."""

    given: int
    failed: Mapping[str, int]

    @property
    def failures(self) -> int:
        """How many failed."""
        return sum(self.failed.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Of how many questions a judge was asked about one measure, and how many of these have no value."""

    questions: int = 0
    without_value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScores:
    """Means over questions of what a language model judged; ``judge`` is its name, ``answered_by`` what wrote the
    answers. What has no verdict at all has no value; ``asked`` tells how often that was, by measure, of the questions
    of each type ("" for all). ``failed_share`` is None where nothing was asked.
    """

    judge: str
    answered_by: tuple[str, ...]
    measures: Mapping[str, Estimate]
    by_type: Mapping[str, Mapping[str, Estimate]]
    verdicts: Mapping[str, Verdicts]
    asked: Mapping[str, Mapping[str, Asked]]
    failed_share: float | None
    usage: TokenUsage

    def judged_by(self, measure: str) -> str:
        """Return the judge of a measure with the version of the prompt."""
        return f"llm:{self.judge}, prompt {PROMPTS[measure]}"

    @property
    def judges_itself(self) -> bool:
        """Whether the judge wrote any of the answers."""
        return f"llm:{self.judge}" in self.answered_by


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedScores:
    """Means over questions of what words and vectors tell; ``by`` says of each measure what it is."""

    measures: Mapping[str, Estimate]
    by_type: Mapping[str, Mapping[str, Estimate]]
    by: Mapping[str, str]


def score_judged(judged: JudgedReplies, replies: Sequence[Reply], dataset: Dataset) -> JudgedScores:
    """Summarise what was judged."""
    measures, by_type = _summarised(judged.values, dataset, JUDGED)
    return JudgedScores(
        judge=judged.judge,
        answered_by=tuple(sorted({reply.made_by for reply in replies if not reply.abstained})),
        measures=measures,
        by_type=by_type,
        verdicts={name: Verdicts(given=judged.given[name], failed=judged.failed[name]) for name in JUDGED},
        asked=_asked(judged, dataset),
        failed_share=judged.failed_share,
        usage=judged.usage,
    )


def _asked(judged: JudgedReplies, dataset: Dataset) -> dict[str, dict[str, Asked]]:
    """Count the questions asked about each measure, and those without a value, of each type and ("") of all."""
    asked: Counter[tuple[str, str]] = Counter()
    missing: Counter[tuple[str, str]] = Counter()
    for question, measures, values in zip(dataset.questions, judged.asked, judged.values, strict=True):
        for kind in {"", question.type}:
            asked.update((kind, name) for name in measures)
            missing.update((kind, name) for name in measures if name not in values)
    return {
        kind: {name: Asked(questions=asked[kind, name], without_value=missing[kind, name]) for name in JUDGED}
        for kind in sorted({"", *(question.type for question in dataset.questions)})
    }


def score_computed(rows: Sequence[Row], dataset: Dataset, by: Mapping[str, str]) -> ComputedScores:
    """Summarise what was computed."""
    measures, by_type = _summarised(rows, dataset, COMPUTED)
    return ComputedScores(measures=measures, by_type=by_type, by=by)


def _summarised(
    rows: Sequence[Row], dataset: Dataset, names: Sequence[str]
) -> tuple[dict[str, Estimate], dict[str, dict[str, Estimate]]]:
    """Return means of all of ``names``, over all questions and by type; over no question there is no value."""
    typed = [(question.type, row) for question, row in zip(dataset.questions, rows, strict=True) if row]
    whole, by_type = summarise(typed, names, seed=dataset.seed)
    return _all_named(whole, names), {kind: _all_named(found, names) for kind, found in by_type.items()}


def _all_named(found: Mapping[str, Estimate], names: Sequence[str]) -> dict[str, Estimate]:
    return {name: found.get(name, _NONE) for name in names}

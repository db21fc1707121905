"""Rows of the tables of what was judged and computed: each measure with what stands behind it."""

from dataclasses import dataclass

from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.judging.scores import ComputedScores, JudgedScores


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRow:
    """A measure over all questions, and the cells that tell how it came about."""

    estimate: Estimate
    cells: tuple[str, ...]


def judged_rows(scores: JudgedScores) -> dict[str, MeasureRow]:
    """Return for each measure how many verdicts were given, how many failed and why, and by what it was judged."""
    return {
        name: MeasureRow(
            estimate=estimate,
            cells=(
                str(scores.verdicts[name].given),
                ", ".join(f"{count} {reason}" for reason, count in scores.verdicts[name].failed.items()) or "0",
                scores.judged_by(name),
            ),
        )
        for name, estimate in scores.measures.items()
    }


def computed_rows(scores: ComputedScores) -> dict[str, MeasureRow]:
    """Return for each measure what it is computed of."""
    return {name: MeasureRow(estimate=found, cells=(scores.by[name],)) for name, found in scores.measures.items()}

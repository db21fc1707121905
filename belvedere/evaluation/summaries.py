"""Values of single questions, summarised over all of them and by type."""

from collections.abc import Mapping, Sequence

import numpy as np

from belvedere.evaluation.intervals import Estimate, estimate_means


def summarise(
    typed: Sequence[tuple[str, Mapping[str, float]]], names: Sequence[str], *, seed: int
) -> tuple[dict[str, Estimate], dict[str, dict[str, Estimate]]]:
    """Return means over all questions ((type, values) each), and by type in alphabetical order."""
    by_type: dict[str, list[Mapping[str, float]]] = {}
    for kind, values in typed:
        by_type.setdefault(kind, []).append(values)
    whole = estimates([values for _, values in typed], names, seed=seed)
    return whole, {kind: estimates(by_type[kind], names, seed=seed) for kind in sorted(by_type)}


def estimates(rows: Sequence[Mapping[str, float]], names: Sequence[str], *, seed: int) -> dict[str, Estimate]:
    """Return the mean of each named value over the rows that have it; a value that no row has is left out."""
    names = [name for name in names if not rows or any(name in values for values in rows)]
    table = np.array([[values.get(name, np.nan) for name in names] for values in rows], dtype=np.float64)
    return dict(zip(names, estimate_means(table.reshape(len(rows), len(names)), seed=seed), strict=True))

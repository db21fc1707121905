"""The ranker's pools with some of their columns taken away, to see what the columns are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from query.chain_ranking.arrays import Vector
from query.chain_ranking.ranker import Rounds
from query.chain_ranking.rounds import RoundInput
from query.chain_ranking.training_pools import TrainingPool


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Names of columns of passages and of links, with ``*`` for any characters, that are not to be looked at."""

    passages: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


class NarrowedRounds(Rounds):
    """The rounds over a pool, without the columns that ``dropped`` names; the first round's input is made once."""

    def __init__(self, rounds: Rounds, dropped: Dropped) -> None:
        self._whole = rounds
        self._dropped = dropped
        self._first = self._narrowed(rounds.first())
        self.size = rounds.size

    def first(self) -> RoundInput:
        """Return the input of the first round."""
        return self._first

    def after(self, scores: Vector) -> RoundInput:
        """Return the input of the round after one that gave ``scores``."""
        return self._narrowed(self._whole.after(scores))

    def columns(self, data: RoundInput, link_scores: Vector) -> Mapping[str, Vector]:
        """Return the columns that passages are scored by in one round."""
        return without(self._whole.columns(data, link_scores), self._dropped.passages)

    def _narrowed(self, data: RoundInput) -> RoundInput:
        return replace(data, link_columns=without(data.link_columns, self._dropped.links))


def without(columns: Mapping[str, Vector], patterns: Sequence[str]) -> dict[str, Vector]:
    """Return the columns that no pattern names; a pattern names a column's standing in the pool (``z_``) as well."""
    return {name: column for name, column in columns.items() if not is_named(name, patterns)}


def is_named(name: str, patterns: Sequence[str]) -> bool:
    """Tell whether a pattern names the column."""
    return any(fnmatchcase(name.removeprefix("z_"), pattern) for pattern in patterns)


def narrowed(pools: Sequence[TrainingPool], dropped: Dropped) -> list[TrainingPool]:
    """Return the pools without the columns that ``dropped`` names."""
    return [replace(pool, rounds=NarrowedRounds(pool.rounds, dropped)) for pool in pools]

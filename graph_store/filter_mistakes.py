"""What is wrong with a filter, in sentences that say how to mend it."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from graph_store.errors import IncomparableValue, TooManyConditions, UnknownMetadataKey
from graph_store.filters import Filters, MetadataFilter, is_date
from graph_store.numbers import read_number

EXACT = frozenset({"=", "!=", "in"})
"""The operators that tell whether values are the same."""

MOST_CONDITIONS = 100
MOST_VALUES = 5_000
"""What the databases of all backends take, with much to spare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Which kinds of values a key has in the documents that the caller may read."""

    number: bool
    date: bool
    text: bool

    def described(self) -> str:
        """Return the kinds in words."""
        kinds = {"numbers": self.number, "dates such as 2023-05-01": self.date, "text": self.text}
        return " and ".join(name for name, held in kinds.items() if held)

    def comparable(self, value: str, *, exactly: bool) -> bool:
        """Tell whether ``value`` is of one of the kinds; only a comparison for equality compares it as text."""
        number, date = read_number(value) is not None, is_date(value)
        if (self.number and number) or (self.date and date) or not (self.number or self.date or self.text):
            return True
        return self.text and (exactly or not (number or date))


def check_count(filters: Filters) -> None:
    """Raise ``TooManyConditions`` for more conditions, or more values in them, than a search takes."""
    values = sum(len(item.values) for item in filters if isinstance(item, MetadataFilter))
    if len(filters) > MOST_CONDITIONS:
        raise TooManyConditions(
            f"{len(filters):,} filters are too many, {MOST_CONDITIONS} are allowed: list the values of a key with"
            " 'key in value,value'"
        )
    if values > MOST_VALUES:
        raise TooManyConditions(
            f"filters with {values:,} values are too many, {MOST_VALUES:,} are allowed: ask with fewer values at a time"
        )


def check_values(condition: MetadataFilter, kinds: Kinds) -> None:
    """Raise ``IncomparableValue`` for a value that none of the kinds can be compared with."""
    for value in condition.values:
        value.encode("utf-8")  # what is no Unicode is told apart from a value of another kind
        if not kinds.comparable(value, exactly=condition.operator in EXACT):
            raise IncomparableValue(
                f"cannot compare {condition.key!r} with {value!r}: the documents have {kinds.described()} there"
            )


def unknown_key(key: str, known: Sequence[str]) -> UnknownMetadataKey:
    """Return the error for a key that no readable document has; ``known`` are those that they have, sorted."""
    if not known:
        return UnknownMetadataKey(f"no document has the metadata key {key!r}; the documents have no metadata at all")
    near = get_close_matches(key, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return UnknownMetadataKey(f"no document has the metadata key {key!r}; {hint}known keys: {', '.join(known)}")

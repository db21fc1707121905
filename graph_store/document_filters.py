"""Which documents pass the conditions of a search, for backends that cannot decide it within a query."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import TypeVar

from graph_store.filter_mistakes import Kinds, check_values, unknown_key
from graph_store.filters import FilterOperator, MetadataFilter, is_date
from graph_store.metadata_values import ComparableValue, comparable_values
from graph_store.numbers import read_number
from graph_store.records import Metadata
from graph_store.version_circles import find_circles

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}")
_Ordered = TypeVar("_Ordered", int | float, str)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCard:
    """What filters look at in a document."""

    id: str
    metadata: Metadata
    effective_from: str | None = None
    effective_to: str | None = None


def passing_cards(cards: Sequence[DocumentCard], conditions: Iterable[MetadataFilter]) -> list[DocumentCard]:
    """Return the cards that pass all conditions; ``cards`` are those of all documents that the caller may read.

    Raises ``UnknownMetadataKey`` and ``IncomparableValue`` as ``GraphStore.filtered_documents`` does.
    """
    left = list(cards)
    for condition in conditions:
        _check(cards, condition)
        negated = condition.operator == "!="
        left = [card for card in left if _has_match(card, condition) != negated]
    return left


def _check(cards: Sequence[DocumentCard], condition: MetadataFilter) -> None:
    values = [
        value
        for card in cards
        if condition.key in card.metadata
        for value in comparable_values(card.metadata[condition.key])
    ]
    if not values:
        raise unknown_key(condition.key, sorted({key for card in cards for key in card.metadata}))
    texts = [text for number, text in values if number is None and text is not None]
    kinds = Kinds(
        number=any(number is not None for number, _ in values),
        date=any(_looks_like_date(text) for text in texts),
        text=any(not _looks_like_date(text) for text in texts),
    )
    check_values(condition, kinds)


def _looks_like_date(text: str) -> bool:
    return _DATE.match(text) is not None


def _has_match(card: DocumentCard, condition: MetadataFilter) -> bool:
    if condition.key not in card.metadata:
        return False
    held = comparable_values(card.metadata[condition.key])
    return any(_holds(value, condition.operator, wanted) for value in held for wanted in condition.values)


def _holds(value: ComparableValue, operator: FilterOperator, wanted: str) -> bool:
    """Compare a value with one of its kind: number, date as far as it is written, text."""
    number, text = value
    wanted_number = read_number(wanted)
    if number is not None and wanted_number is not None:
        return _compare(number, operator, wanted_number)
    if text is None:
        return False
    if _looks_like_date(text) and is_date(wanted):
        return _compare(text[: len(wanted)], operator, wanted)
    if operator in {"=", "!=", "in"}:
        return text == wanted
    only_text = number is None and wanted_number is None and not is_date(wanted) and not _looks_like_date(text)
    return only_text and _compare(text, operator, wanted)


def _compare(held: _Ordered, operator: FilterOperator, wanted: _Ordered) -> bool:
    comparisons = {"<": lt, "<=": le, ">": gt, ">=": ge}
    return bool(comparisons.get(operator, eq)(held, wanted))


def is_effective(effective_from: str | None, effective_to: str | None, day: str | None) -> bool:
    """Tell whether a document holds on a day; dates compare as far as they are written, all hold on no day."""
    if day is None:
        return True
    first = None if effective_from is None else effective_from[:10]
    last = None if effective_to is None else effective_to[:10]
    return (first is None or first <= day) and (last is None or last >= day[: len(last)])


def superseded(older: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the documents that others supersede, given (newer, older) pairs; a circle hides nothing of itself."""
    links: defaultdict[str, set[str]] = defaultdict(set)
    for newer, document in older:
        links[newer].add(document)
    known: Mapping[str, set[str]] = dict(links)
    circles = find_circles(known)
    return frozenset(
        document for newer, documents in known.items() for document in documents if circles[newer] != circles[document]
    )

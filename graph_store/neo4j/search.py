"""Searching chunks, reports and tree nodes by the server's own indexes, within access and filters.

A search over an index asks for more than is wanted, since some of what comes back may be hidden, filtered out or of an
old generation; where too little is left it asks for more still, and in the end looks at every record, so that fewer
than ``k`` come back only where there are no more. Searches that are asked for together are sent in one statement, and
so are those of them that must ask for more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from graph_store.bundles import FloatVector
from graph_store.errors import InvalidRecord
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.filtering import Passing
from graph_store.neo4j.names import LABEL_OF
from graph_store.neo4j.scope import Scope, readable
from graph_store.neo4j.slots import Slot
from graph_store.records import Hit, SearchKind

_DECIMALS = 6  # equal vectors may differ in the last bits of their cosines; ties must not


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Who searches what: the scope, the kind, how many, and which documents may be below a result."""

    scope: Scope
    kind: SearchKind
    k: int
    passing: Passing

    @property
    def is_hopeless(self) -> bool:
        """Whether nothing can be found, whatever is searched for."""
        return self.k <= 0 or self.passing.included == frozenset()

    @property
    def parameters(self) -> dict[str, Any]:
        """What ``allowed`` refers to, beside the parameters of the scope."""
        included = None if self.passing.included is None else sorted(self.passing.included)
        return {"included": included, "excluded": sorted(self.passing.excluded)}

    def allowed(self, node: str, own: str) -> str:
        """Return the condition that ``node`` of a query may be found; ``own`` is the parameter with ``parameters``."""
        conditions = [f"{node}:{LABEL_OF[self.kind]}", readable(node)]
        if self.kind != "chunk":
            conditions.append(f"{node}.generation = $generation")
        documents = f"{node}.document_ids" if self.kind != "chunk" else f"[{node}.document_id]"
        if self.passing.included is not None:
            conditions.append(f"all(id IN {documents} WHERE id IN ${own}.included)")
        if self.passing.excluded:
            conditions.append(f"none(id IN {documents} WHERE id IN ${own}.excluded)")
        return " AND ".join(conditions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came for one place: the hits that pass, the lowest score of all that came, and how many came."""

    hits: Sequence[Hit] = ()
    least: float = 0.0
    found: int = 0


NOTHING = Answer()


class Asking(Protocol):
    """One search, or several of one sort, on the way: a branch of a statement, asked again until nothing is missing."""

    @property
    def is_done(self) -> bool:
        """Whether nothing more is to be asked."""
        ...

    def branch(self, own: str) -> tuple[str, dict[str, Any]]:
        """Return a query with the columns place, hits ([id, score] each), least and found, and the map ``$own``.

        Hits are best first, ties by id; a place without any may have no row.
        """
        ...

    def take(self, answers: Mapping[str, Answer]) -> None:
        """Take what came, by place."""
        ...

    def hits(self) -> Mapping[int, tuple[Hit, ...]]:
        """Return the hits of each search by its number."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """A query that is sent along with searches: its columns and parameters, and what takes its rows, as maps."""

    query: str
    columns: Sequence[str]
    parameters: Mapping[str, Any]
    take: Callable[[Sequence[Mapping[str, Any]]], None]


def as_map(columns: Sequence[str]) -> str:
    """Return the expression of a map of columns."""
    return f"{{{', '.join(f'{column}: {column}' for column in columns)}}}"


def run_searches(
    transaction: Transaction,
    scope: Scope,
    asked: Sequence[Asking],
    *,
    asides: Sequence[Aside] = (),
    language: str = "",
) -> dict[int, tuple[Hit, ...]]:
    """Ask until all are done, in one statement each time; return the hits of each search by its number.

    The first statement reads ``asides`` as well; they are not read where there is nothing to search for. ``language``
    is the version of Cypher that the branches are written in, such as "CYPHER 25".
    """
    while waiting := [asking for asking in asked if not asking.is_done]:
        branches = [asking.branch(f"p{number}") for number, asking in enumerate(waiting)]
        query = " UNION ALL ".join(text for text, _ in branches)
        parameters = {f"p{number}": values for number, (_, values) in enumerate(branches)}
        found = _with_asides(transaction, f"{language} ", query, asides, **parameters, **scope.parameters)
        asides = ()
        answers = {
            place: Answer(hits=[Hit(id=key, score=score) for key, score in hits], least=least, found=count)
            for place, hits, least, count in found
        }
        for asking in waiting:
            asking.take(answers)
    return {number: hits for asking in asked for number, hits in asking.hits().items()}


def _with_asides(
    transaction: Transaction, language: str, query: str, asides: Sequence[Aside], **parameters: object
) -> list[list[Any]]:
    """Return the rows of searches; those of ``asides`` go to them."""
    if not asides:
        return [row.values() for row in transaction.rows(language + query, **parameters)]
    parts = [f"CALL () {{ {query} }} RETURN place, hits, least, found, null AS number, null AS aside"]
    for number, aside in enumerate(asides):
        parts.append(
            f"CALL () {{ {aside.query} }} RETURN null AS place, null AS hits, null AS least, null AS found,"
            f" {number} AS number, {as_map(aside.columns)} AS aside"
        )
        parameters.update(aside.parameters)
    rows = transaction.rows(language + " UNION ALL ".join(parts), **parameters)
    for number, aside in enumerate(asides):
        aside.take([row["aside"] for row in rows if row["number"] == number])
    return [row.values()[:4] for row in rows if row["number"] is None]


def cosine_with(node: str, vector: str, slot: Slot) -> str:
    """Return the expression of the cosine of a node and a vector."""
    return cosine_of(f"vector.similarity.cosine({node}.{slot.embedding}, {vector})")


def cosine_of(score: str) -> str:
    """Return the expression of the cosine that Neo4j gives on a scale from 0 to 1; the indexes do not quantise."""
    return f"round(2.0 * {score} - 1.0, {_DECIMALS})"


def cosines(
    transaction: Transaction, scope: Scope, vector: FloatVector, chunk_ids: Sequence[str], *, slot: Slot
) -> dict[str, float]:
    """Return chunk id -> cosine for the readable chunks among those asked for, in the order asked."""
    score = cosine_with("c", "$vector", slot) if vector.any() else "0.0"
    found = transaction.rows(
        f"MATCH (c:Chunk {{tenant: $tenant}}) WHERE c.id IN $ids AND {readable('c')} RETURN c.id, {score}",
        ids=list(chunk_ids),
        vector=vector.astype(np.float64).tolist(),
        **scope.parameters,
    )
    scores = {row[0]: row[1] for row in found}
    return {chunk_id: scores[chunk_id] for chunk_id in dict.fromkeys(chunk_ids) if chunk_id in scores}


def checked(vector: FloatVector, dimension: int) -> FloatVector:
    """Return a vector that may be searched for; raises ``InvalidRecord``."""
    if vector.shape != (dimension,):
        raise InvalidRecord(f"the vector has shape {vector.shape}, the store holds {(dimension,)}")
    if not np.isfinite(vector).all():
        raise InvalidRecord("the vector has components that are not finite")
    return vector.astype(np.float32)

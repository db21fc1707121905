"""Searching by vectors: through the server's index, or where that would find too little, by looking at every record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_store.bundles import FloatVector
from graph_store.neo4j.names import INSIDE, LABEL_OF
from graph_store.neo4j.search import NOTHING, Answer, SearchRequest, cosine_of, cosine_with
from graph_store.neo4j.slots import Slot
from graph_store.records import Hit
from graph_store.settings import Neo4jSettings

_LEAST_ASKED = 160
_OVERSAMPLING = 4
_LARGEST_LIMIT = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedVector:
    """A vector to be searched for, with the number of its search."""

    number: int
    vector: FloatVector


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """How many records of a kind a tenant has, and how many there are of all tenants; old generations count."""

    own: int = 0
    all: int = 0


class VectorAsking:
    """Searches by cosine of one kind, number and filter (see ``Asking``).

    The index is asked where it is worth it: where the tenant has more records of the kind than would be asked for, and
    is not a small part of what the index holds, unless the index can be asked for one tenant (``by_tenant``).
    """

    def __init__(
        self,
        request: SearchRequest,
        wanted: Sequence[WantedVector],
        *,
        slot: Slot,
        records: Records,
        by_tenant: bool,
        settings: Neo4jSettings,
    ) -> None:
        self._request = request
        self._slot = slot
        self._wanted = () if request.is_hopeless else tuple(wanted)
        self._numbers = tuple(item.number for item in wanted)
        self._asked = max(_OVERSAMPLING * request.k, _LEAST_ASKED)
        self._by_tenant = by_tenant
        reached = by_tenant or records.own > settings.exact_rows or _OVERSAMPLING * records.own >= records.all
        self._by_index = records.own > self._asked and reached and all(item.vector.any() for item in wanted)
        self._most = settings.most_candidates
        self._found: dict[int, tuple[Hit, ...]] = {}

    @property
    def is_done(self) -> bool:
        """Whether all hits are there."""
        return not self._wanted

    def branch(self, own: str) -> tuple[str, dict[str, Any]]:
        """Return the query for the nearest that the index knows, or for the nearest of all."""
        values = {
            "k": min(self._request.k, _LARGEST_LIMIT),
            "wanted": [
                {"place": str(item.number), "vector": item.vector.astype(np.float64).tolist()} for item in self._wanted
            ],
            **self._request.parameters,
        }
        if not self._is_by_index:
            return self._exactly(own), values
        index = self._slot.indexes[self._request.kind]
        return self._nearest(own), {"index": index, "asked": self._asked, **values}

    @property
    def _is_by_index(self) -> bool:
        return self._by_index and self._asked <= self._most

    def _nearest(self, own: str) -> str:
        kind = self._request.kind
        found = f"CALL db.index.vector.queryNodes(${own}.index, ${own}.asked, s.vector) YIELD node AS n, score AS near"
        if self._by_tenant:
            inside = " AND ".join(f"n.{key} = ${key}" for key in INSIDE[kind])
            found = (
                f"MATCH (n:{LABEL_OF[kind]}) SEARCH n IN (VECTOR INDEX {self._slot.indexes[kind]} FOR s.vector"
                f" WHERE {inside} LIMIT ${own}.asked) SCORE AS near"
            )
        return (
            f"UNWIND ${own}.wanted AS s {found} WITH s, n, near WHERE {self._request.allowed('n', own)}"
            f" WITH s.place AS place, n.id AS id, {cosine_of('near')} AS score ORDER BY score DESC, id"
            f" RETURN place, collect([id, score])[..${own}.k] AS hits, min(score) AS least, count(*) AS found"
        )

    def _exactly(self, own: str) -> str:
        # Neo4j has no cosine with a vector of length 0.
        score = cosine_with("n", "s.vector", self._slot) if self._wanted[0].vector.any() else "0.0"
        return (
            f"UNWIND ${own}.wanted AS s CALL (s) {{ MATCH (n:{LABEL_OF[self._request.kind]} {{tenant: $tenant}})"
            f" WHERE {self._request.allowed('n', own)} RETURN n.id AS id, {score} AS score"
            f" ORDER BY score DESC, id LIMIT ${own}.k }}"
            " RETURN s.place AS place, collect([id, score]) AS hits, min(score) AS least, count(*) AS found"
        )

    def take(self, answers: Mapping[str, Answer]) -> None:
        """Take hits; ask for more of those of which too few pass, or whose tie may go on beyond the last."""
        came = {item.number: answers.get(str(item.number), NOTHING) for item in self._wanted}
        left = {number for number, answer in came.items() if self._is_by_index and not self._is_enough(answer)}
        self._found.update({number: tuple(answer.hits) for number, answer in came.items() if number not in left})
        self._wanted = tuple(item for item in self._wanted if item.number in left)
        self._asked *= _OVERSAMPLING

    def _is_enough(self, answer: Answer) -> bool:
        k = self._request.k
        return answer.found > k and answer.hits[k - 1].score > answer.least

    def hits(self) -> Mapping[int, tuple[Hit, ...]]:
        """Return the best hits of each search."""
        return {number: self._found.get(number, ()) for number in self._numbers}

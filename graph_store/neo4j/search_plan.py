"""Which searches go together: those by vector that differ in the vector alone are one branch of a statement."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as AnyCollection

from graph_store.filters import Filters
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.filtering import Passing
from graph_store.neo4j.keyword_search import KeywordAsking
from graph_store.neo4j.names import LABEL_OF
from graph_store.neo4j.scope import Scope
from graph_store.neo4j.search import Asking, SearchRequest
from graph_store.neo4j.slots import Slot
from graph_store.neo4j.vector_search import Records, VectorAsking, WantedVector
from graph_store.records import SearchKind
from graph_store.searches import KeywordSearch, Search
from graph_store.settings import Neo4jSettings


def count_kinds(transaction: Transaction, scope: Scope) -> dict[SearchKind, Records]:
    """Return how many records of each kind there are."""
    parts = (
        f"CALL () {{ MATCH (n:{label} {{tenant: $tenant}}) RETURN count(n) AS own }}"
        f" CALL () {{ MATCH (n:{label}) RETURN count(n) AS total }} RETURN '{kind}' AS kind, own, total"
        for kind, label in LABEL_OF.items()
    )
    found = transaction.rows(" UNION ALL ".join(parts), tenant=scope.tenant)
    return {kind: Records(own=own, all=total) for kind, own, total in found}


class SearchPlan:
    """Turns searches in one scope into what is asked of the server."""

    def __init__(
        self,
        scope: Scope,
        *,
        slot: Slot,
        records: Callable[[], Mapping[SearchKind, Records]],
        passing: Callable[[Filters], Passing],
        by_tenant: AnyCollection[SearchKind],
        settings: Neo4jSettings,
    ) -> None:
        self._scope = scope
        self._slot = slot
        self._records = records
        self._passing = passing
        self._by_tenant = by_tenant
        self._settings = settings

    def askings(self, searches: Sequence[Search]) -> list[Asking]:
        """Return what is to be asked; the number of a search is its place among ``searches``."""
        askings: list[Asking] = []
        alike: dict[tuple[SearchKind, int, Filters, bool], list[WantedVector]] = {}
        for number, search in enumerate(searches):
            if isinstance(search, KeywordSearch):
                request = self._request(search.kind, search.k, search.filters)
                askings.append(KeywordAsking(number, request, search.text, self._settings))
            else:
                key = (search.kind, search.k, search.filters, bool(search.vector.any()))
                alike.setdefault(key, []).append(WantedVector(number=number, vector=search.vector))
        for (kind, k, filters, _), wanted in alike.items():
            request = self._request(kind, k, filters)
            askings.append(
                VectorAsking(
                    request,
                    wanted,
                    slot=self._slot,
                    records=self._records()[kind],
                    by_tenant=kind in self._by_tenant,
                    settings=self._settings,
                )
            )
        return askings

    def _request(self, kind: SearchKind, k: int, filters: Filters) -> SearchRequest:
        return SearchRequest(scope=self._scope, kind=kind, k=k, passing=self._passing(filters))

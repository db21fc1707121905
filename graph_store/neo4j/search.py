"""Searching chunks, reports and tree nodes by the server's own indexes, within access and filters.

A search over an index asks for more than is wanted, since some of what comes back may be hidden, filtered out or of an
old generation; where too little is left it asks for more still, and in the end looks at every record, so that fewer
than ``k`` come back only where there are no more.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_store.bundles import FloatVector
from graph_store.errors import InvalidRecord
from graph_store.keyword_analysis import question_terms
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.filtering import Passing
from graph_store.neo4j.names import LABEL_OF, TERMS_OF, VECTOR_INDEX_OF, text_index
from graph_store.neo4j.scope import Scope, readable
from graph_store.records import Hit, SearchKind
from graph_store.settings import Neo4jSettings

_DECIMALS = 6  # equal vectors may differ in the last bits of their cosines; ties must not
_SPARE_HITS = 16
_OVERSAMPLING = 4
_TOKENS_AT_ONCE = 900  # Lucene takes 1,024 clauses
# Lucene leaves out the factor k1 + 1 of BM25, which changes no order; with it both backends give the same scores.
_BM25_FACTOR = 2.2
_FREQUENT = 1_000  # documents with a term; how many more there are makes no difference to which terms are rare


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Who searches what: the scope, the kind, how many, and which documents may be below a result."""

    scope: Scope
    kind: SearchKind
    k: int
    passing: Passing

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that ``allowed`` refers to."""
        included = None if self.passing.included is None else sorted(self.passing.included)
        return {**self.scope.parameters, "included": included, "excluded": sorted(self.passing.excluded)}

    def allowed(self, name: str) -> str:
        """Return the condition that the node ``name`` of a query may be found."""
        conditions = [f"{name}:{LABEL_OF[self.kind]}", readable(name)]
        if self.kind != "chunk":
            conditions.append(f"{name}.generation = $generation")
        documents = f"{name}.document_ids" if self.kind != "chunk" else f"[{name}.document_id]"
        if self.passing.included is not None:
            conditions.append(f"all(id IN {documents} WHERE id IN $included)")
        if self.passing.excluded:
            conditions.append(f"none(id IN {documents} WHERE id IN $excluded)")
        return " AND ".join(conditions)


def by_vector(
    transaction: Transaction, request: SearchRequest, vector: FloatVector, *, settings: Neo4jSettings
) -> tuple[Hit, ...]:
    """Return hits by cosine, best first, ties by id."""
    if request.k <= 0 or request.passing.included == frozenset():
        return ()
    (found,) = transaction.rows(
        f"MATCH (n:{LABEL_OF[request.kind]} {{tenant: $tenant}}) RETURN count(n)", tenant=request.scope.tenant
    )
    total: int = found.value()
    k = min(request.k, total)
    if k == 0:
        return ()
    asked = max(_OVERSAMPLING * k, 10 * _SPARE_HITS)
    while total > settings.exact_rows and asked <= settings.most_candidates and vector.any():
        hits = _nearest(transaction, request, vector, asked)
        if len(hits) > k and hits[k - 1].score > hits[-1].score:  # else a tie, broken by id, may go on beyond the last
            return tuple(hits[:k])
        asked *= _OVERSAMPLING
    return tuple(_exactly(transaction, request, vector, k))


def _nearest(transaction: Transaction, request: SearchRequest, vector: FloatVector, asked: int) -> list[Hit]:
    found = transaction.rows(
        "CALL db.index.vector.queryNodes($index, $asked, $vector) YIELD node AS n"
        f" WHERE {request.allowed('n')} RETURN n.id AS id, {_cosine('n')} AS score ORDER BY score DESC, id",
        index=VECTOR_INDEX_OF[request.kind],
        asked=asked,
        vector=vector.astype(np.float64).tolist(),
        **request.parameters,
    )
    return [Hit(id=row[0], score=row[1]) for row in found]


def _exactly(transaction: Transaction, request: SearchRequest, vector: FloatVector, k: int) -> list[Hit]:
    score = _cosine("n") if vector.any() else "0.0"
    found = transaction.rows(
        f"MATCH (n:{LABEL_OF[request.kind]} {{tenant: $tenant}}) WHERE {request.allowed('n')}"
        f" RETURN n.id AS id, {score} AS score ORDER BY score DESC, id LIMIT $k",
        vector=vector.astype(np.float64).tolist(),
        k=k,
        **request.parameters,
    )
    return [Hit(id=row[0], score=row[1]) for row in found]


def _cosine(name: str) -> str:
    """Return the expression of the cosine; Neo4j gives it on a scale from 0 to 1."""
    return f"round(2.0 * vector.similarity.cosine({name}.embedding, $vector) - 1.0, {_DECIMALS})"


def cosines(transaction: Transaction, scope: Scope, vector: FloatVector, chunk_ids: Sequence[str]) -> dict[str, float]:
    """Return chunk id -> cosine for the readable chunks among those asked for, in the order asked."""
    score = _cosine("c") if vector.any() else "0.0"
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


def by_keywords(
    transaction: Transaction, request: SearchRequest, text: str, *, settings: Neo4jSettings
) -> tuple[Hit, ...]:
    """Return hits by BM25 score, best first, ties by id."""
    terms = question_terms(text)
    if not terms or request.k <= 0 or request.passing.included == frozenset():
        return ()
    if len(terms) > settings.keyword_terms:
        terms = _rarest(transaction, request, terms, settings.keyword_terms)
    if not terms:
        return ()
    hits: dict[str, float] = {}
    for tokens in _slices(request.scope.tokens or ()):
        for hit in _matching(transaction, request, _lucene(request.kind, terms, tokens)):
            hits[hit.id] = max(hit.score, hits.get(hit.id, 0.0))
    ranked = sorted((Hit(id=key, score=score) for key, score in hits.items()), key=lambda hit: (-hit.score, hit.id))
    return tuple(ranked[: request.k])


def _slices(tokens: Sequence[str]) -> Iterable[Sequence[str]]:
    yield tokens[:_TOKENS_AT_ONCE]
    for start in range(_TOKENS_AT_ONCE, len(tokens), _TOKENS_AT_ONCE):
        yield tokens[start : start + _TOKENS_AT_ONCE]


def _lucene(kind: SearchKind, terms: Sequence[str], tokens: Sequence[str]) -> str:
    """Return the query for the index: terms and tokens are of letters and digits, in lower case, so none is syntax."""
    words = f"+{TERMS_OF[kind]}:({' '.join(terms)})"
    return f"{words} +acl:({' '.join(tokens)})^0" if tokens else words


def _matching(transaction: Transaction, request: SearchRequest, query: str) -> list[Hit]:
    """Return the best hits that pass: at least ``k`` where as many match, and all that tie with the last."""

    def ask(limit: int) -> tuple[list[Hit], bool]:
        found = transaction.rows(
            "CALL db.index.fulltext.queryNodes($index, $wanted, {limit: $limit}) YIELD node AS n, score"
            f" RETURN n.id, score, {request.allowed('n')}",
            index=text_index(request.scope.tenant),
            wanted=query,
            limit=limit,
            **request.parameters,
        )
        hits = [Hit(id=row[0], score=row[1] * _BM25_FACTOR) for row in found if row[2]]
        return hits, len(found) < limit

    return _growing(ask, request.k)


def _growing(ask: Callable[[int], tuple[list[Hit], bool]], k: int) -> list[Hit]:
    limit = min(k, 2**31 // 8) + _SPARE_HITS
    while True:
        hits, is_all = ask(limit)
        if is_all or (len(hits) > k and hits[-1].score < hits[k - 1].score):
            return hits
        limit *= _OVERSAMPLING  # too few pass, or the cut would go through a tie, which must be broken by id


def _rarest(transaction: Transaction, request: SearchRequest, terms: Sequence[str], most: int) -> list[str]:
    """Return the rarest of the terms that occur, at most ``most``."""
    found = transaction.rows(
        "UNWIND $terms AS term CALL db.index.fulltext.queryNodes($index, $field + term, {limit: $limit}) YIELD score"
        " RETURN term, count(score)",
        terms=list(terms),
        index=text_index(request.scope.tenant),
        field=f"{TERMS_OF[request.kind]}:",
        limit=_FREQUENT,
    )
    frequencies = {row[0]: row[1] for row in found}
    return sorted(frequencies, key=lambda term: (frequencies[term], term))[:most]

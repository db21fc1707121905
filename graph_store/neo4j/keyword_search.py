"""Searching a tenant's full-text index."""

from collections.abc import Mapping, Sequence
from typing import Any

from graph_store.keyword_analysis import question_terms
from graph_store.neo4j.names import TERMS_OF, text_index
from graph_store.neo4j.search import NOTHING, Answer, SearchRequest
from graph_store.records import Hit
from graph_store.settings import Neo4jSettings

_SPARE_HITS = 16
_OVERSAMPLING = 4
_LARGEST_LIMIT = 2**31 // 8
_TOKENS_AT_ONCE = 900  # Lucene takes 1,024 clauses
# Lucene leaves out the factor k1 + 1 of BM25, which changes no order; with it both backends give the same scores.
_BM25_FACTOR = 2.2
_FREQUENT = 1_000  # documents with a term; how many more there are makes no difference to which terms are rare


class KeywordAsking:
    """One search by BM25 (see ``Asking``). Of a long text the rarest terms are found out first."""

    def __init__(self, number: int, request: SearchRequest, text: str, settings: Neo4jSettings) -> None:
        self._number = number
        self._request = request
        self._terms: Sequence[str] = () if request.is_hopeless else question_terms(text)
        self._most_terms = settings.keyword_terms
        self._limit = min(request.k, _LARGEST_LIMIT) + _SPARE_HITS
        self._slices = _slices(request.scope.tokens or ())
        self._best: dict[str, float] = {}
        self._found_all = False

    @property
    def is_done(self) -> bool:
        """Whether all hits are there."""
        return self._found_all or not self._terms

    def branch(self, own: str) -> tuple[str, dict[str, Any]]:
        """Return the query for the rarest terms, or for hits."""
        index = text_index(self._request.scope.tenant)
        if len(self._terms) > self._most_terms:
            values = {"terms": list(self._terms), "place": self._place(0), "field": f"{TERMS_OF[self._request.kind]}:"}
            return (
                f"UNWIND ${own}.terms AS term CALL db.index.fulltext.queryNodes(${own}.index, ${own}.field + term,"
                f" {{limit: {_FREQUENT}}}) YIELD score WITH term, count(score) AS number RETURN ${own}.place AS place,"
                " collect([term, toFloat(number)]) AS hits, 0.0 AS least, count(*) AS found",
                {"index": index, **values},
            )
        texts = [self._lucene(tokens) for tokens in self._slices]
        wanted = [{"place": self._place(part), "text": text} for part, text in enumerate(texts)]
        return (
            f"UNWIND ${own}.wanted AS s CALL db.index.fulltext.queryNodes(${own}.index, s.text,"
            f" {{limit: ${own}.limit}}) YIELD node AS n, score WITH s.place AS place, n.id AS id, score,"
            f" {self._request.allowed('n', own)} AS passes ORDER BY score DESC, id"
            " RETURN place, collect(CASE WHEN passes THEN [id, score] END) AS hits, min(score) AS least,"
            " count(*) AS found",
            {"index": index, "limit": self._limit, "wanted": wanted, **self._request.parameters},
        )

    def take(self, answers: Mapping[str, Answer]) -> None:
        """Take terms or hits; ask for more where too few pass, or where a tie may go on beyond the last."""
        if len(self._terms) > self._most_terms:
            known = sorted(answers.get(self._place(0), NOTHING).hits, key=lambda term: (term.score, term.id))
            self._terms = [term.id for term in known[: self._most_terms]]
            return
        came = [answers.get(self._place(part), NOTHING) for part in range(len(self._slices))]
        for hit in (hit for answer in came for hit in answer.hits):
            self._best[hit.id] = max(hit.score * _BM25_FACTOR, self._best.get(hit.id, 0.0))
        self._found_all = all(self._is_enough(answer) for answer in came)
        self._limit *= _OVERSAMPLING

    def hits(self) -> Mapping[int, tuple[Hit, ...]]:
        """Return the best hits."""
        ranked = sorted((Hit(id=key, score=score) for key, score in self._best.items()), key=_order)
        return {self._number: tuple(ranked[: max(self._request.k, 0)])}

    def _is_enough(self, answer: Answer) -> bool:
        k, hits = self._request.k, answer.hits
        return answer.found < self._limit or (len(hits) > k and hits[-1].score < hits[k - 1].score)

    def _place(self, part: int) -> str:
        return f"{self._number}/{part}"

    def _lucene(self, tokens: Sequence[str]) -> str:
        """Return the text for the index: terms and tokens are letters and digits in lower case, so none is syntax."""
        words = f"+{TERMS_OF[self._request.kind]}:({' '.join(self._terms)})"
        return f"{words} +acl:({' '.join(tokens)})^0" if tokens else words


def _order(hit: Hit) -> tuple[float, str]:
    return (-hit.score, hit.id)


def _slices(tokens: Sequence[str]) -> list[Sequence[str]]:
    starts = range(0, max(len(tokens), 1), _TOKENS_AT_ONCE)
    return [tokens[start : start + _TOKENS_AT_ONCE] for start in starts]

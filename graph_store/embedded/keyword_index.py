"""One BM25 index (tantivy; k1 1.2, b 0.75) over the texts of one kind and tenant.

An index of its own for each tenant and kind keeps their word statistics apart, so no score tells of another tenant's
texts. Records are known by their row numbers. A sentinel document carries the sequence that the index has reached; it
is replaced in the commit that reaches it, so both are on the disk or neither.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from graph_store.keyword_analysis import analyzer, question_terms, spread_unspaced

if TYPE_CHECKING:
    from tantivy import Document, Query, Schema, Searcher

_ANALYZER = "belvedere"
_SPARE_HITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordText:
    """A text to index, with what filters look at. ``document`` is 0 for reports and tree nodes."""

    row: int
    audience: int
    document: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Which records may be found: members of ``audiences``, of ``documents`` and of ``rows``; None allows all."""

    audiences: Sequence[int] | None = None
    documents: Sequence[int] | None = None
    rows: Sequence[int] | None = None


@cache
def _schema() -> "Schema":
    from tantivy import SchemaBuilder  # noqa: PLC0415  # heavy import, only when used

    builder = SchemaBuilder()
    # Signed on purpose: deleting by a term of an unsigned field deletes nothing.
    for name in ("row", "audience", "document", "sequence", "dead"):
        builder.add_integer_field(name, indexed=True, fast=True)
    builder.add_text_field("text", tokenizer_name=_ANALYZER, index_option="freq")
    return builder.build()


class KeywordIndex:
    """An index in a folder, or in memory where ``folder`` is None. Raises ``ValueError`` or ``OSError`` if unreadable.

    Any number of threads may search; ``reload`` and ``apply`` are called by one at a time.
    """

    def __init__(self, folder: Path | None, *, memory_bytes: int) -> None:
        from tantivy import Index  # noqa: PLC0415  # heavy import, only when used

        self._memory_bytes = memory_bytes
        self._index: Index = Index(_schema()) if folder is None else Index(_schema(), path=str(folder))
        self._index.register_tokenizer(_ANALYZER, analyzer())
        self._index.config_reader(reload_policy="manual")
        self.reload()

    def reload(self) -> None:
        """See what was committed since."""
        self._index.reload()
        self._searcher: Searcher = self._index.searcher()
        self.sequence, self.dead = self._read_sentinel()

    def _read_sentinel(self) -> tuple[int | None, int]:
        from tantivy import Query  # noqa: PLC0415  # heavy import, only when used

        found = self._searcher.search(Query.exists_query("sequence"), 1, count=False).hits
        if not found:
            return None, 0
        places = [place for _, place in found]
        sequence = self._searcher.fast_field_values("sequence", places)[0]
        dead = self._searcher.fast_field_values("dead", places)[0]
        assert sequence is not None
        assert dead is not None
        return int(sequence), int(dead)

    @property
    def size(self) -> int:
        """The number of texts."""
        return max(self._searcher.num_docs - 1, 0)

    def rows(self) -> list[int]:
        """Return the row numbers of all texts, ascending; one that stands there twice comes twice."""
        from tantivy import Query  # noqa: PLC0415  # heavy import, only when used

        found = self._searcher.search(Query.all_query(), self._searcher.num_docs + 1, count=False).hits
        rows = self._searcher.fast_field_values("row", [place for _, place in found])
        return sorted(int(row) for row in rows if row is not None)  # the sentinel has none

    def count_rows(self, rows: Sequence[int]) -> int:
        """Return how many texts the index has of ``rows``."""
        from tantivy import Query  # noqa: PLC0415  # heavy import, only when used

        if not rows:
            return 0
        query = Query.term_set_query(_schema(), "row", list(rows))
        return len(self._searcher.search(query, len(rows), count=False).hits)

    def replace_all(self, texts: Iterable[KeywordText], *, sequence: int) -> None:
        """Make the index anew, in one commit."""
        self._commit(None, texts, sequence=sequence, dead=0)

    def apply(self, changed: Sequence[int], texts: Iterable[KeywordText], *, sequence: int, dead: int) -> None:
        """Take out the texts of changed rows and put in those of them that exist, in one commit.

        ``dead`` is the number of texts taken out since the index was made anew: they still count in the statistics.
        """
        self._commit(changed, texts, sequence=sequence, dead=dead)

    def _commit(self, deleted: Sequence[int] | None, texts: Iterable[KeywordText], *, sequence: int, dead: int) -> None:
        from tantivy import Document, Query  # noqa: PLC0415  # heavy import, only when used

        writer = self._index.writer(self._memory_bytes, 1)
        if deleted is None:
            writer.delete_all_documents()
        else:
            writer.delete_documents_by_query(Query.exists_query("sequence"))
            for row in deleted:
                writer.delete_documents_by_term("row", row)
        for item in texts:
            writer.add_document(_document(item))
        sentinel = Document()
        sentinel.add_integer("sequence", sequence)
        sentinel.add_integer("dead", dead)
        writer.add_document(sentinel)
        writer.commit()
        writer.wait_merging_threads()
        self.reload()

    def search(self, text: str, *, k: int, allowed: RowFilter, most_terms: int) -> list[tuple[int, float]]:
        """Return (row, BM25 score), best first: at least ``k`` where as many match, and all that tie with the last.

        Word statistics are those of all texts of the tenant and kind. Idf is log(1 + (N - n + 0.5) / (n + 0.5)).
        """
        searcher = self._searcher  # a reload by another thread must not come between
        terms = _rarest(searcher, question_terms(text), most_terms)
        if not terms or k <= 0:
            return []
        query = _query(terms, allowed)
        # Room for all hits is set aside beforehand, so a huge k would ask for more memory than there is.
        limit = min(k + _SPARE_HITS, searcher.num_docs + 1)
        while True:
            hits = searcher.search(query, limit, count=False).hits
            if len(hits) < limit or hits[-1][0] < hits[k - 1][0]:
                break
            limit *= 4  # the cut would go through a tie, which must be broken by id
        rows = searcher.fast_field_values("row", [place for _, place in hits])
        return [(int(row), float(score)) for row, (score, _) in zip(rows, hits, strict=True) if row is not None]


def _rarest(searcher: "Searcher", terms: list[str], most: int) -> list[str]:
    """Return at most ``most`` terms, the rarest of those that occur where there are more."""
    if len(terms) <= most:
        return terms
    frequencies = {term: searcher.doc_freq("text", term) for term in terms}
    known = sorted((term for term in terms if frequencies[term]), key=lambda term: (frequencies[term], term))
    return known[:most]


def _document(item: KeywordText) -> "Document":
    from tantivy import Document  # noqa: PLC0415  # heavy import, only when used

    document = Document()
    document.add_integer("row", item.row)
    document.add_integer("audience", item.audience)
    document.add_integer("document", item.document)
    document.add_text("text", spread_unspaced(item.text))
    return document


def _query(terms: Sequence[str], allowed: RowFilter) -> "Query":
    """Any of the terms, within the filters, which add nothing to the score; user text is never parsed."""
    from tantivy import Occur, Query  # noqa: PLC0415  # heavy import, only when used

    words = [(Occur.Should, Query.term_query(_schema(), "text", term, index_option="freq")) for term in terms]
    parts = [(Occur.Must, Query.boolean_query(words))]
    wanted = {"audience": allowed.audiences, "document": allowed.documents, "row": allowed.rows}
    for field, values in wanted.items():
        if values is not None:
            condition = Query.term_set_query(_schema(), field, list(values))
            parts.append((Occur.Must, Query.const_score_query(condition, 0.0)))
    return Query.boolean_query(parts)

"""All that a language model may see of the store for one question, read at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graph_store.access import Access
from graph_store.records import Chunk, SourcedSentence
from graph_store.store import GraphStore
from query.citations import Quote
from query.llm_answers.material import Material, packed_materials
from query.outcome import Answer, RankedResult
from query.packing.packed_context import PackedContext
from raptor.told_summary import MAX_EVIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportText:
    """A community report or a summary, its sentences as numbered materials that quote the passages they rest on.

    ``evidence`` are sentences that it can be told anew from, read only where that is wanted; all of it may be read by
    whoever is in one of ``groups``, or by everybody of the tenant where there are none.
    """

    id: str
    title: str
    sentences: tuple[Material, ...]
    groups: tuple[str, ...] = ()
    made_by: str = "extractive"
    evidence: tuple[Material, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The answer in source sentences; what was packed for a model; on a global route the reports, best first."""

    answer: Answer
    materials: tuple[Material, ...]
    reports: tuple[ReportText, ...] = ()


def gather_materials(
    store: GraphStore, access: Access, answer: Answer, context: PackedContext, *, with_evidence: bool = False
) -> Gathered:
    """Return the answer with the materials of its packed context, and with the reports among its results.

    ``with_evidence`` also reads what reports of communities that are quotations can be told from.
    """
    ids = list(dict.fromkeys(chunk_id for source in context.sources for chunk_id in source.chunk_ids))
    chunks = {chunk.id: chunk for chunk in store.chunks(access, ids)}
    reports: tuple[ReportText, ...] = ()
    if answer.route != "local":
        reports = read_reports(store, access, answer.results, with_evidence=with_evidence)
    return Gathered(answer=answer, materials=packed_materials(context, chunks), reports=reports)


def read_reports(
    store: GraphStore, access: Access, results: Sequence[RankedResult], *, with_evidence: bool = False
) -> tuple[ReportText, ...]:
    """Return the derived texts among ``results``, in their order; without what rests on nothing readable.

    ``with_evidence`` as of ``gather_materials``.
    """
    texts = _derived_sentences(store, access, results)
    ids = [chunk_id for _, sentences in texts.values() for sentence in sentences for chunk_id in sentence.chunk_ids]
    reader = _SentenceReader(store, access, list(dict.fromkeys(ids)))
    reports = [
        ReportText(id=item, title=title, sentences=tuple(reader.materials(title, sentences)))
        for item, (title, sentences) in texts.items()
    ]
    readable = tuple(report for report in reports if report.sentences)
    return _with_evidence(store, access, readable) if with_evidence else readable


def _with_evidence(store: GraphStore, access: Access, reports: Sequence[ReportText]) -> tuple[ReportText, ...]:
    """Return the reports, those of communities that no model told with the first sentences of their evidence."""
    found = store.communities(access, ids=[report.id for report in reports])
    plain = {item.id: item for item in found if item.made_by == "extractive"}
    wanted = [chunk_id for item in plain.values() for chunk_id in item.chunk_ids[:MAX_EVIDENCE]]
    reader = _SentenceReader(store, access, list(dict.fromkeys(wanted)))
    return tuple(
        replace(
            report,
            groups=plain[report.id].groups,
            evidence=tuple(reader.first_sentences(plain[report.id].chunk_ids[:MAX_EVIDENCE])),
        )
        if report.id in plain
        else report
        for report in reports
    )


def _derived_sentences(
    store: GraphStore, access: Access, results: Sequence[RankedResult]
) -> dict[str, tuple[str, tuple[SourcedSentence, ...]]]:
    wanted = [result.id for result in results if result.kind != "chunk"]
    reports = {item.id: (item.title, item.report) for item in store.communities(access, ids=wanted)}
    nodes = {item.id: (item.title, item.summary) for item in store.tree_nodes(access, ids=wanted)}
    known = {**reports, **nodes}
    return {item: known[item] for item in wanted if item in known}


class _SentenceReader:
    """Reads what the sentences of derived texts rest on."""

    def __init__(self, store: GraphStore, access: Access, chunk_ids: Sequence[str]) -> None:
        self._chunks: dict[str, Chunk] = {chunk.id: chunk for chunk in store.chunks(access, chunk_ids)}
        self._quotes: dict[str, list[Quote]] = {}
        for sentence in store.sentences(access, list(self._chunks)).sentences:
            quote = self._quote(sentence.chunk_id, sentence.char_start, sentence.char_end)
            self._quotes.setdefault(sentence.chunk_id, []).append(quote)

    def materials(self, title: str, sentences: Sequence[SourcedSentence]) -> list[Material]:
        """Return the sentences, numbered from 1, that rest on a passage that the caller may read."""
        found: list[Material] = []
        for sentence in sentences:
            quotes = self._resting_on(sentence)
            if quotes:
                documents = {self._chunks[quote.chunk_id].document_id for quote in quotes}
                found.append(
                    Material(
                        number=len(found) + 1,
                        heading=title,
                        text=sentence.text,
                        quotes=tuple(quotes),
                        documents=tuple(sorted(documents)),
                    )
                )
        return found

    def first_sentences(self, chunk_ids: Sequence[str]) -> Iterator[Material]:
        """Yield at most ``MAX_EVIDENCE`` sentences, of each chunk as many as of the others, chunk by chunk."""
        known = [chunk_id for chunk_id in chunk_ids if self._quotes.get(chunk_id)]
        each = max(1, MAX_EVIDENCE // max(len(known), 1))
        quotes = [quote for chunk_id in known for quote in self._quotes[chunk_id][:each]]
        for number, quote in enumerate(quotes[:MAX_EVIDENCE], 1):
            document = self._chunks[quote.chunk_id].document_id
            yield Material(number=number, heading="", text=quote.text, quotes=(quote,), documents=(document,))

    def _resting_on(self, sentence: SourcedSentence) -> list[Quote]:
        readable = [chunk_id for chunk_id in sentence.chunk_ids if chunk_id in self._chunks]
        if not readable:
            return []
        if sentence.char_start is not None and sentence.char_end is not None:
            own = sentence.chunk_ids[0]
            return [self._quote(own, sentence.char_start, sentence.char_end)] if own in self._chunks else []
        return [quote for chunk_id in readable for quote in self._quotes.get(chunk_id, ())]

    def _quote(self, chunk_id: str, start: int, end: int) -> Quote:
        text = self._chunks[chunk_id].text[start:end]
        return Quote(chunk_id=chunk_id, char_start=start, char_end=end, text=text)

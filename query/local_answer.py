"""The answer of the local route: source sentences, or the admission that nothing was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_store.ids import name_key
from graph_store.store import GraphStore
from query.abstention import Support, SupportEvidence, judge_support
from query.answer_types import asking_words, lacks_asked_kind
from query.chain_sentences import follow_chains
from query.citations import DraftBlock, DraftSentence, Quote
from query.local import LocalRanking
from query.outcome import Evidence
from query.passages import CandidateSentence, Passage, read_passages, read_sentences
from query.pronouns import lead_in, with_antecedents
from query.readable_view import ReadableView
from query.request import Request
from query.sentence_selection import ScoredSentence, choose_sentences, documents_ahead, score_sentences
from query.settings import AnswerSettings
from query.short_answers.draft import ShortDraft, draft_short_answer, quote_of, undecided, with_sources
from query.table_rows import table_header, told_row
from query.years_asked import year_not_told

# Of at most this many documents that a chosen sentence leads to, at most this many further passages are read.
_DOCUMENTS_AHEAD = 2
_PASSAGES_AHEAD = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalDraft:
    """Sentences that answer (no blocks: abstain), how well they are supported, and the passages weighed."""

    blocks: tuple[DraftBlock, ...]
    support: Support
    evidence: tuple[Evidence, ...]
    short: ShortDraft | None = None


def draft_answer(
    store: GraphStore, request: Request, view: ReadableView, ranking: LocalRanking, settings: AnswerSettings
) -> LocalDraft:
    """Choose the sentences that answer from the best passages of a ranking; none where the support is too weak."""
    weighed = weigh_passages(store, request, view, ranking, settings)
    support = judge_support(weighed, margin=settings.abstention_margin)
    missing = _missing_kind(weighed)
    short = draft_short_answer(weighed, may_guess=support.is_likely) if support.is_enough and not missing else None
    blocks: tuple[DraftBlock, ...] = ()
    if support.is_enough:
        chosen = with_sources(weighed.told, short, most=settings.most_sentences)
        told = with_antecedents(chosen, [entry.candidate for entry in weighed.scored])
        short = _requoted(short, dict(zip(map(quote_of, chosen), map(quote_of, told), strict=True)))
        title = missing or (undecided(request.question, is_doubtful=support.is_doubtful) if short is None else "")
        sentences = tuple(_drafted(one, before) for one, before in zip(told, (None, *told), strict=False))
        blocks = (DraftBlock(sentences=sentences, title=title, as_steps=_is_join(told, ranking)),)
    weak = not support.is_enough or bool(missing)
    evidence = tuple(_evidence(weighed.scored, passage, weak=weak) for passage in weighed.passages)
    return LocalDraft(blocks=blocks, support=support, evidence=evidence, short=short)


def _requoted(short: ShortDraft | None, quotes: Mapping[Quote, Quote]) -> ShortDraft | None:
    """Return the short answer with its line resting on the quotations that are told, so that both have one number."""
    if short is None:
        return None
    lead = replace(short.lead, quotes=tuple(quotes.get(quote, quote) for quote in short.lead.quotes))
    return replace(short, lead=lead)


def _is_join(told: Sequence[CandidateSentence], ranking: LocalRanking) -> bool:
    """Tell whether a chain leads from one of the told documents to another: then each sentence is a step."""
    documents = {candidate.passage.document.id for candidate in told}
    return any(
        step.document_id in documents and step.document_id != candidate.passage.document.id
        for candidate in told
        for step in ranking.chain(candidate.passage.chunk.id)[:-1]
    )


def _missing_kind(weighed: SupportEvidence) -> str:
    """Return the line that says what of an answer the told sentences do not have; "" where they may have it."""
    texts = [text for candidate in weighed.told for text in (candidate.text, candidate.passage.document.title)]
    read = [
        " ".join((passage.document.title, *passage.chunk.heading_path, passage.chunk.context, passage.chunk.text))
        for passage in weighed.passages
    ]
    year = year_not_told(weighed.question, told=[candidate.text for candidate in weighed.told], weighed=read)
    if year:
        return f"The documents do not say this of {year}; the nearest evidence:"
    if not lacks_asked_kind(texts, weighed.question):
        return ""
    return f"The documents do not say {asking_words(weighed.question) or 'this'}; the nearest evidence:"


def weigh_passages(
    store: GraphStore, request: Request, view: ReadableView, ranking: LocalRanking, settings: AnswerSettings
) -> SupportEvidence:
    """Score the sentences of the best passages against the question, and choose those that would answer."""
    passages = read_passages(store, request.access, ranking.chunks[: settings.passages])
    candidates = read_sentences(store, request.access, passages, request.vector)
    shares = view.rarity.shares(request.question.stems)
    scored = score_sentences(candidates, request.question, shares)
    chosen = choose_sentences(scored, request.question, view.rarity, settings)
    further = _passages_ahead(store, request, view, passages, chosen)
    if further:
        candidates += read_sentences(store, request.access, further, request.vector)
        chosen = choose_sentences(
            score_sentences(candidates, request.question, shares), request.question, view.rarity, settings
        )
    return SupportEvidence(
        question=request.question,
        ranking=ranking,
        passages=(*passages, *further),
        scored=scored,
        chosen=chosen,
        told=follow_chains(chosen, scored, ranking, most=settings.most_sentences),
        rarity=view.rarity,
        names=view.names_among([name_key(name) for name in request.question.names]),
    )


def _passages_ahead(
    store: GraphStore,
    request: Request,
    view: ReadableView,
    passages: Sequence[Passage],
    chosen: Sequence[CandidateSentence],
) -> tuple[Passage, ...]:
    """Return the other passages of the documents that the chosen sentences lead to, nearest to the question first.

    Of such a document the search found what is like the question; what the question asks of it may stand elsewhere.
    """
    documents = {passage.document.id: passage.document for passage in passages}
    ahead = documents_ahead(chosen, tuple(documents.values()), request.question, view.rarity)[:_DOCUMENTS_AHEAD]
    known = {passage.chunk.id for passage in passages}
    chunks = [
        chunk
        for document in ahead
        for chunk in store.document_chunks(request.access, document.id)
        if chunk.id not in known and view.place(chunk.id) is not None
    ]
    vectors = store.chunk_vectors(request.access, [chunk.id for chunk in chunks])
    nearness = {chunk_id: float(vector @ request.vector) for chunk_id, vector in vectors.items()}
    chunks.sort(key=lambda chunk: (-nearness.get(chunk.id, -1.0), chunk.id))
    further = read_passages(store, request.access, chunks[:_PASSAGES_AHEAD])
    return tuple(replace(passage, rank=passage.rank + len(passages)) for passage in further)


def _evidence(scored: Sequence[ScoredSentence], passage: Passage, *, weak: bool) -> Evidence:
    cosines = [entry.candidate.cosine for entry in scored if entry.candidate.passage is passage]
    return Evidence(
        chunk_id=passage.chunk.id,
        document_id=passage.document.id,
        title=passage.document.title,
        cosine=round(max(cosines, default=0.0), 6),
        weak=weak,
        text=passage.chunk.text,
    )


def _drafted(candidate: CandidateSentence, before: CandidateSentence | None) -> DraftSentence:
    header = table_header(candidate.passage.chunk, candidate.sentence)
    text = lead_in(candidate, before) + told_row(candidate.text, header)
    return DraftSentence(text=text, quotes=(quote_of(candidate),))

"""The answer of the local route: source sentences, or the admission that nothing was found."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph_store.store import GraphStore
from query.abstention import Support, SupportEvidence, judge_support
from query.citations import DraftBlock, DraftSentence, Quote
from query.local import LocalRanking
from query.outcome import Evidence
from query.passages import CandidateSentence, Passage, read_passages, read_sentences
from query.readable_view import ReadableView
from query.request import Request
from query.sentence_selection import ScoredSentence, choose_sentences, score_sentences
from query.settings import AnswerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalDraft:
    """Sentences that answer (no blocks: abstain), how well they are supported, and the passages weighed."""

    blocks: tuple[DraftBlock, ...]
    support: Support
    evidence: tuple[Evidence, ...]


def draft_answer(
    store: GraphStore, request: Request, view: ReadableView, ranking: LocalRanking, settings: AnswerSettings
) -> LocalDraft:
    """Choose the sentences that answer from the best passages of a ranking; none where the support is too weak."""
    weighed = weigh_passages(store, request, view, ranking, settings)
    support = judge_support(weighed, margin=settings.abstention_margin)
    blocks: tuple[DraftBlock, ...] = ()
    if support.is_enough:
        blocks = (DraftBlock(sentences=tuple(_drafted(candidate) for candidate in weighed.chosen)),)
    evidence = tuple(_evidence(weighed.scored, passage, weak=not support.is_enough) for passage in weighed.passages)
    return LocalDraft(blocks=blocks, support=support, evidence=evidence)


def weigh_passages(
    store: GraphStore, request: Request, view: ReadableView, ranking: LocalRanking, settings: AnswerSettings
) -> SupportEvidence:
    """Score the sentences of the best passages against the question, and choose those that would answer."""
    passages = read_passages(store, request.access, ranking.chunks[: settings.passages])
    candidates = read_sentences(store, request.access, passages, request.vector)
    scored = score_sentences(candidates, request.question, view.rarity.shares(request.question.stems))
    return SupportEvidence(
        question=request.question,
        ranking=ranking,
        passages=passages,
        scored=scored,
        chosen=choose_sentences(scored, request.question, view.rarity, settings),
        rarity=view.rarity,
        graph=view.graph,
    )


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


def _drafted(candidate: CandidateSentence) -> DraftSentence:
    quote = Quote(
        chunk_id=candidate.passage.chunk.id,
        char_start=candidate.sentence.char_start,
        char_end=candidate.sentence.char_end,
        text=candidate.text,
    )
    return DraftSentence(text=candidate.text, quotes=(quote,))

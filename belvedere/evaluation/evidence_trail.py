"""How far each piece of a question's evidence came on its way into the answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.measures import group_name, with_gold_as_groups
from belvedere.evaluation.systems import RANKED_CHUNKS, Reply
from belvedere.knowledge_base import KnowledgeBase
from query.engine import System
from query.packing.packed_context import packed_documents
from query.request import AskOptions

_SEARCHES: tuple[System, ...] = ("bm25", "dense")
# More than any pool holds.
_WHOLE_POOL = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldTrail:
    """One piece of evidence: the documents that supply it, and how far the best of them came.

    ``rank`` is its place among ranked documents, from 1, other pieces of evidence counted once (None: not ranked at
    all); ``in_pool`` whether a search, the walk or a chain reached it; ``packed`` whether the context of the configured
    budget has a sentence of it (None: all evidence was weighed, so nobody looked); ``weighed`` whether the answer chose
    among its sentences.
    """

    documents: tuple[str, ...]
    indexed: bool
    in_pool: bool
    rank: int | None
    packed: bool | None
    weighed: bool


def follow_evidence(
    kb: KnowledgeBase, question: LabelledQuestion, ranking: Sequence[str], reply: Reply
) -> tuple[GoldTrail, ...]:
    """Return the trail of each gold group; the searches are run again only where some evidence was not weighed."""
    ranked = with_gold_as_groups(ranking, question.gold)
    place = {name: rank for rank, name in enumerate(ranked, start=1)}
    pool = set(ranking) | reply.weighed
    if any(not group & pool for group in question.gold):
        pool |= set(_reached(kb, question))
    packed = None if all(group & reply.weighed for group in question.gold) else _packed(kb, question)
    named = sorted(frozenset[str]().union(*question.gold))
    indexed = {document.id for document in kb.store.documents(kb.access, named)}
    return tuple(
        GoldTrail(
            documents=tuple(sorted(group)),
            indexed=bool(group & indexed),
            in_pool=bool(group & pool),
            rank=place.get(group_name(number)),
            packed=None if packed is None else bool(group & packed),
            weighed=bool(group & reply.weighed),
        )
        for number, group in enumerate(question.gold)
    )


def _packed(kb: KnowledgeBase, question: LabelledQuestion) -> frozenset[str]:
    return packed_documents(kb.context(question.text, route="local", versions=question.versions))


def _reached(kb: KnowledgeBase, question: LabelledQuestion) -> Iterator[str]:
    """Yield the documents of all that the searches found and of the pool of chains, perhaps more than once."""
    options = AskOptions(access=kb.access, versions=question.versions)
    for search in _SEARCHES:
        hits = kb.engine.rank_chunks(question.text, search, RANKED_CHUNKS, options)
        yield from (chunk.document_id for chunk in kb.store.chunks(kb.access, [hit.id for hit in hits]))
    explained = kb.explain_ranking(question.text, k=_WHOLE_POOL, versions=question.versions)
    yield from (found.document_id for found in explained.results)

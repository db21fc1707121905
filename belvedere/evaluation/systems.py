"""Puts the questions to each system, one at a time, and takes down what it found and how long it took."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.measures import collapse
from belvedere.knowledge_base import KnowledgeBase
from graph_store.records import Hit
from indexing.report import Progress
from query.engine import System
from query.outcome import Answer, Citation, Evidence
from query.request import AskOptions, Transformation

# Chunks asked for, so that collapsing them to documents, and gold groups to one, leaves ten and more.
RANKED_CHUNKS = 100

SECOND = "@new"
"""Stands after the name of a system that was asked with the vectors of a second embedding model."""

ANSWERING: frozenset[System] = frozenset({"local"})
"""Systems that answer as well as rank: they can abstain, and their latency is that of the whole answer."""


WITHOUT_VECTORS: frozenset[System] = frozenset({"bm25"})
"""Systems that are the same with every embedding model."""


TRANSFORMED = "+"
"""Parts the name of a system from the transformations of the question that it is asked with: ``local+rewrite+hyde``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a system answered: the text, how strongly the documents support it (0 to 1), and the ids of the documents
    whose passages were weighed for it, and of those that it cites. ``short`` is its short answer, None without one;
    ``evidence`` and ``citations`` are those passages and quotations, ``made_by`` what wrote the text.
    """

    text: str
    abstained: bool
    support: float
    weighed: frozenset[str]
    cited: frozenset[str] = frozenset()
    short: str | None = None
    evidence: tuple[Evidence, ...] = ()
    citations: tuple[Citation, ...] = ()
    made_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRun:
    """What one system made of all questions, in their order.

    ``rankings`` are document ids, best first; ``replies`` is empty for a system that only ranks.
    ``embedding_milliseconds`` is what embedding each question alone took, just before: the yardstick of the machine.
    """

    rankings: tuple[tuple[str, ...], ...]
    milliseconds: tuple[float, ...]
    embedding_milliseconds: tuple[float, ...]
    replies: tuple[Reply, ...] = ()


def with_second(systems: Sequence[str]) -> tuple[str, ...]:
    """Return the systems, then those that differ with another embedding model once more, as ``NAME@new``."""
    return (*systems, *(system + SECOND for system in systems if system not in WITHOUT_VECTORS))


def run_system(
    kb: KnowledgeBase,
    system: str,
    questions: Sequence[LabelledQuestion],
    progress: Callable[[Progress], None] | None = None,
) -> SystemRun:
    """Put all questions to one system, warm: the first one is asked once more beforehand, and not counted.

    Raises ``NoLanguageModel`` where it transforms questions and there is no model for that.
    """
    rankings, milliseconds, embedding, replies = [], [], [], []
    for question in questions[:1]:
        _ask(kb, system, question)
    for number, question in enumerate(questions):
        if progress is not None:
            progress(Progress(step=f"asking_{system}", done=number, total=len(questions)))
        embedding.append(_time_embedding(kb, question))
        asked = _ask(kb, system, question)
        rankings.append(asked.ranking)
        milliseconds.append(asked.milliseconds)
        if asked.reply is not None:
            replies.append(asked.reply)
    return SystemRun(
        rankings=tuple(rankings),
        milliseconds=tuple(milliseconds),
        embedding_milliseconds=tuple(embedding),
        replies=tuple(replies),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    ranking: tuple[str, ...]
    milliseconds: float
    reply: Reply | None


def parted(name: str) -> tuple[System, tuple[Transformation, ...]]:
    """Return the system that a name begins with, and the transformations behind it."""
    system, *wanted = name.split(TRANSFORMED)
    return cast("System", system), tuple(cast("Transformation", transformation) for transformation in wanted)


def _ask(kb: KnowledgeBase, name: str, question: LabelledQuestion) -> _Asked:
    system, wanted = parted(name)
    start = time.perf_counter()
    options = _options(kb, question)
    options = replace(options, further=kb.questions.further(question.text, options, wanted))
    hits = kb.engine.rank_chunks(question.text, system, RANKED_CHUNKS, options)
    spent = time.perf_counter() - start
    reply = None
    if system in ANSWERING:
        start = time.perf_counter()
        answer = kb.ask(question.text, route="local", versions=question.versions, transform=wanted)
        spent = time.perf_counter() - start
        reply = reply_of(answer)
    return _Asked(ranking=_documents(kb, hits), milliseconds=spent * 1000.0, reply=reply)


def _options(kb: KnowledgeBase, question: LabelledQuestion) -> AskOptions:
    return AskOptions(access=kb.access, versions=question.versions)


def reply_of(answer: Answer) -> Reply:
    """Return what counts of an answer."""
    support = answer.trace.support
    return Reply(
        text=answer.answer,
        abstained=answer.abstained,
        support=0.0 if support is None else support,
        weighed=frozenset(entry.document_id for entry in answer.evidence),
        cited=frozenset(citation.document_id for citation in answer.citations),
        short=answer.short_answer.text if answer.short_answer is not None else None,
        evidence=answer.evidence,
        citations=answer.citations,
        made_by=answer.made_by,
    )


def _documents(kb: KnowledgeBase, hits: Sequence[Hit]) -> tuple[str, ...]:
    return collapse(chunk.document_id for chunk in kb.store.chunks(kb.access, [hit.id for hit in hits]))


def _time_embedding(kb: KnowledgeBase, question: LabelledQuestion) -> float:
    start = time.perf_counter()
    kb.embedder.embed_question(question.text)
    return (time.perf_counter() - start) * 1000.0

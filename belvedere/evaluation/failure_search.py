"""Goes through the questions of an evaluation and takes down those that failed."""

from collections.abc import Callable, Iterator, Sequence

from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.evidence_trail import follow_evidence
from belvedere.evaluation.failures import RANKED, Failure, FailureReport, FoundDocument, answered_right, classify
from belvedere.evaluation.systems import SystemRun
from belvedere.knowledge_base import KnowledgeBase
from indexing.report import Progress


def find_failures(
    kb: KnowledgeBase,
    questions: Sequence[LabelledQuestion],
    run: SystemRun,
    progress: Callable[[Progress], None] | None = None,
) -> FailureReport:
    """Class what failed in a run of the local route over ``questions``."""

    def failures() -> Iterator[Failure]:
        for number, question in enumerate(questions):
            if progress is not None:
                progress(Progress(step="tracing_failures", done=number, total=len(questions)))
            failure = _failure(kb, question, run, number)
            if failure is not None:
                yield failure

    return FailureReport(system="local", questions=len(questions), failures=tuple(failures()))


def _failure(kb: KnowledgeBase, question: LabelledQuestion, run: SystemRun, number: int) -> Failure | None:
    reply, ranking = run.replies[number], run.rankings[number]
    gold = follow_evidence(kb, question, ranking, reply)
    failed_as = classify(question, reply, gold)
    if failed_as is None:
        return None
    top = ranking[:RANKED]
    titles = {document.id: document.title for document in kb.store.documents(kb.access, top)}
    return Failure(
        question=question,
        failed_as=failed_as,
        reply=reply,
        right=answered_right(question, reply),
        gold=gold,
        top=tuple(FoundDocument(id=document_id, title=titles.get(document_id, "")) for document_id in top),
    )

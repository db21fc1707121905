"""Reports that a language model tells only when a question touches them: nothing is paid for those that nobody asks of.

The reply is kept like every other (by what it was made of and for whom), so the next question that touches the report
gets it at once. One that the model fails at stays as it is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_store.records import SourcedSentence
from model_clients.chat.errors import ChatFailed
from model_clients.chat.messages import CallScope, TokenUsage
from model_clients.chat.task_model import TaskModel
from query.llm_answers.failures import told_failure
from query.llm_answers.gathered import ReportText
from query.llm_answers.material import Material, documents_of
from raptor.told_summary import SummaryMaterial, ToldSummary, tell_summaries


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldReports:
    """Reports, told where they could be; what that used, and what went wrong."""

    reports: tuple[ReportText, ...]
    usage: TokenUsage
    trouble: tuple[str, ...]


class LazyReports:
    """Tells reports of one tenant when they are asked for."""

    def __init__(self, model: TaskModel, tenant: str) -> None:
        self._model = model
        self._tenant = tenant

    def tell(self, reports: Sequence[ReportText], *, most: int) -> ToldReports:
        """Return the reports in their order, the first ``most`` told by the model. Raises ``EndpointUnusable``."""
        told = dict[str, ReportText]()
        usage, trouble = TokenUsage(), list[str]()
        for report, reply in self.replies(reports[:most]):
            usage += reply.usage
            if isinstance(reply, ChatFailed):
                trouble.append(f"the report {report.title!r} stands in quotations: {told_failure(reply)}")
            else:
                told[report.id] = _with_claims(report, reply)
        return ToldReports(
            reports=tuple(told.get(report.id, report) for report in reports), usage=usage, trouble=tuple(trouble)
        )

    def replies(self, reports: Sequence[ReportText]) -> list[tuple[ReportText, ToldSummary | ChatFailed]]:
        """Return the reports that have evidence, each with what the model tells of it. Raises as ``tell`` does."""
        asked = [report for report in reports if report.evidence]
        told = tell_summaries(self._model, [self._material(report) for report in asked], "reports")
        return list(zip(asked, told, strict=True))

    def _material(self, report: ReportText) -> SummaryMaterial:
        return SummaryMaterial(
            evidence=tuple(
                SourcedSentence(text=item.text, chunk_ids=(item.quotes[0].chunk_id,)) for item in report.evidence
            ),
            scope=CallScope(
                tenant=self._tenant, groups=report.groups, documents=documents_of(report.evidence), unit="question"
            ),
        )


def _with_claims(report: ReportText, told: ToldSummary) -> ReportText:
    by_chunk: dict[str, list[Material]] = {}
    for item in report.evidence:
        by_chunk.setdefault(item.quotes[0].chunk_id, []).append(item)
    title = told.title or report.title
    sentences = tuple(_claim(number, title, claim, by_chunk) for number, claim in enumerate(told.claims, 1))
    return replace(report, title=title, sentences=sentences, made_by=told.made_by)


def _claim(number: int, title: str, claim: SourcedSentence, by_chunk: Mapping[str, Sequence[Material]]) -> Material:
    behind = [item for chunk_id in claim.chunk_ids for item in by_chunk[chunk_id]]
    return Material(
        number=number,
        heading=title,
        text=claim.text,
        quotes=tuple(quote for item in behind for quote in item.quotes),
        documents=documents_of(behind),
        checked=claim.text,
    )

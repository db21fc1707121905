"""Reports that a model told when a question touched them, shown again wherever their replies are kept.

Nothing is asked and nothing is paid: where no reply is kept, a report stays as it is stored. A reply is found by what
the caller may read of a report's evidence, so nobody is shown what was made of more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_store.access import Access
from graph_store.store import GraphStore
from model_clients.chat.task_model import TaskModel
from query.global_finding import joined_text
from query.llm_answers.gathered import read_reports
from query.llm_answers.lazy_reports import LazyReports
from query.outcome import RankedResult
from query.retrieval import Found
from raptor.told_summary import ToldSummary


@dataclass(frozen=True, slots=True)
class KeptReports:
    """Looks for kept reports; ``model`` gives kept replies and is never asked."""

    model: TaskModel

    def shown_in(self, store: GraphStore, access: Access, found: Found) -> Found:
        """Return what was found, with the reports among it in the words of the model where these are kept."""
        reports = [result for result in found.results if result.kind == "report"]
        if not reports:
            return found
        told = self._told(store, access, reports)
        claims = {report_id: summary.claims for report_id, summary in told.items()}
        results = tuple(_in_told_words(result, told) for result in found.results)
        finding = found.finding if found.finding is None else replace(found.finding, results=results)
        return replace(found, results=results, finding=finding, told=claims)

    def _told(self, store: GraphStore, access: Access, results: Sequence[RankedResult]) -> dict[str, ToldSummary]:
        reports = read_reports(store, access, results, with_evidence=True)
        replies = LazyReports(self.model, access.tenant).replies(reports)
        return {report.id: reply for report, reply in replies if isinstance(reply, ToldSummary)}


def _in_told_words(result: RankedResult, told: Mapping[str, ToldSummary]) -> RankedResult:
    summary = told.get(result.id)
    if summary is None:
        return result
    title = summary.title or result.title
    return replace(result, title=title, text=joined_text(summary.claims), made_by=summary.made_by)

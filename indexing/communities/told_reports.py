"""Reports of communities in the words of a language model, made bottom-up from the extractive ones and their evidence.

A report that the model fails at stays extractive, and is counted as failed. One that is kept from before is not asked
for again, unless a community within it was told anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from graph_store.records import SourcedSentence
from indexing.communities.hierarchy import Cluster
from indexing.communities.kept_reports import Report
from indexing.communities.telling import TellingSentences
from indexing.model_work import FailedCall, WorkTally
from model_clients.chat.errors import ChatFailed
from model_clients.chat.task_model import TaskModel
from raptor.audience import AudienceView
from raptor.summariser import choose_sentences, quote
from raptor.told_summary import MAX_EVIDENCE, SummaryMaterial, dropped_of, summary_scope, tell_summaries

_OWN_SENTENCES = 24


class ReportTeller:
    """Tells reports; ``keeps`` says whether those of the generation before are by the same model and prompt."""

    def __init__(self, model: TaskModel, work: WorkTally, *, keeps: bool) -> None:
        self._model = model
        self._work = work
        self.keeps = keeps

    @property
    def made_by(self) -> str:
        """What reports say that made them."""
        return f"llm:{self._model.model_id}"

    def tell(self, view: AudienceView, reports: Sequence[Report], telling: TellingSentences) -> list[Report]:
        """Return the reports of an audience, in order, those that can be with their told form.

        Raises ``EndpointUnusable``.
        """
        told = {id(report.cluster): report for report in reports}
        anew: set[int] = set()
        for level in sorted({report.cluster.level for report in reports}):
            asked = [
                report
                for report in reports
                if report.cluster.level == level
                and (report.told is None or any(id(child) in anew for child in report.cluster.children))
            ]
            materials = [self._material(view, report, told, telling) for report in asked]
            for report, reply in zip(asked, tell_summaries(self._model, materials, "reports"), strict=True):
                key = id(report.cluster)
                self._work.count("reports", dropped=dropped_of(reply))
                if isinstance(reply, ChatFailed):
                    told[key] = replace(report, told=None)
                    self._work.fail(FailedCall(task="reports", about=f"the report {report.title!r}", error=str(reply)))
                else:
                    told[key] = replace(report, told=reply)
                    anew.add(key)
            if asked:
                self._work.count("reports", asked=len(asked))
        return [told[id(report.cluster)] for report in reports]

    def _material(
        self, view: AudienceView, report: Report, told: Mapping[int, Report], telling: TellingSentences
    ) -> SummaryMaterial:
        children = _children_claims(view, report.cluster, told)
        own = _own_sentences(view, report, telling)
        evidence = (*children, *own[: max(MAX_EVIDENCE - len(children), 0)])
        return SummaryMaterial(evidence=evidence, scope=summary_scope(view, evidence, "reports"), facts=_facts(report))


def _children_claims(view: AudienceView, cluster: Cluster, told: Mapping[int, Report]) -> tuple[SourcedSentence, ...]:
    """Return what the reports of the communities within say, of each as much as of the others."""
    if not cluster.children:
        return ()
    each = max(1, MAX_EVIDENCE // (len(cluster.children) + 1))
    return tuple(sentence for child in cluster.children for sentence in sentences_of(view, told[id(child)])[:each])[
        :MAX_EVIDENCE
    ]


def _own_sentences(view: AudienceView, report: Report, telling: TellingSentences) -> tuple[SourcedSentence, ...]:
    if report.cluster.children:
        return quote(view.sentences, report.sentences)
    rows = telling.of(report.cluster.members, report.cluster.chunks)
    if len(rows) > _OWN_SENTENCES:
        rows = np.union1d(choose_sentences(view.sentences, rows, limit=_OWN_SENTENCES), report.sentences)
    return quote(view.sentences, rows)


def sentences_of(view: AudienceView, report: Report) -> tuple[SourcedSentence, ...]:
    """Return what a report says: in the model's words where it has them, else in those of its sources."""
    return report.told.claims if report.told is not None else quote(view.sentences, report.sentences)


def _facts(report: Report) -> tuple[str, ...]:
    names = {entity.id: entity.name for entity in report.key_entities}
    entities = tuple(f"{entity.name} ({entity.type.casefold()})" for entity in report.key_entities)
    relations = tuple(
        f"{names[relation.source_id]} - {relation.predicate} - {names[relation.target_id]}"
        for relation in report.key_relations
        if relation.source_id in names and relation.target_id in names
    )
    return entities + relations

"""Summaries of tree nodes in a language model's words, made bottom-up: a node's children are part of its evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from graph_store.records import SourcedSentence, TreeNode
from model_clients.chat.errors import ChatFailed
from model_clients.chat.task_model import TaskModel
from raptor.audience import AudienceView, IntVector
from raptor.branch import Branch
from raptor.previous_tree import EXTRACTIVE
from raptor.summariser import choose_sentences, quote
from raptor.told_summary import MAX_EVIDENCE, SummaryMaterial, ToldSummary, dropped_of, summary_scope, tell_summaries

_OWN_SENTENCES = 24


class SummaryLog(Protocol):
    """Hears what became of calls."""

    def asked(self, number: int) -> None:
        """Hear how many nodes were asked about."""
        ...

    def dropped(self, number: int) -> None:
        """Hear how many claims were not borne out."""
        ...

    def failed(self, title: str, error: str) -> None:
        """Hear that the summary of a node stays extractive."""
        ...


class SummaryTeller:
    """Tells summaries; what it cannot tell stays extractive."""

    def __init__(self, model: TaskModel, log: SummaryLog) -> None:
        self._model = model
        self._log = log

    def tell(
        self,
        view: AudienceView,
        nodes: Sequence[Branch],
        known: Mapping[str, ToldSummary],
        titles: Mapping[str, str],
    ) -> dict[str, ToldSummary]:
        """Return node id -> summary, those that are ``known`` as they are unless a node below was told anew.

        ``nodes`` are those of one audience, children before parents. Raises ``EndpointUnusable``.
        """
        told, anew = dict(known), set[str]()
        for level in sorted({node.level for node in nodes}):
            asked = [
                node
                for node in nodes
                if node.level == level and (node.id not in told or any(child.id in anew for child in node.children))
            ]
            materials = [_material(view, node, told) for node in asked]
            for node, reply in zip(asked, tell_summaries(self._model, materials, "summaries"), strict=True):
                self._log.dropped(dropped_of(reply))
                if isinstance(reply, ChatFailed):
                    told.pop(node.id, None)
                    self._log.failed(titles[node.id], str(reply))
                else:
                    told[node.id] = reply if node.document_id is None else replace(reply, title="")
                    anew.add(node.id)
            self._log.asked(len(asked))
        return told


def told_before(record: TreeNode) -> ToldSummary | None:
    """Return the summary of a node that stands, where a language model made it."""
    if record.made_by == EXTRACTIVE:
        return None
    return ToldSummary(title=record.title, claims=record.summary, made_by=record.made_by)


def with_told(record: TreeNode, told: ToldSummary | None) -> TreeNode:
    """Return a node with its summary in the words of a model, where there is one."""
    if told is None:
        return record
    return replace(record, title=told.title or record.title, summary=told.claims, made_by=told.made_by)


def _material(view: AudienceView, node: Branch, told: Mapping[str, ToldSummary]) -> SummaryMaterial:
    below = [child for child in node.children if child.children]
    each = max(1, MAX_EVIDENCE // len(node.children))
    claims = [sentence for child in below for sentence in _said(view, child, told)[:each]]
    leaves = [child.leaves for child in node.children if not child.children]
    own = _sentences_of(view, np.concatenate(leaves)) if leaves else ()
    evidence = (*claims, *own)[:MAX_EVIDENCE]
    return SummaryMaterial(evidence=evidence, scope=summary_scope(view, evidence, "summaries"))


def _said(view: AudienceView, node: Branch, told: Mapping[str, ToldSummary]) -> tuple[SourcedSentence, ...]:
    return told[node.id].claims if node.id in told else quote(view.sentences, node.summary)


def _sentences_of(view: AudienceView, leaves: IntVector) -> tuple[SourcedSentence, ...]:
    rows = view.sentences.rows_of(leaves)
    if len(rows) > _OWN_SENTENCES:
        rows = choose_sentences(view.sentences, rows, limit=_OWN_SENTENCES)
    return quote(view.sentences, rows)

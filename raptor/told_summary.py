"""Reports and summaries in the words of a language model: asked of numbered evidence, and checked against it.

A reply is a title and claims, each with the numbers of the evidence that it rests on. What a claim says must stand in
just that evidence (:mod:`raptor.claims.comparison`), else it is dropped; a title that says more is not taken.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import BaseModel

from graph_store.records import SourcedSentence
from model_clients.chat.errors import ChatFailed, ReplyUnusable
from model_clients.chat.marked_data import MarkedItem, harmless, mark_data
from model_clients.chat.messages import CallScope, ChatRequest, Message, TokenUsage
from model_clients.chat.structured_reply import StructuredReply
from model_clients.chat.task_model import TaskModel
from raptor.audience import AudienceView
from raptor.claims.comparison import Ground, lack
from raptor.claims.foreign_matter import repeats

PROMPT = "told_summary/1"
"""Raised with every change of what is asked: reports and summaries are then made anew."""

SummaryTask: TypeAlias = Literal["reports", "summaries"]

MAX_EVIDENCE = 40
"""Pieces of evidence in one prompt."""

_MOST_CLAIMS = 8
_LONGEST_CLAIM = 500
_LONGEST_TITLE = 100
_MAX_REPLY_TOKENS = 1_200
_NUMBERS_IN_TEXT = re.compile(r"\s*[\[(](?:(?:evidence|passage)\s*)?\d+(?:\s*[,;]\s*\d+)*[\])]", re.IGNORECASE)
_RULES = """You sum up pieces of evidence that belong together, for a reader who has not seen them. Reply with one JSON
object:
title: what all of it is about, in at most eight words.
claims: three to eight sentences that together tell the most important of it, the most general first. Each has
- text: one sentence in plain words, with no more than its evidence says. No opinions, nothing from elsewhere.
- evidence: the numbers of the pieces of evidence that say so, at least one.
Use names and numbers as the evidence has them. Write in the language of most of the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMaterial:
    """What is summed up: ``evidence``, sentences with the chunks they rest on, and ``facts`` that help to read it.

    All of it is readable to one audience, that of ``scope``.
    """

    evidence: tuple[SourcedSentence, ...]
    scope: CallScope
    facts: tuple[str, ...] = ()


class ClaimForm(BaseModel):
    """One sentence of a reply."""

    text: str
    evidence: list[int]


class SummaryForm(BaseModel):
    """A reply."""

    title: str
    claims: list[ClaimForm]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldSummary:
    """A summary in a model's words: all claims are borne out by their evidence, and there is at least one.

    ``title`` is empty where the model's was not taken; ``dropped`` counts claims that were not borne out,
    ``usage`` is what the call used.
    """

    title: str
    claims: tuple[SourcedSentence, ...]
    made_by: str
    dropped: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)


def summary_request(material: SummaryMaterial, task: SummaryTask) -> ChatRequest:
    """Return the question to the model."""
    data = mark_data([MarkedItem(text=item.text) for item in material.evidence[:MAX_EVIDENCE]], name="evidence")
    parts = [data.rule, data.text]
    if material.facts:
        facts = mark_data([MarkedItem(text=fact) for fact in material.facts], name="fact")
        parts += [
            "What is known of the things that it names; claims rest on the evidence alone.",
            facts.rule,
            facts.text,
        ]
    return ChatRequest(
        task=task,
        prompt=PROMPT,
        messages=(Message(role="system", content=_RULES), Message(role="user", content="\n\n".join(parts))),
        scope=material.scope,
        max_tokens=_MAX_REPLY_TOKENS,
    )


def summary_scope(view: AudienceView, evidence: Sequence[SourcedSentence], unit: str) -> CallScope:
    """Return on whose behalf an audience's evidence is summed up."""
    document_of = {chunk.id: chunk.document_id for chunk in view.chunks}
    return CallScope(
        tenant=view.audience.tenant,
        groups=view.audience.groups,
        documents=tuple(sorted({document_of[key] for item in evidence for key in item.chunk_ids})),
        unit=unit,
    )


class NothingBorneOut(ReplyUnusable):
    """A reply of which no claim is borne out; ``dropped`` is how many it had."""

    def __init__(self, *, dropped: int, usage: TokenUsage | None) -> None:
        super().__init__("no sentence of the reply is borne out by the evidence that it names", usage=usage)
        self.dropped = dropped


def dropped_of(reply: ToldSummary | ChatFailed) -> int:
    """Return how many claims of a reply were not borne out."""
    return reply.dropped if isinstance(reply, ToldSummary | NothingBorneOut) else 0


def tell_summaries(
    model: TaskModel, materials: Sequence[SummaryMaterial], task: SummaryTask
) -> list[ToldSummary | ChatFailed]:
    """Return a summary of each material, or why there is none. Raises ``EndpointUnusable``.

    A reply that was cut off makes none: half of a summary would stand for the whole from then on.
    """
    requests = [summary_request(material, task) for material in materials]
    replies = model.ask_all_for(requests, SummaryForm)
    made_by = f"llm:{model.model_id}"
    return [_summary(reply, material, made_by) for reply, material in zip(replies, materials, strict=True)]


def _summary(
    reply: StructuredReply[SummaryForm] | ChatFailed, material: SummaryMaterial, made_by: str
) -> ToldSummary | ChatFailed:
    if isinstance(reply, ChatFailed):
        return reply
    if reply.cut_off:
        sentence = f"the reply of {reply.model!r} broke off before it was whole; it may need more tokens"
        return ReplyUnusable(sentence, usage=reply.usage, fault="broken off")
    return checked_summary(reply.value, material, made_by=made_by, usage=reply.usage)


def checked_summary(
    reply: SummaryForm, material: SummaryMaterial, *, made_by: str, usage: TokenUsage | None = None
) -> ToldSummary | ChatFailed:
    """Return what of a reply is borne out; ``ReplyUnusable`` where nothing is."""
    evidence = material.evidence[:MAX_EVIDENCE]
    checked = [_checked(claim, evidence) for claim in reply.claims[:_MOST_CLAIMS]]
    claims = tuple(claim for claim in checked if claim is not None)
    if not claims:
        return NothingBorneOut(dropped=len(reply.claims), usage=usage)
    return ToldSummary(
        title=_checked_title(reply.title, evidence),
        claims=claims,
        made_by=made_by,
        dropped=len(reply.claims) - len(claims),
        usage=usage or TokenUsage(),
    )


def _checked(claim: ClaimForm, evidence: Sequence[SourcedSentence]) -> SourcedSentence | None:
    text = _NUMBERS_IN_TEXT.sub("", " ".join(harmless(claim.text).split()))
    named = [evidence[number - 1] for number in dict.fromkeys(claim.evidence) if 1 <= number <= len(evidence)]
    ground = Ground(sentences=tuple(item.text for item in named))
    if len(text) > _LONGEST_CLAIM or lack(text, ground) is not None or repeats(text, [_RULES], ground.text):
        return None
    return SourcedSentence(text=text, chunk_ids=tuple(sorted({key for item in named for key in item.chunk_ids})))


def _checked_title(told: str, evidence: Sequence[SourcedSentence]) -> str:
    title = " ".join(harmless(told).split()).rstrip(".")
    ground = Ground(sentences=tuple(item.text for item in evidence))
    is_borne_out = lack(title, ground, least_words=0.0, is_sentence=False) is None
    return title if len(title) <= _LONGEST_TITLE and is_borne_out else ""

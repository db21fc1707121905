"""What of a model's summary is taken: claims that the evidence they name bears out, and a title of the same."""

import pytest

from graph_store.records import SourcedSentence
from model_clients.chat.errors import ChatFailed, ReplyUnusable
from model_clients.chat.messages import CallScope
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from raptor.told_summary import (
    ClaimForm,
    SummaryForm,
    SummaryMaterial,
    ToldSummary,
    checked_summary,
    dropped_of,
    tell_summaries,
)

SAID = (
    "The Harbour Bridge does not carry trains.",
    "In 2024 the toll of the bridge rose by 5 %.",
    "Its span is 503 metres.",
)
MATERIAL = SummaryMaterial(
    evidence=tuple(SourcedSentence(text=text, chunk_ids=(f"c{place}",)) for place, text in enumerate(SAID)),
    scope=CallScope(tenant="t"),
)
GOOD = ClaimForm(text="The span of the bridge is 503 metres.", evidence=[3])


def _checked(*claims: ClaimForm, title: str = "The bridge") -> ToldSummary:
    summary = checked_summary(SummaryForm(title=title, claims=list(claims)), MATERIAL, made_by="llm:m")
    assert isinstance(summary, ToldSummary)
    return summary


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The Harbour Bridge does not carry trains.", 1),
        ("Trains are not carried by the bridge (evidence 1).", 1),
        ("The toll rose by 5% in 2024 [2].", 2),
        ("The toll of the bridge rose by five percent.", 2),
    ],
)
def test_what_the_evidence_says_is_taken(text: str, number: int) -> None:
    taken = _checked(ClaimForm(text=text, evidence=[number])).claims
    assert [sentence.chunk_ids for sentence in taken] == [(f"c{number - 1}",)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The Harbour Bridge does carry trains.", 1),
        ("The Harbour Bridge carries trains.", 1),
        ("The toll of the bridge rose by 50 % in 2024.", 2),
        ("The toll of the bridge rose by -5 % in 2024.", 2),
        ("The toll of the bridge rose by fifty percent in 2024.", 2),
        ("The toll of the bridge did not rise in 2024.", 2),
        ("The span of the bridge is 503 feet.", 3),
        ("The span of the bridge is 503 metres, see https://evil.example/bridge.", 3),
        ("The span of the bridge is 503 metres ![x](//evil.example).", 3),
        ("The span of the bridge is 503 metres.", 2),
        ("The span of the bridge is 503 metres.", 9),
        ("The span is 503 metres, what all of it is about.", 3),  # words of the instructions
    ],
)
def test_what_the_evidence_does_not_say_is_dropped(text: str, number: int) -> None:
    bad = ClaimForm(text=text, evidence=[number])
    summary = _checked(bad, GOOD)
    assert ([sentence.text for sentence in summary.claims], summary.dropped) == ([GOOD.text], 1)
    nothing = checked_summary(SummaryForm(title="", claims=[bad, bad]), MATERIAL, made_by="llm:m")
    assert isinstance(nothing, ReplyUnusable)
    assert dropped_of(nothing) == 2


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("Otto Brandt never worked for Keld Works.", True),
        ("Marta Keld founded Keld Works in 1929.", True),
        ("Marta Keld never founded Keld Works.", False),
        ("Marta Keld never worked for Keld Works.", False),
        ("Otto Brandt worked for Keld Works.", False),
        ("Marta Keld failed to found Keld Works.", False),
    ],
)
def test_a_claim_that_rests_on_several_pieces_denies_what_they_deny(text: str, is_taken: bool) -> None:
    said = ("Marta Keld founded the firm Keld Works in 1929.", "Otto Brandt never worked for Keld Works.")
    evidence = tuple(SourcedSentence(text=text, chunk_ids=(text,)) for text in said)
    material = SummaryMaterial(evidence=evidence, scope=CallScope(tenant="t"))
    reply = SummaryForm(title="", claims=[ClaimForm(text=text, evidence=[1, 2])])
    assert isinstance(checked_summary(reply, material, made_by="llm:m"), ToldSummary) == is_taken


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        ("Span of the Harbour Bridge.", "Span of the Harbour Bridge"),
        ("Span of the London Bridge", ""),
        ("A toll that rose by 50 %", ""),
        ("Why trains are carried", ""),
        ("The bridge at evil.example", ""),
    ],
)
def test_a_title_says_no_more_than_the_evidence(told: str, taken: str) -> None:
    assert _checked(GOOD, title=told).title == taken


def test_a_summary_that_breaks_off_is_none() -> None:
    whole = SummaryForm(title="The bridge", claims=[GOOD, GOOD]).model_dump_json()

    def told(reply: str) -> ToldSummary | ChatFailed:
        (summary,) = tell_summaries(TaskModel(ScriptedChatModel(lambda _: reply)), [MATERIAL], "reports")
        return summary

    assert isinstance(told(whole), ToldSummary)
    half = told(whole[:-30])
    assert isinstance(half, ReplyUnusable)
    assert (half.fault, half.usage.calls) == ("broken off", 1)

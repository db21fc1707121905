"""Gates: what a system must reach to be let through, such as ``MRR@10>0.70`` or ``local:type=join:R@5>0.8``."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal, Protocol, TypeAlias, cast

from belvedere.errors import UserMistake
from belvedere.evaluation.answers import ANSWER_MEASURES
from belvedere.evaluation.comparisons import baseline
from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.judging.computed import COMPUTED, NEED_REFERENCES
from belvedere.evaluation.judging.judge import JUDGED, JUDGED_REFERENCES
from belvedere.evaluation.judging.scores import FAILED, Asked
from belvedere.evaluation.measures import GRADED, MEASURES
from belvedere.evaluation.safety import SAFETY
from belvedere.evaluation.system_scores import SystemScores
from belvedere.evaluation.systems import ANSWERING, SECOND

Sign: TypeAlias = Literal[">", ">=", "<", "<=", "=="]

ABSTENTION = tuple(
    f"abstention.{name}"
    for name in ("auroc", "unanswerable_abstained", "answerable_abstained", "calibration_error", "brier")
)
ANSWERS = tuple(f"answers.{name}" for name in ANSWER_MEASURES)
CITATIONS = ("citations.precision", "citations.recall")
LATENCY = ("latency_ms.p50", "latency_ms.p95")
REPLIES = (SAFETY, *JUDGED, FAILED, *COMPUTED)
GATE_MEASURES: tuple[str, ...] = (*MEASURES, GRADED, *ABSTENTION, *ANSWERS, *CITATIONS, *REPLIES, *LATENCY)

TYPED_MEASURES = frozenset({*MEASURES, GRADED, *ANSWERS, *JUDGED, *COMPUTED})
"""What is measured for each type of question, too."""

_FORM = re.compile(
    r"(?:(?P<system>[^:<>=]+):\s*)?(?:type\s*=\s*(?P<type>[^:<>=]+):)?(?P<measure>[^:<>=]+)(?P<sign>[<>]=?|==)(?P<wanted>[^<>=]+)"
)
_REACHED: Mapping[Sign, Callable[[float, float], bool]] = {
    ">": lambda value, wanted: value > wanted,
    ">=": lambda value, wanted: value >= wanted,
    "<": lambda value, wanted: value < wanted,
    "<=": lambda value, wanted: value <= wanted,
    "==": lambda value, wanted: value == wanted,
}


class GateError(UserMistake):
    """A gate that cannot be read, or that nothing measured can be held against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One condition; ``system`` is empty where the gate names none, ``type`` where it is about all questions."""

    system: str
    measure: str
    sign: Sign
    wanted: float
    type: str = ""

    def __str__(self) -> str:
        """Return the condition as it is written."""
        return f"{self.system}:{self.condition}" if self.system else self.condition

    @property
    def condition(self) -> str:
        """Return the condition without its system."""
        return f"{self.subject}{self.sign}{self.wanted:g}"

    @property
    def subject(self) -> str:
        """Return what is measured, with the type of question that it is measured on."""
        return f"type={self.type}:{self.measure}" if self.type else self.measure


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """A gate with the value that was found; one without a value is not passed. ``why`` tells of what failed to come."""

    gate: Gate
    estimate: Estimate
    passed: bool
    why: str = ""


def parse_gates(text: str) -> tuple[Gate, ...]:
    """Read conditions separated by commas. Raises ``GateError``."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise GateError('the gate is empty: write a condition such as "R@5>0.8"')
    return tuple(_parse(part) for part in parts)


def _parse(text: str) -> Gate:
    match = _FORM.fullmatch(text)
    if match is None:
        raise GateError(
            f'cannot read the gate {text!r}: write a measure, one of > >= < <= ==, and a number: "R@5>0.8"; a system '
            'and a type may stand before it: "local:type=join:R@5>0.8"'
        )
    system, kind, measure, sign, given = (str(part or "").strip() for part in match.groups())
    wanted = _number(given)
    if wanted is None:
        raise GateError(f"cannot read the gate {text!r}: {given!r} is no number")
    if measure not in GATE_MEASURES:
        raise GateError(f"no measure is named {measure!r}; there are {', '.join(GATE_MEASURES)}")
    if kind and measure not in TYPED_MEASURES:
        raise GateError(f"the gate {text!r}: {measure} is measured over all questions alone, not by type")
    return Gate(system=system, measure=measure, sign=cast("Sign", sign), wanted=wanted, type=kind)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def gates_for(gates: Sequence[Gate], systems: Sequence[str]) -> tuple[Gate, ...]:
    """Return the gates with the system that each is about, before anything is measured.

    That is the one named, else ``local`` or the only one compared. Raises ``GateError`` where a system is not compared,
    or does not measure what is asked of it.
    """
    return tuple(_with_system(gate, systems) for gate in gates)


def _with_system(gate: Gate, systems: Sequence[str]) -> Gate:
    if not gate.system and len(systems) > 1 and "local" not in systems:
        raise GateError(f"the gate {gate} must say which system it is about: {systems[0]}:{gate}")
    system = gate.system or baseline(systems)
    if system not in systems:
        raise GateError(f"the gate {gate} is about {system!r}, which is not compared; compared: {', '.join(systems)}")
    if gate.measure in (*ABSTENTION, *ANSWERS, *CITATIONS, *REPLIES) and system.removesuffix(SECOND) not in ANSWERING:
        raise GateError(f"{system} only ranks passages and has no {gate.measure}; ask it of {', '.join(ANSWERING)}")
    return replace(gate, system=system)


def check_judge(gates: Sequence[Gate], *, configured: bool) -> None:
    """Raise ``GateError`` for a gate about what only a judge can tell, where none is configured."""
    for gate in gates:
        if not configured and gate.measure in (*JUDGED, FAILED):
            raise GateError(
                f"the gate {gate}: {gate.measure} is judged by a language model, and none is configured as judge: set "
                f"llm.tasks.judge, or hold gates to what is computed without one: {', '.join(COMPUTED)}"
            )


def check_questions(gates: Sequence[Gate], questions: Sequence[LabelledQuestion]) -> None:
    """Raise ``GateError`` for a gate about a type that no question with gold has, or what no question can tell."""
    answerable = [question for question in questions if question.gold]
    types = {question.type for question in answerable}
    for gate in gates:
        if gate.type and gate.type not in types:
            known = ", ".join(sorted(types))
            raise GateError(f"no answerable question measured here has the type {gate.type!r}; there are {known}")
        if gate.measure == SAFETY and not any(question.rules for question in questions):
            raise GateError(f"the gate {gate}: no question measured here has must_contain or must_not_contain")
        measured = [question for question in answerable if gate.type in ("", question.type)]
        if gate.measure == GRADED and not any(question.grades for question in measured):
            raise GateError(f"the gate {gate}: no question measured for it has gold_grades")
        if gate.measure in (*JUDGED_REFERENCES, *NEED_REFERENCES) and not any(item.references for item in measured):
            raise GateError(f"the gate {gate}: no answerable question measured for it has a reference answer")


def judge_gates(gates: Sequence[Gate], systems: Mapping[str, SystemScores]) -> tuple[GateOutcome, ...]:
    """Hold gates, each with its system, against what was measured."""
    return tuple(
        _judge(gate, _measured(systems[gate.system], gate), _distrust(systems[gate.system], gate)) for gate in gates
    )


def _judge(gate: Gate, estimate: Estimate, why: str) -> GateOutcome:
    passed = not why and estimate.value is not None and _REACHED[gate.sign](estimate.value, gate.wanted)
    return GateOutcome(gate=gate, estimate=estimate, passed=passed, why=why)


def _distrust(scores: SystemScores, gate: Gate) -> str:
    """Tell why a judged value is not to be trusted: it is that of the few that were judged. "" where it is."""
    judged = scores.judged
    if judged is None or gate.measure not in JUDGED:
        return ""
    verdicts = judged.verdicts[gate.measure]
    asked = judged.asked.get(gate.type, {}).get(gate.measure, Asked())
    counted = ", ".join(f"{reason} ({count})" for reason, count in verdicts.failed.items())
    reasons = f": {counted}" if counted else ""
    if verdicts.failures > verdicts.given:
        return f"{verdicts.failures} of {verdicts.failures + verdicts.given} verdicts failed{reasons}"
    if 2 * asked.without_value > asked.questions:
        return f"{asked.without_value} of {asked.questions} questions that the judge was asked have no value{reasons}"
    return ""


def _measured(scores: SystemScores, gate: Gate) -> Estimate:
    section, _, name = gate.measure.partition(".")
    match section:
        case "safety":
            return scores.safety.passed if scores.safety is not None else _single(None)
        case "citations":
            return scores.citations[name] if scores.citations is not None else _single(None)
        case "abstention" | "latency_ms" | "judge":
            return _single(_alone(scores, section, name))
        case "answers":
            return _of(scores.answers, gate, name)
        case _:
            return _of(_appraised(scores, gate.measure), gate, gate.measure)


def _alone(scores: SystemScores, section: str, name: str) -> float | None:
    """Return a value that has no interval."""
    if section == "judge":
        return scores.judged.failed_share if scores.judged is not None else None
    value: float | None = getattr(getattr(scores, section), name, None)
    return value


def _appraised(scores: SystemScores, measure: str) -> "_Typed | None":
    if measure in COMPUTED:
        return scores.computed
    return scores.judged if measure in JUDGED else scores


class _Typed(Protocol):
    """What has means over all questions and by type."""

    @property
    def measures(self) -> Mapping[str, Estimate]: ...

    @property
    def by_type(self) -> Mapping[str, Mapping[str, Estimate]]: ...


def _of(scores: _Typed | None, gate: Gate, name: str) -> Estimate:
    if scores is None:
        return _single(None)
    found = scores.by_type.get(gate.type, {}) if gate.type else scores.measures
    return found.get(name, _single(None))


def _single(value: float | None) -> Estimate:
    return Estimate(value=value, low=None, high=None, n=0)

"""What a judge replies, and what of it counts: a verdict whose numbers name nothing that was shown is none."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import BaseModel

Degree: TypeAlias = Literal["fully", "partly", "not"]

_DEGREES: dict[Degree, float] = {"fully": 1.0, "partly": 0.5, "not": 0.0}

UNKNOWN_NUMBER = "names a number that was not shown"
NO_EVIDENCE = "names no evidence"
NOT_JUDGED = "left out"
CONTRADICTION = "judged in two ways"


class ClaimVerdict(BaseModel):
    """One claim of a sentence, and the numbers of the passages that support it."""

    sentence: int
    claim: str
    supported: bool
    passages: list[int]


class ClaimVerdicts(BaseModel):
    """All claims, and the numbers of the sentences that claim nothing."""

    claims: list[ClaimVerdict]
    without_claim: list[int]


class PassageVerdict(BaseModel):
    """Whether one passage is needed."""

    passage: int
    useful: bool


class PassageVerdicts(BaseModel):
    """One verdict for each passage."""

    passages: list[PassageVerdict]


class DegreeVerdict(BaseModel):
    """How far an answer does something, and the numbers of the sentences in which it does."""

    degree: Degree
    sentences: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Verdicts on one answer: the ``values`` of those that count, and why others do not, by their number."""

    values: tuple[float, ...] = ()
    failed: Mapping[str, int] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """The mean of the verdicts that count; None without one: what was not judged has no value."""
        return sum(self.values) / len(self.values) if self.values else None

    @property
    def failed_share(self) -> float:
        """The share of the verdicts that failed: 1 of a call without any other, 0 where there was nothing to judge."""
        failures = sum(self.failed.values())
        return failures / (failures + len(self.values)) if failures else 0.0


def failed(reason: str) -> Judged:
    """Return the verdict that there is none, for a reason."""
    return Judged(failed={reason: 1})


def claims_judged(reply: ClaimVerdicts, *, sentences: int, passages: int) -> Judged:
    """Return 1 for each claim that is supported and 0 for each that is not.

    A claim counts where its sentence was shown and, being supported, where it names passages that were shown, and only
    such. A sentence of which nothing is said is a verdict that failed; so is a claim judged in two ways.
    """
    by_claim: dict[tuple[int, str], set[float | str]] = {}
    for verdict in reply.claims:
        key = (verdict.sentence, " ".join(verdict.claim.split()).casefold())
        by_claim.setdefault(key, set()).add(_claim(verdict, sentences, passages))
    told = {verdict.sentence for verdict in reply.claims} | set(reply.without_claim)
    left_out = [NOT_JUDGED] * sum(number not in told for number in range(1, sentences + 1))
    return _judged([*map(_one_verdict, by_claim.values()), *left_out])


def _claim(verdict: ClaimVerdict, sentences: int, passages: int) -> float | str:
    if not verdict.claim.strip():
        return NOT_JUDGED
    if not 1 <= verdict.sentence <= sentences:
        return UNKNOWN_NUMBER
    return _with_evidence(float(verdict.supported), verdict.passages, passages)


def passages_judged(reply: PassageVerdicts, *, passages: int) -> Judged:
    """Return 1 for each passage that is useful and 0 for each that is not; each must be judged, in one way."""
    verdicts: dict[int, set[float | str]] = {number: set() for number in range(1, passages + 1)}
    unknown = 0
    for verdict in reply.passages:
        if verdict.passage in verdicts:
            verdicts[verdict.passage].add(float(verdict.useful))
        else:
            unknown += 1
    return _judged([*map(_one_verdict, verdicts.values()), *([UNKNOWN_NUMBER] * unknown)])


def degree_judged(reply: DegreeVerdict, *, sentences: int) -> Judged:
    """Return 1, 0.5 or 0 for fully, partly and not; above 0 sentences must be named, all of which were shown."""
    return _judged([_with_evidence(_DEGREES[reply.degree], reply.sentences, sentences)])


def _with_evidence(value: float, named: Sequence[int], shown: int) -> float | str:
    """Return a value above 0 where its evidence was shown; 0 needs none."""
    if not value:
        return value
    if not named:
        return NO_EVIDENCE
    return value if all(1 <= number <= shown for number in named) else UNKNOWN_NUMBER


def _one_verdict(verdicts: set[float | str]) -> float | str:
    if not verdicts:
        return NOT_JUDGED
    return next(iter(verdicts)) if len(verdicts) == 1 else CONTRADICTION


def _judged(verdicts: Iterable[float | str]) -> Judged:
    found = list(verdicts)
    reasons = Counter(reason for reason in found if isinstance(reason, str))
    return Judged(values=tuple(_numbers(found)), failed=dict(sorted(reasons.items())))


def _numbers(verdicts: Iterable[float | str]) -> Iterator[float]:
    yield from (verdict for verdict in verdicts if not isinstance(verdict, str))

"""What a run did with language models, and what they failed at: done without them, and tried again next time."""

from dataclasses import dataclass, field

from model_clients.chat.messages import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCall:
    """One thing that a language model failed at: ``about`` names it, ``error`` says why in a sentence."""

    task: Task
    about: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWork:
    """What language models did in a run: how many things each task was asked about, and what failed.

    ``dropped`` counts what was told and not borne out: entities, relations, claims. ``unfinished`` are the ids of
    documents that the next run asks about again.
    """

    asked: dict[str, int] = field(default_factory=dict)
    failed: tuple[FailedCall, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    unfinished: tuple[str, ...] = ()


@dataclass(slots=True)
class WorkTally:
    """Adds up ``ModelWork`` while a run goes on."""

    asked: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    failed: list[FailedCall] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    def count(self, task: Task, *, asked: int = 0, dropped: int = 0) -> None:
        """Add things asked about and things not borne out."""
        self.asked[task] = self.asked.get(task, 0) + asked
        self.dropped[task] = self.dropped.get(task, 0) + dropped

    def fail(self, call: FailedCall) -> None:
        """Take note of a failure."""
        self.failed.append(call)

    def total(self) -> ModelWork | None:
        """Return all of it; None where no model was asked anything."""
        if not self.asked:
            return None
        return ModelWork(
            asked=dict(self.asked),
            failed=tuple(self.failed),
            dropped=dict(self.dropped),
            unfinished=tuple(sorted(self.unfinished)),
        )


class TreeLog:
    """Counts what becomes of summaries."""

    def __init__(self, work: WorkTally) -> None:
        self._work = work

    def asked(self, number: int) -> None:
        """Count nodes that were asked about."""
        if number:
            self._work.count("summaries", asked=number)

    def dropped(self, number: int) -> None:
        """Count claims that were not borne out."""
        self._work.count("summaries", dropped=number)

    def failed(self, title: str, error: str) -> None:
        """Take note of a summary that stays extractive."""
        self._work.fail(FailedCall(task="summaries", about=f"the summary {title!r}", error=error))

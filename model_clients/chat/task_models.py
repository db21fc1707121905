"""The language models of all tasks, as they are handed to whoever does a task."""

from collections.abc import Iterator
from dataclasses import dataclass

from model_clients.chat.messages import Task
from model_clients.chat.task_model import TaskModel


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskModels:
    """One model per task, None where the task is off and the deterministic path does it."""

    extraction: TaskModel | None = None
    reports: TaskModel | None = None
    summaries: TaskModel | None = None
    rewriting: TaskModel | None = None
    answers: TaskModel | None = None
    judge: TaskModel | None = None

    def of(self, task: Task) -> TaskModel | None:
        """Return the model of a task, None where it is off."""
        found: TaskModel | None = getattr(self, task)
        return found

    def __iter__(self) -> Iterator[TaskModel]:
        """Yield the models of the tasks that are on."""
        for task in (self.extraction, self.reports, self.summaries, self.rewriting, self.answers, self.judge):
            if task is not None:
                yield task

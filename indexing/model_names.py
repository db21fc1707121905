"""Which language models take part in indexing: what they made belongs to them, and is made anew by others."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model_clients.chat.task_model import TaskModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNames:
    """The name of the language model of each task of indexing; empty for a task that no model does."""

    extraction: str = ""
    reports: str = ""
    summaries: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingModels:
    """The language model of each task of indexing; None for a task that no model does.

    ``summaries`` also sums up what several chunks say of one entity.
    """

    extraction: "TaskModel | None" = None
    reports: "TaskModel | None" = None
    summaries: "TaskModel | None" = None
    names: ModelNames = field(init=False)

    def __post_init__(self) -> None:
        """Take the names of the models."""
        names = ModelNames(
            extraction=self.extraction.model_id if self.extraction else "",
            reports=self.reports.model_id if self.reports else "",
            summaries=self.summaries.model_id if self.summaries else "",
        )
        object.__setattr__(self, "names", names)


NO_MODEL_NAMES = ModelNames()
NO_MODELS = IndexingModels()

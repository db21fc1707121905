"""Goes over the replies of a system once more: by a judge, where there is one, and by what can be computed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.judging.computed import compute_values, computed_by
from belvedere.evaluation.judging.judge import JudgedReplies, judge_replies
from belvedere.evaluation.systems import SystemRun
from graph_store.access import Access
from indexing.report import Progress
from model_clients.chat.task_model import TaskModel
from model_clients.embedder import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Appraisal:
    """What was computed of each reply, by what, and what a judge said of it (None without one)."""

    computed: tuple[dict[str, float], ...] = ()
    computed_by: Mapping[str, str] = field(default_factory=dict)
    judged: JudgedReplies | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Appraiser:
    """Appraises all systems by the same means: one embedding model, one judge."""

    embedder: Embedder
    judge: TaskModel | None
    access: Access
    progress: Callable[[Progress], None] | None = None

    def appraise(self, run: SystemRun, dataset: Dataset) -> Appraisal:
        """Appraise the replies to all questions; a system that only ranks has none. Raises ``EndpointUnusable``."""
        if not run.replies:
            return Appraisal()
        judged = None
        if self.judge is not None:
            judged = judge_replies(self.judge, dataset.questions, run.replies, self.access, self.progress)
        return Appraisal(
            computed=compute_values(dataset.questions, run.replies, self.embedder),
            computed_by=computed_by(self.embedder.model_id),
            judged=judged,
        )

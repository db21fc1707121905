"""What an indexing run tells: progress while it runs, a report at its end."""

import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from indexing.loading.loaded import LoadFailure
from indexing.model_work import ModelWork
from model_clients.chat.messages import Task, TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run stands: ``done`` of ``total`` units of the step (``total`` is None where it is not known)."""

    step: str
    done: int
    total: int | None


ProgressListener: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChanges:
    """How many documents a run touched, and which sources it could not read.

    ``gone`` documents stay although their source, below the given paths, is gone, since the run was not told to prune;
    ``gone_outside`` documents of the tenant stay since their source, which is gone, lay elsewhere.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0
    gone: int = 0
    gone_outside: int = 0
    failed: tuple[LoadFailure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """The result of a run. Counts are those of the whole tenant afterwards; times are wall seconds per step.

    ``embed_cpu_seconds`` is the CPU time of all calls of the embedder, ``cpu_seconds`` that of the whole run.
    ``usage`` is what language models used, by task; ``usage_by_unit`` the same within each task, for ``extraction`` by
    document, for the others by step (``descriptions`` of entities are a step of ``summaries``); ``failed_calls`` how
    many calls of a task gave nothing, after which the deterministic path did it.
    ``model_work`` is what language models did, None where none was asked.
    """

    documents: DocumentChanges
    chunks: int
    entities: int
    relations: int
    communities: int
    tree_nodes: int
    seconds: dict[str, float]
    cpu_seconds: float
    embed_cpu_seconds: float
    peak_rss_bytes: int
    usage: Mapping[Task, TokenUsage] = field(default_factory=dict)
    usage_by_unit: Mapping[Task, Mapping[str, TokenUsage]] = field(default_factory=dict)
    failed_calls: Mapping[Task, int] = field(default_factory=dict)
    model_work: ModelWork | None = None


@dataclass(slots=True)
class StepClock:
    """Adds up wall time per named step."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the time of the block under ``name``."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - start


def peak_rss_bytes() -> int:
    """Return the largest resident size of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024

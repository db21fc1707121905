"""A progress bar on stderr, for whatever takes longer than a second."""

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

DELAY_SECONDS = 1.0


class ProgressEvent(Protocol):
    """A step with how much of it is done; ``total`` is None where that is not known."""

    @property
    def step(self) -> str:
        """The name of the step."""
        ...

    @property
    def done(self) -> int:
        """Units done."""
        ...

    @property
    def total(self) -> int | None:
        """Units to do."""
        ...


class ProgressBar:
    """Shows the current step once a second has passed, and disappears at the end; silent where stderr is no terminal.

    Call it with each event; used in a ``with`` statement.
    """

    def __init__(self, first_step: str) -> None:
        self._step = first_step
        self._done = 0
        self._total: int | None = None
        self._lock = threading.Lock()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._timer = threading.Timer(DELAY_SECONDS, self._show)
        self._timer.daemon = True

    def __call__(self, event: ProgressEvent) -> None:
        """Take note of an event."""
        with self._lock:
            self._step, self._done, self._total = event.step, event.done, event.total
            self._draw()

    def __enter__(self) -> Self:
        """Start waiting."""
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self._timer.cancel()
        with self._lock:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _show(self) -> None:
        from rich.console import Console  # noqa: PLC0415  # heavy import, only when used
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415  # as above

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with self._lock:
            if self._timer.finished.is_set():
                return
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._step)
            self._bar.start()
            self._draw()

    def _draw(self) -> None:
        if self._bar is None or self._task is None:
            return
        self._bar.update(self._task, description=self._step.replace("_", " "), completed=self._done, total=self._total)

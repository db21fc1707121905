"""What takes long is told on stderr: as a bar on a terminal, as a line now and then in a file or a pipe."""

import sys
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from belvedere.cli.printing import complain

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

DELAY_SECONDS = 1.0

FIRST_LINE_SECONDS, LINE_SECONDS = 2.0, 5.0
"""Where stderr is no terminal: when the first line is written, and how long to the next one."""


LINES_PER_STEP = 20
"""A step whose end is known is told at most so many times there."""


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


@dataclass(frozen=True, slots=True)
class _Told:
    """What the last line said."""

    step: str = ""
    done: int = 0
    total: int | None = None

    def is_news_after(self, earlier: "_Told") -> bool:
        if self.step != earlier.step or self.total is None or self.total != earlier.total:
            return self != earlier
        return abs(self.done - earlier.done) * LINES_PER_STEP >= max(self.total, 1)


class ProgressBar:
    """Shows the current step once it takes long: a bar that disappears at the end, or lines where there is no terminal.

    Call it with each event; used in a ``with`` statement.
    """

    def __init__(self, first_step: str) -> None:
        self._step = first_step
        self._done = 0
        self._total: int | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __call__(self, event: ProgressEvent) -> None:
        """Take note of an event."""
        with self._lock:
            self._step, self._done, self._total = event.step, event.done, event.total
            self._draw()

    def __enter__(self) -> Self:
        """Start waiting."""
        show = self._show_bar if sys.stderr.isatty() else self._write_lines
        threading.Thread(target=show, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the bar away; no line is written after this."""
        with self._lock:
            self._ended.set()
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _write_lines(self) -> None:
        """Write a line for a new step and for each twentieth of one, never in quick succession."""
        written = _Told()
        wait = FIRST_LINE_SECONDS
        while not self._ended.wait(wait):
            wait = LINE_SECONDS
            with self._lock:
                now = _Told(self._step, self._done, self._total)
                if now.is_news_after(written) and not self._ended.is_set():
                    complain(self._line())
                    written = now

    def _line(self) -> str:
        of = f" of {self._total:,}" if self._total is not None else ""
        return f"{_readable(self._step)} ..." + (f" {self._done:,}{of}" if self._done or of else "")

    def _show_bar(self) -> None:
        if self._ended.wait(DELAY_SECONDS):
            return
        from rich.console import Console  # noqa: PLC0415  # heavy import, only when used
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415  # as above

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with self._lock:
            if self._ended.is_set():
                return
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(_readable(self._step))
            self._bar.start()
            self._draw()

    def _draw(self) -> None:
        if self._bar is None or self._task is None:
            return
        self._bar.update(self._task, description=_readable(self._step), completed=self._done, total=self._total)


def _readable(step: str) -> str:
    return step.replace("_", " ")

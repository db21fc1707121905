"""How long each step of an answer took."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class StepTimes:
    """Collects wall-clock milliseconds per step; a step entered twice is summed."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._steps: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time the body of a ``with`` statement under ``name``; also where it raises."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - begun) * 1000
            self._steps[name] = self._steps.get(name, 0.0) + spent

    def milliseconds(self) -> Mapping[str, float]:
        """Return step -> milliseconds, in order of first entry, with the whole as ``total``."""
        total = (time.perf_counter() - self._started) * 1000
        return {name: round(spent, 3) for name, spent in [*self._steps.items(), ("total", total)]}

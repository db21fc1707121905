"""Counts what calls use, by task and by unit of work."""

import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from model_clients.chat.closing_stream import closing_stream
from model_clients.chat.errors import ChatFailed
from model_clients.chat.messages import ChatModel, ChatReply, ChatRequest, Task, TokenUsage

NOTHING = TokenUsage()


class UsageMeter:
    """What was used, by task, and within a task by unit: a document's id, a step, "question". Threads may share one."""

    def __init__(self) -> None:
        self._used: defaultdict[tuple[Task, str], TokenUsage] = defaultdict(TokenUsage)
        self._failed: defaultdict[Task, int] = defaultdict(int)
        self._counting = threading.Lock()

    def add(self, request: ChatRequest, usage: TokenUsage) -> None:
        """Count one call."""
        with self._counting:
            key = (request.task, request.scope.unit)
            self._used[key] = self._used[key] + usage

    def add_failure(self, request: ChatRequest, usage: TokenUsage = NOTHING) -> None:
        """Count a call that gave nothing, and what it used all the same."""
        if usage != NOTHING:
            self.add(request, usage)
        with self._counting:
            self._failed[request.task] += 1

    @property
    def total(self) -> TokenUsage:
        """All that was used."""
        return sum(self.by_task().values(), start=NOTHING)

    def by_task(self) -> Mapping[Task, TokenUsage]:
        """Return what each task has used, tasks without calls left out."""
        summed: defaultdict[Task, TokenUsage] = defaultdict(TokenUsage)
        with self._counting:
            for (task, _), usage in self._used.items():
                summed[task] = summed[task] + usage
        return dict(sorted(summed.items()))

    def by_unit(self, task: Task) -> Mapping[str, TokenUsage]:
        """Return what each unit of a task has used."""
        with self._counting:
            return {unit: usage for (of, unit), usage in sorted(self._used.items()) if of == task}

    def by_task_and_unit(self) -> Mapping[Task, Mapping[str, TokenUsage]]:
        """Return what each unit of each task has used, tasks without calls left out."""
        return {task: self.by_unit(task) for task in self.by_task()}

    def failures(self) -> Mapping[Task, int]:
        """Return how many calls of each task gave nothing."""
        with self._counting:
            return dict(sorted(self._failed.items()))


_collecting: ContextVar[tuple[UsageMeter, ...]] = ContextVar("collecting", default=())


@contextmanager
def collected_usage() -> Iterator[UsageMeter]:
    """Give a meter of the calls made within the block by this thread, and of no others."""
    meter = UsageMeter()
    token = _collecting.set((*_collecting.get(), meter))
    try:
        yield meter
    finally:
        _collecting.reset(token)


class MeteredChatModel:
    """Counts the calls of ``model`` in the meters of those who collect usage."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def model_id(self) -> str:
        """The name of the model."""
        return self._model.model_id

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply, counted."""
        meters = _collecting.get()
        try:
            reply = await self._model.complete(request)
        except ChatFailed as error:
            for meter in meters:
                meter.add_failure(request, error.usage)
            raise
        for meter in meters:
            meter.add(request, reply.usage)
        return reply

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the text piece by piece, then the whole reply, counted."""
        meters = _collecting.get()
        try:
            async with closing_stream(self._model.stream(request)) as stream:
                async for part in stream:
                    if isinstance(part, ChatReply):
                        for meter in meters:
                            meter.add(request, part.usage)
                    yield part
        except ChatFailed as error:
            for meter in meters:
                meter.add_failure(request, error.usage)
            raise

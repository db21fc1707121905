"""One event loop in a thread of its own, in which all calls to language models of this process are made.

So calls that wait can be made from any thread, also from one that runs an event loop itself, and a connection pool
serves them all.
"""

import asyncio
import atexit
import contextvars
import os
import threading
import weakref
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class _LoopThread:
    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="belvedere-llm", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def stop(self) -> None:
        if self.process != os.getpid():
            return  # a forked process has the loop but not its thread
        asyncio.run_coroutine_threadsafe(_close_all(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


class Closes(Protocol):
    """Something that holds connections of the loop."""

    async def close(self) -> None:
        """Close them."""
        ...


_open: "weakref.WeakSet[Closes]" = weakref.WeakSet()
_running: _LoopThread | None = None
_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    global _running  # noqa: PLW0603  # one loop a process
    with _starting:
        if _running is None or _running.process != os.getpid():
            _running = _LoopThread()
            atexit.register(_running.stop)
        if threading.current_thread() is _running.thread:
            raise RuntimeError("a call that waits was made from within the loop that it would wait for")
        return _running.loop


def close_at_end(resource: Closes) -> None:
    """Close this with the loop, at the end of the process, where nobody has closed it before."""
    _open.add(resource)


async def _close_all() -> None:
    for resource in list(_open):
        await resource.close()


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` in the loop and return its result; interrupted waiting (Ctrl-C) cancels it.

    It sees the context variables of the caller.
    """
    try:
        loop = _loop()
    except RuntimeError:
        work.close()
        raise
    context = contextvars.copy_context()
    future = asyncio.run_coroutine_threadsafe(_within(context, work), loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def _within(context: contextvars.Context, work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` with the context variables of whoever waits for it."""
    task = asyncio.get_running_loop().create_task(work, context=context)
    try:
        return await task
    finally:
        task.cancel()


def iterate(items: AsyncIterator[T]) -> Iterator[T]:
    """Yield what ``items`` yields, each taken from it in the loop when it is asked for; closed when left early."""
    try:
        while True:
            taken = wait_for(_take(items))
            if taken is None:
                return
            yield taken[0]
    finally:
        wait_for(_close(items))


async def _take(items: AsyncIterator[T]) -> tuple[T] | None:
    try:
        return (await anext(items),)
    except StopAsyncIteration:
        return None


async def _close(items: AsyncIterator[Any]) -> None:
    close = getattr(items, "aclose", None)
    if close is not None:
        await close()

"""Calls that wait, made from threads and from within running loops."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from model_clients.chat.background_loop import iterate, wait_for
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from tests.model_clients.chat.chat_requests import a_request


def test_many_threads_share_one_loop() -> None:
    async def where() -> tuple[int, str]:
        await asyncio.sleep(0.01)
        return id(asyncio.get_running_loop()), threading.current_thread().name

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: wait_for(where()), range(16)))
    assert len(found) == 1
    assert found.pop()[1] != threading.current_thread().name


def test_a_running_loop_is_no_hindrance() -> None:
    model = TaskModel(ScriptedChatModel(lambda _: "hill"))

    async def ask() -> tuple[str, list[str]]:
        return model.ask(a_request()).text, list(model.stream(a_request()))

    assert asyncio.run(ask()) == ("hill", ["hill"])


def test_errors_come_through() -> None:
    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        wait_for(fail())


def test_waiting_within_the_loop_for_itself_is_refused() -> None:
    async def nothing() -> None:
        """Do nothing."""

    async def waits() -> None:
        wait_for(nothing())

    with pytest.raises(RuntimeError, match="from within the loop"):
        wait_for(waits())


def test_what_is_left_early_is_closed() -> None:
    closed = threading.Event()

    async def count() -> AsyncIterator[int]:
        try:
            for number in range(100):
                yield number
        finally:
            closed.set()

    items = iterate(count())
    assert next(items) == 0
    items.close()  # type: ignore[attr-defined]  # it is a generator
    assert closed.is_set()


def test_the_process_ends_without_a_warning_after_calls_were_made() -> None:
    script = "import asyncio\nfrom model_clients.chat.background_loop import wait_for\nwait_for(asyncio.sleep(0))\n"
    ended = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", script], capture_output=True, check=True)
    assert ended.stderr == b""

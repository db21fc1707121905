"""The machine that figures were measured on, in one line."""

import os
import platform
from pathlib import Path


def describe_machine() -> str:
    """Return processor, usable cores, system and Python version."""
    return f"{_processor()}, {_cores()} cores, {platform.system()}, Python {platform.python_version()}"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

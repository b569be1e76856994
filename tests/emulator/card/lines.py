"""Pytest plugin that records which lines of the GPU modules a test run executes.

pytest -p tests.emulator.card.lines ...
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parents[3]
OF_CUPY = ("engine/core/backend/cupy_*.py",)
OF_DEVICE = (
    "engine/operators/**/*device*.py",
    "engine/operators/xray/resident_projections.py",
    "engine/operators/xray/slices.py",
    "engine/operators/xray/patches.py",
    "engine/kernels/**/device_*.py",
)
OUT = "ISOCENTER_CARD_LINES"
"""Environment variable with the name of the file to write."""
_run: dict[str, set[int]] = {}


def modules(patterns: tuple[str, ...]) -> list[Path]:
    """Return the files that match patterns relative to the root of the clone."""
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def share(
    ran: dict[str, list[int]], patterns: tuple[str, ...]
) -> tuple[float, dict[str, list[int]]]:
    """Return the executed share of lines, and the lines of each module that did not run."""
    n, left = 0, {}
    for path in modules(patterns):
        code = compile(path.read_text("utf-8"), str(path), "exec")
        lines = set(_lines(code))
        n += len(lines)
        left[path.name] = sorted(lines - set(ran.get(str(path), ())))
    return 1 - sum(map(len, left.values())) / n, left


def _lines(code: CodeType) -> Iterator[int]:
    """Return the lines of functions; those of modules and classes run on import."""
    if code.co_flags & 2:  # of a function
        # the def line is not a line of its body
        yield from {line for _, _, line in code.co_lines() if line} - {code.co_firstlineno}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


def pytest_configure() -> None:
    names = {str(path): _run.setdefault(str(path), set()) for path in modules(OF_CUPY + OF_DEVICE)}

    def called(frame: FrameType, event: str, value: Any) -> Any:
        ran = names.get(frame.f_code.co_filename)
        if ran is None:
            return None

        def stepped(frame: FrameType, event: str, value: Any) -> Any:
            ran.add(frame.f_lineno)
            return stepped

        ran.add(frame.f_lineno)
        return stepped

    sys.settrace(called)
    threading.settrace(called)


def pytest_unconfigure() -> None:
    sys.settrace(None)
    text = json.dumps({name: sorted(lines) for name, lines in _run.items()})
    Path(os.environ[OUT]).write_text(text, "utf-8")

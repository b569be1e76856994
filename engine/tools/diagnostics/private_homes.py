"""Folders of the program that others can change."""

from __future__ import annotations

from contextlib import suppress

from engine.core.errors import EngineError
from engine.core.paths import queue_dir, tuning_dir, windows_dir
from engine.core.private_files import Refused, refused_paths


def refused_homes() -> tuple[Refused, ...]:
    """Check the folders of queue, tuned variants and windows; return all refused paths so far."""
    # The folder of jobs has the same home, and is created when it is asked for
    for folder in (queue_dir, tuning_dir, windows_dir):
        with suppress(EngineError):  # reported by the first use of the folder
            folder()
    return refused_paths()

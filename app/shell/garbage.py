"""Collect Python's cyclic garbage only between two events, and use one heap.

Python collects in the thread that happens to allocate next, at any point of its work. Garbage of
the window contains Qt objects. The program crashes if another thread deletes them, or if they are
deleted while Qt uses them.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500
NAME = "garbage"
ARENA_MAX = -8
"""Option of `mallopt` in glibc: the largest number of heaps."""
YOUNGEST = 100_000
"""Objects after which a collection is due; a window creates more garbage than a command."""


class GarbageTimer(QObject):
    """Timer that runs Python's collections in the thread of the window."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setObjectName(NAME)
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(collect_due)
        self._timer.start()


def collect_between_events(app: QObject) -> None:
    """Collect garbage by a timer of the application from now on.

    Parameters
    ----------
    app
        application; further calls for the same one do nothing
    """
    # Python's own collections, which can run in any thread.
    gc.disable()
    if app.findChild(GarbageTimer, NAME) is None:
        GarbageTimer(app)


def collect_due() -> None:
    """Collect the oldest generation that has reached its threshold, with all younger ones."""
    counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
    # A threshold of 0 means that Python never collects this generation.
    due = [age for age, (count, most) in enumerate(counts) if 0 < most < count]
    if due:
        gc.collect(due[-1])


def freeze_start_objects() -> None:
    """Exclude objects of the start, which live until the end, so that collections are short."""
    # Moves all objects to a generation that is never collected. A collection before it would take
    # 0.1 s, and find that 0.4 % of the objects are garbage.
    gc.freeze()
    gc.set_threshold(YOUNGEST)


def use_one_heap() -> None:
    """Let all threads share one heap (glibc); call it before the first thread starts.

    Otherwise glibc makes a heap for each of the first threads, up to eight for each processor. The
    system does not get the gaps in them back, and they grow with the number of runs.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # other libraries than glibc have no heaps
            ctypes.CDLL(None).mallopt(ARENA_MAX, 1)

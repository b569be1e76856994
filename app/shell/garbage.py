"""Python's cyclic garbage is collected between two events of the window, and nowhere else.

Python collects in whichever thread allocates next, in the midst of whatever that does. Garbage of
the window holds Qt objects: ended by another thread, or while Qt is at work on them, they take the
program with them.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500
NAME = "garbage"
YOUNGEST = 100_000
"""Objects after which garbage is due: a window makes more of it than a command does."""


class GarbageTimer(QObject):
    """Collects what Python's own thresholds would have collected, in the thread of the window."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setObjectName(NAME)
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(collect_due)
        self._timer.start()


def collect_between_events(app: QObject) -> None:
    """Collect garbage by a timer of the application from now on, however often this is called."""
    gc.disable()
    if app.findChild(GarbageTimer, NAME) is None:
        GarbageTimer(app)


def collect_due() -> None:
    """Collect the oldest generation whose threshold is reached, and all younger ones with it."""
    counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [age for age, (count, most) in enumerate(counts) if 0 < most < count]
    if due:
        gc.collect(due[-1])


def set_start_aside() -> None:
    """Look no more at what the start made, which stays to the end: collections are short then."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNGEST)

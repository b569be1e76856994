"""Looking for the axis of rotation in the views that are held, beside the slices."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from engine.core.backend import cpu
from engine.core.errors import EngineError
from engine.corrections.preprocess.rotation_axis import CentreOfRotation
from engine.data.projections import Projections

MOST_BYTES = 256 * 2**20
"""Copied of the views, at most: the rows about the middle, where there are more."""


def middle_rows(shape: tuple[int, int, int], n_bytes_each: int = 4) -> slice:
    """Return the rows of views (n_views, n_rows, n_columns) that are looked at."""
    n_views, n_rows, n_columns = shape
    n = max(1, min(n_rows, MOST_BYTES // max(n_views * n_columns * n_bytes_each, 1)))
    first = (n_rows - n) // 2
    return slice(first, first + n)


class AxisFinder:
    """Finds one axis at a time, in a thread of its own.

    Parameters
    ----------
    found : called with the column, from 0
    say : called with a sentence of what was found, or why nothing was
    """

    def __init__(self, found: Callable[[float], object], say: Callable[[str], object]) -> None:
        self._found, self._say = found, say
        self._thread: Thread | None = None

    def begin(self, views: Projections) -> None:
        """Look for it in line integrals; nothing happens while it is being looked for."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._find, args=(views,), name="axis", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait for what is being looked for."""
        if self._thread is not None:
            self._thread.join()

    def _find(self, views: Projections) -> None:
        before = float(views.geometry.axis_column.mean())
        try:
            found = CentreOfRotation().estimate(views, on=cpu(1))
        except EngineError as e:
            self._say(f"The axis stays at column {before:.2f}: {e}")
            return
        self._found(found.value)
        self._say(f"The axis is seen at column {found.value:.2f} ({found.method}).")

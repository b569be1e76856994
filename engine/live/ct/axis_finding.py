"""Find the rotation axis from the views in memory, in parallel with the slices."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from engine.core.backend import cpu
from engine.core.errors import EngineError
from engine.corrections.preprocess.rotation_axis import CentreOfRotation
from engine.data.projections import Projections

MAX_BYTES = 256 * 2**20
"""Most memory for a copy of the views; larger ones are cut to the rows in the middle."""


def middle_rows(shape: tuple[int, int, int], n_bytes_each: int = 4) -> slice:
    """Return the rows of the views that are used to find the axis.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns)
    n_bytes_each
        size of a value

    Returns
    -------
    rows
        rows in the middle of the detector
    """
    n_views, n_rows, n_columns = shape
    n = max(1, min(n_rows, MAX_BYTES // max(n_views * n_columns * n_bytes_each, 1)))
    first = (n_rows - n) // 2
    return slice(first, first + n)


class AxisFinder:
    """Finds one axis at a time, in a separate thread.

    Parameters
    ----------
    found : called with the column of the axis, from 0
    report : called with a sentence about the result
    """

    def __init__(self, found: Callable[[float], object], report: Callable[[str], object]) -> None:
        self._found, self._report = found, report
        self._thread: Thread | None = None

    def begin(self, views: Projections) -> None:
        """Start to find the axis; does nothing while a search is running.

        Parameters
        ----------
        views
            line integrals
        """
        # A second search would use nearly the same views
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._find, args=(views,), name="axis", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait for the running search."""
        if self._thread is not None:
            self._thread.join()

    def _find(self, views: Projections) -> None:
        before = float(views.geometry.axis_column.mean())
        try:
            # One thread: slices of incoming frames need the others
            found = CentreOfRotation().estimate(views, on=cpu(1))
        except EngineError as e:
            self._report(f"The rotation axis stays at column {before:.2f}: {e}")
            return
        self._found(found.value)
        self._report(f"The rotation axis is at column {found.value:.2f} ({found.method}).")

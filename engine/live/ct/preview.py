"""Coarse volume of a running scan, made once per rotation by a thread with low priority.

Filtered views are averaged over k × k pixels and projected back into a small cube. A volume is
skipped if the previous one is not finished, or frames are waiting.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread, get_native_id

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.live.ct.planes import middle_planes
from engine.live.ct.slices import LiveSlices
from engine.operators.xray.transform import XrayTransform

NICE = 10
"""Lower priority of the thread, on systems on which threads have their own."""


@dataclass(frozen=True, eq=False)
class CoarseVolume:
    """A coarse volume for orientation.

    Attributes
    ----------
    values : (n_z, n_y, n_x) [1/mm]
    grid : its voxels
    newest : number of the last view in it
    """

    values: Array
    grid: ImageGrid
    newest: int


class CoarsePreview:
    """Compute a new volume after each rotation.

    Parameters
    ----------
    edge : voxels along each side; 0: no volume is made
    """

    def __init__(self, edge: int) -> None:
        self._edge = edge
        self._thread: Thread | None = None
        self._made_at = 0
        self._fault = ""
        self.volume: CoarseVolume | None = None

    def forget(self) -> None:
        """Discard the volume: another scan starts."""
        self.wait()
        self.volume, self._made_at = None, 0

    def offer(self, slices: LiveSlices, n_used: int) -> None:
        """Start a volume after a rotation of new views, unless one is being computed.

        Parameters
        ----------
        slices
            slices with the filtered views
        n_used
            number of projections in images so far
        """
        is_busy = self._thread is not None and self._thread.is_alive()
        if self._edge == 0 or is_busy or n_used - self._made_at < slices.n_window:
            return
        # Even if no volume is made; otherwise each image would try again
        self._made_at = n_used
        # Averaged here, in the thread that owns the views: later views may replace them
        work = coarse_work(slices, self._edge)
        if work is not None:
            self._thread = Thread(target=self._make, args=(work,), name="preview", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait for a volume that is being made."""
        if self._thread is not None:
            self._thread.join()

    def _make(self, work: CoarseWork) -> None:
        _yield_to_others()
        try:
            self.volume = work.volume()
        except Exception as e:  # noqa: BLE001  slices continue without it
            self._fault = f"{type(e).__name__}: {e}"
            # The error would occur again after every rotation
            self._edge = 0

    def take_fault(self) -> str:
        """Return the reason why no more volumes are computed, once; empty if there is none."""
        fault, self._fault = self._fault, ""
        return fault


@dataclass(frozen=True, eq=False)
class CoarseWork:
    """Averaged views of one time; later views do not change them."""

    transform: XrayTransform
    views: Array
    newest: int

    def volume(self) -> CoarseVolume:
        """Project the views back."""
        values = self.transform.back_project(self.views, weighting="fdk")
        return CoarseVolume(values, self.transform.grid, self.newest)


def coarse_work(slices: LiveSlices, edge: int) -> CoarseWork | None:
    """Return the views of the newest images, as coarse as the volume.

    Parameters
    ----------
    slices
        slices with the filtered views
    edge
        voxels along each side

    Returns
    -------
    work
        data for the volume; None before the first view
    """
    newest = slices.newest
    if newest is None:
        return None
    middle = middle_planes(slices.geometry, edge)[0]
    voxel = middle.pixel_mm * middle.shape[0] / edge
    grid = ImageGrid((edge,) * 3, (voxel,) * 3, middle.centre_mm)
    k = max(1, min(slices.geometry.shape) // edge)
    views, geometry, gains = slices.filtered_views(k)
    views *= gains[:, None, None].astype(np.float32)
    return CoarseWork(XrayTransform(geometry.binned(k), grid, on=cpu(1)), views, newest)


def _yield_to_others() -> None:
    """Lower the priority of this thread; only Linux has priorities of threads."""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICE)

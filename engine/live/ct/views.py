"""Which views of a running scan belong together, and what they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.core.errors import DataError, GeometryError
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Frame
from engine.live.ct.settings import LiveSettings
from engine.recon.filtering.design import plan_for
from engine.recon.filtering.detector import edges
from engine.recon.filtering.orbit import orbit_of
from engine.recon.filtering.redundancy import coverage

if TYPE_CHECKING:
    from engine.recon.filtering.view_filter import ViewWeights

LATE = 64
"""A number smaller than the newest by this, or 0, begins another scan."""


def views_of(scan: XrayGeometry, settings: LiveSettings) -> int:
    """How many views of a scan are in its live slices at most."""
    if settings.mode == "growing":
        return scan.n_views
    gap = coverage(scan.angles_rad).typical_gap_rad
    turn = 2 * np.pi
    if settings.turn == "half":
        fan = max(map(abs, edges(orbit_of(scan)))) if scan.beam == "cone" else 0.0
        turn = np.pi + 2 * fan
    return max(1, int(np.ceil(turn / gap - 1e-6)))


def begins_anew(frame: Frame, newest: int | None, scan: int | None) -> bool:
    """Whether a projection is of another scan than the newest one that is there.

    Its source says so, if it knows: late images of a folder are of the scan. Else numbers say it.

    Parameters
    ----------
    frame
        that comes now
    newest
        number of the newest projection, None where there is none
    scan
        of the newest projection, as its source numbers scans
    """
    if newest is None:
        return False
    if frame.scan is not None and scan is not None:
        return frame.scan != scan
    return frame.index < newest and (frame.index == 0 or newest - frame.index >= LATE)


def is_same_geometry(one: XrayGeometry | None, other: XrayGeometry | None) -> bool:
    """Whether both are known, and of the same detector on the same way."""
    if one is None or other is None:
        return False
    if one is other:
        return True
    if (one.beam, one.shape, one.n_views) != (other.beam, other.shape, other.n_views):
        return False
    names = ("source_mm", "detector_mm", "u_mm", "v_mm")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def word_of(weights: ViewWeights) -> str:
    """Return how rays count that are measured twice: "exact" where none or all of them are."""
    kind = weights.design.kind
    if weights.covered_rad and kind in ("full circle", "half circle", "half fan"):
        return "exact"
    return "even" if weights.are_even else "shared"


def check_scan(scan: XrayGeometry) -> None:
    """Refuse a scan whose slices cannot be made while it runs."""
    if plan_for(scan).climbs:
        raise GeometryError(
            "the scan moves along its axis, and live slices are of scans that turn on one level; "
            "reconstruct it when it is finished."
        )


def check_shape(frame: Frame, shape: tuple[int, int]) -> None:
    """Refuse a frame of another size (n_rows, n_columns) than the detector's."""
    if frame.values.shape != shape:
        (rows, columns), (want_rows, want_columns) = frame.values.shape, shape
        raise DataError(
            f"frames of {rows} × {columns} pixels (rows × columns), the geometry's detector has "
            f"{want_rows} × {want_columns}; give the geometry of this detector."
        )

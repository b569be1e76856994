"""Which views of a running scan belong together."""

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
"""A number that is smaller than the newest by this, or 0, starts another scan."""


def views_of(scan: XrayGeometry, settings: LiveSettings) -> int:
    """Return the most views in the live slices of a scan.

    Parameters
    ----------
    scan
        geometry of the whole scan
    settings
        mode, and half or full rotation
    """
    if settings.mode == "growing":
        return scan.n_views
    gap = coverage(scan.angles_rad).typical_gap_rad
    turn = 2 * np.pi
    if settings.turn == "half":
        # A short scan of a fan needs half a rotation plus the fan angle (Parker 1982)
        fan = max(map(abs, edges(orbit_of(scan)))) if scan.beam == "cone" else 0.0
        turn = np.pi + 2 * fan
    # Rounding errors of the gap must not add a view
    return max(1, int(np.ceil(turn / gap - 1e-6)))


def starts_new_scan(frame: Frame, newest: int | None, scan: int | None) -> bool:
    """Return True if a projection belongs to another scan than the newest one.

    Some sources know this, since late images of a folder belong to the scan. Otherwise numbers
    decide.

    Parameters
    ----------
    frame
        current projection
    newest
        number of the newest projection, None without one
    scan
        scan of the newest projection, as numbered by the source
    """
    if newest is None:
        return False
    if frame.scan is not None and scan is not None:
        return frame.scan != scan
    return frame.index < newest and (frame.index == 0 or newest - frame.index >= LATE)


def is_same_geometry(one: XrayGeometry | None, other: XrayGeometry | None) -> bool:
    """Return True if both geometries are known and equal.

    Parameters
    ----------
    one, other
        geometries; None if unknown
    """
    if one is None or other is None:
        return False
    # Announced geometries of thousands of views are compared every few seconds
    if one is other:
        return True
    if (one.beam, one.shape, one.n_views) != (other.beam, other.shape, other.n_views):
        return False
    names = ("source_mm", "detector_mm", "u_mm", "v_mm")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def word_of(weights: ViewWeights) -> str:
    """Return how rays that are measured twice are weighted.

    Parameters
    ----------
    weights
        weights of the current views

    Returns
    -------
    word
        "even" or "shared"; "exact" if no ray, or every ray, is measured twice
    """
    kind = weights.design.kind
    if weights.covered_rad and kind in ("full circle", "half circle", "half fan"):
        return "exact"
    return "even" if weights.are_even else "shared"


def check_scan(scan: XrayGeometry) -> None:
    """Refuse a scan that cannot be reconstructed while it runs.

    Parameters
    ----------
    scan
        geometry of the whole scan

    Raises
    ------
    GeometryError
        if the scan moves along its axis
    """
    if plan_for(scan).climbs:
        raise GeometryError(
            "the source moves along the axis of rotation, which live slices do not support; "
            "reconstruct the scan when it is complete."
        )


def check_shape(frame: Frame, shape: tuple[int, int]) -> None:
    """Refuse a frame of another size than the detector.

    Parameters
    ----------
    frame
        frame as measured
    shape
        (n_rows, n_columns) of the geometry's detector

    Raises
    ------
    DataError
        if the sizes differ
    """
    if frame.values.shape != shape:
        (rows, columns), (want_rows, want_columns) = frame.values.shape, shape
        raise DataError(
            f"the frame has {rows} × {columns} pixels (rows × columns), but the detector in the "
            f"geometry has {want_rows} × {want_columns}; give the geometry of this detector."
        )

"""Line integrals of the views in the slices, each in a slot until another view needs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Frame

SAME_ANGLE = 1e-6
_FREE = -1
_VECTORS = ("source_mm", "detector_mm", "u_mm", "v_mm")


class ViewRing:
    """Views by number.

    Parameters
    ----------
    scan : geometry of the whole scan; gives size and beam
    n_slots : most views

    Attributes
    ----------
    values : (n_slots, n_rows, n_columns) line integrals
    """

    def __init__(self, scan: XrayGeometry, n_slots: int) -> None:
        self.values = np.zeros((n_slots, *scan.shape), np.float32)
        self._numbers = np.full(n_slots, _FREE)
        self._scan = scan
        # Measured angles differ from planned ones, so every view has its own vectors
        self._vectors = {name: np.zeros((n_slots, 3)) for name in _VECTORS}

    @property
    def slots(self) -> list[int]:
        """Used slots in the order of their views' numbers."""
        order = np.argsort(self._numbers, kind="stable")
        return [int(slot) for slot in order[self._numbers[order] != _FREE]]

    @property
    def numbers(self) -> set[int]:
        """Numbers of the views."""
        return {int(number) for number in self._numbers if number != _FREE}

    @property
    def newest(self) -> int | None:
        """Largest number; None without a view."""
        most = int(self._numbers.max())
        return None if most == _FREE else most

    def outdated(self, numbers: Sequence[int], before: int) -> list[int]:
        """Return slots whose views are replaced or too old.

        Parameters
        ----------
        numbers
            numbers of new views, which replace earlier ones
        before
            smallest number that stays
        """
        outdated = (self._numbers < before) | np.isin(self._numbers, numbers)
        return [int(slot) for slot in np.flatnonzero(outdated & (self._numbers != _FREE))]

    def free(self, slots: Sequence[int]) -> None:
        """Discard the views in these slots."""
        self._numbers[list(slots)] = _FREE

    def put(self, number: int, values: Array, geometry: XrayGeometry) -> int:
        """Store a view in a free slot.

        Parameters
        ----------
        number
            number of the view
        values
            (n_rows, n_columns) line integrals
        geometry
            geometry of this view alone

        Returns
        -------
        slot
            number of the slot
        """
        slot = int(np.flatnonzero(self._numbers == _FREE)[0])
        self.values[slot] = values
        self._numbers[slot] = number
        for name, vectors in self._vectors.items():
            vectors[slot] = getattr(geometry, name)[0]
        return slot

    def geometry(self, slots: Sequence[int]) -> XrayGeometry:
        """Return the geometry of the views in some slots, in their order."""
        some = list(slots)
        source, detector, u, v = (self._vectors[name][some] for name in _VECTORS)
        return replace(self._scan, source_mm=source, detector_mm=detector, u_mm=u, v_mm=v)


def view_of(scan: XrayGeometry, frame: Frame) -> XrayGeometry:
    """Return the geometry of one frame.

    It is the planned view if number and angle agree. Otherwise it is the planned view of the
    nearest angle, rotated by the difference.

    Parameters
    ----------
    scan
        geometry of the whole scan
    frame
        projection, perhaps with an angle

    Raises
    ------
    GeometryError
        if neither the frame nor the scan states its angle
    """
    angles, k = scan.angles_rad, frame.index
    if frame.angle_rad is None:
        if k >= scan.n_views:
            raise GeometryError(
                f"projection {k} has no angle and is not in the geometry, which has only "
                f"{scan.n_views} views; send angles, or give the geometry of all views."
            )
        return scan.select([k])
    away = _wrapped(frame.angle_rad - angles)
    if k >= scan.n_views or abs(away[k]) > SAME_ANGLE:
        # The nearest view: corrections of position may depend on the angle
        k = int(np.argmin(np.abs(away)))
    view = scan.select([k])
    return view if abs(away[k]) <= SAME_ANGLE else view.rotated(away[k])


def views_of(scan: XrayGeometry, frames: Sequence[Frame]) -> XrayGeometry:
    """Return the geometry of several frames, in their order.

    Parameters
    ----------
    scan
        geometry of the whole scan
    frames
        projections, perhaps with angles, as for `view_of`
    """
    numbers = [min(frame.index, scan.n_views - 1) for frame in frames]
    views = scan.select(numbers)
    # Most frames have the planned angle, so the others alone are worth a search each
    stated = np.array([np.nan if f.angle_rad is None else f.angle_rad for f in frames])
    is_beyond = np.array([frame.index >= scan.n_views for frame in frames])
    differs = is_beyond | (np.abs(_wrapped(stated - scan.angles_rad[numbers])) > SAME_ANGLE)
    if not differs.any():
        return views
    source, detector, u, v = (np.array(getattr(views, name)) for name in _VECTORS)
    for k in map(int, np.flatnonzero(differs)):
        view = view_of(scan, frames[k])
        for values, name in zip((source, detector, u, v), _VECTORS, strict=True):
            values[k] = getattr(view, name)[0]
    return replace(views, source_mm=source, detector_mm=detector, u_mm=u, v_mm=v)


def _wrapped(angles: Array) -> Array:
    return np.asarray((angles + np.pi) % (2 * np.pi) - np.pi)

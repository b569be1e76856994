"""Line integrals of the views that slices are made of, each in a slot until another needs it."""

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
    """Views by their numbers.

    Parameters
    ----------
    scan : geometry of the whole scan; gives size and kind of beam
    n_slots : views at most

    Attributes
    ----------
    values : (n_slots, n_rows, n_columns) line integrals
    """

    def __init__(self, scan: XrayGeometry, n_slots: int) -> None:
        self.values = np.zeros((n_slots, *scan.shape), np.float32)
        self._numbers = np.full(n_slots, _FREE)
        self._scan = scan
        self._vectors = {name: np.zeros((n_slots, 3)) for name in _VECTORS}

    @property
    def slots(self) -> list[int]:
        """Slots in use, in the order of the numbers of their views."""
        order = np.argsort(self._numbers, kind="stable")
        return [int(slot) for slot in order[self._numbers[order] != _FREE]]

    @property
    def numbers(self) -> set[int]:
        """Numbers of the views."""
        return {int(number) for number in self._numbers if number != _FREE}

    @property
    def newest(self) -> int | None:
        """Largest number; None: there is no view."""
        most = int(self._numbers.max())
        return None if most == _FREE else most

    def outdated(self, numbers: Sequence[int], before: int) -> list[int]:
        """Slots of these numbers, and of all below `before`."""
        gone = (self._numbers < before) | np.isin(self._numbers, numbers)
        return [int(slot) for slot in np.flatnonzero(gone & (self._numbers != _FREE))]

    def free(self, slots: Sequence[int]) -> None:
        """Forget the views in these slots."""
        self._numbers[list(slots)] = _FREE

    def put(self, number: int, values: Array, geometry: XrayGeometry) -> int:
        """Keep a view in a free slot; returns the slot."""
        slot = int(np.flatnonzero(self._numbers == _FREE)[0])
        self.values[slot] = values
        self._numbers[slot] = number
        for name, vectors in self._vectors.items():
            vectors[slot] = getattr(geometry, name)[0]
        return slot

    def geometry(self, slots: Sequence[int]) -> XrayGeometry:
        """Return source and detector of views, as the scan has them."""
        some = list(slots)
        source, detector, u, v = (self._vectors[name][some] for name in _VECTORS)
        return replace(self._scan, source_mm=source, detector_mm=detector, u_mm=u, v_mm=v)


def view_of(scan: XrayGeometry, frame: Frame) -> XrayGeometry:
    """Return where source and detector stood for a frame.

    A view of the scan where its number and angle say so; else that of the nearest angle, turned.

    Raises
    ------
    GeometryError
        where neither the frame nor the scan says its angle
    """
    angles, k = scan.angles_rad, frame.index
    if frame.angle_rad is None:
        if k >= scan.n_views:
            raise GeometryError(
                f"projection {k} has no angle, and the geometry ends with view {scan.n_views - 1}; "
                "let the sender say angles, or give the geometry of all views."
            )
        return scan.select([k])
    away = _wrapped(frame.angle_rad - angles)
    if k >= scan.n_views or abs(away[k]) > SAME_ANGLE:
        k = int(np.argmin(np.abs(away)))
    view = scan.select([k])
    return view if abs(away[k]) <= SAME_ANGLE else view.rotated(away[k])


def _wrapped(angles: Array) -> Array:
    return np.asarray((angles + np.pi) % (2 * np.pi) - np.pi)

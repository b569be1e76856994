"""Scanners given crystal by crystal: any arrangement in a table of positions.

A pair is a line of response if its distance from the axis is at most the radius of the field of
view, and its groups are in coincidence. Pairs i < j are numbered row by row of the triangle: k = i
(2n − i − 1)/2 + j − i − 1.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.checked import checked_class
from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.geometry.grid import Point
from engine.geometry.scanner import Scanner
from engine.geometry.tof import TofBins


@checked_class()
class CrystalMap(Scanner):
    """Crystals at listed positions.

    Parameters
    ----------
    name : displayed name
    keys : (n, 3) ring, place and layer of each crystal, as in the file
    positions_mm : (n, 3) mean points of detection (x, y, z) [mm, LPS]
    fov_radius_mm : maximum distance of a line of response from the axis [mm]

    voxel_mm : (x, y, z) default voxel size [mm]
    fov_mm : default diameter and length of the image [mm]
    tof : time-of-flight bins; None: no time of flight
    coincident : (n_groups, n_groups) bool, symmetric: groups that are in coincidence with each
        other; None: all are

    Examples
    --------
    >>> import numpy as np, engine
    >>> angles = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    >>> positions = 50 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    >>> keys = np.stack([0 * angles, np.arange(8), 0 * angles], axis=1).astype(np.int32)
    >>> ring = engine.CrystalMap(
    ...     "Eight", keys, positions, fov_radius_mm=40, voxel_mm=(2, 2, 2), fov_mm=(60, 10)
    ... )
    >>> ring.n_lors
    28
    """

    def __init__(
        self,
        name: str,
        keys: NDArray[np.int32],
        positions_mm: NDArray[np.float64],
        *,
        fov_radius_mm: float,
        voxel_mm: Point,
        fov_mm: tuple[float, float],
        tof: TofBins | None = None,
        coincident: NDArray[np.bool_] | None = None,
    ) -> None:
        # Checked here and not in the readers: programs build crystal maps from arrays as well.
        if len(keys) != len(positions_mm) or len(keys) < 2:
            raise GeometryError(
                f"crystal map {name!r}: got {len(keys)} keys and {len(positions_mm)} positions, "
                "expected at least 2 crystals with a key and a position each."
            )
        self.name = name
        self.keys = keys
        self._positions = np.ascontiguousarray(positions_mm, np.float64)
        self.fov_radius_mm = fov_radius_mm
        self.tof = tof
        self.coincident = coincident
        self._voxel_mm, self._fov_mm = voxel_mm, fov_mm
        if coincident is None:
            return
        # Groups are the distinct rings of the keys, numbered in ascending order.
        n_groups = int(self.groups.max()) + 1
        if coincident.shape != (n_groups, n_groups):
            raise GeometryError(
                f"crystal map {name!r}: the table of coincidences has shape {coincident.shape}, "
                f"but there are {n_groups} groups; give a row and a column for each group."
            )

    @property
    def n_crystals(self) -> int:
        return len(self.keys)

    @property
    def positions_mm(self) -> NDArray[np.float64]:
        return self._positions

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        return np.ones(self.n_crystals, bool)

    @property
    def n_lors(self) -> int:
        return self.n_crystals * (self.n_crystals - 1) // 2

    @cached_property
    def _row_starts(self) -> NDArray[np.int64]:
        i = np.arange(self.n_crystals, dtype=np.int64)
        return i * (2 * self.n_crystals - i - 1) // 2

    def lors(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        xp = module_of(numbers)
        numbers = xp.asarray(numbers, np.int64)
        # The row is found by a search, because the closed form with a square root rounds for large
        # n.
        starts = self._tables.like(numbers, self._row_starts)
        i = xp.searchsorted(starts, numbers, side="right") - 1
        j = numbers - starts[i] + i + 1
        return xp.stack([i, j], -1).astype(np.int32)

    def in_coincidence(self, crystals: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        xp = module_of(crystals)
        positions = self._tables.like(crystals, self._positions)
        a, b = (positions[crystals[:, k], :2] for k in (0, 1))
        d = b - a
        length = xp.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])  # equal bits on every device
        # The cross product over the length is the distance from the axis. Multiplying avoids a
        # division by zero for lines along the axis.
        cross = xp.abs(a[:, 0] * d[:, 1] - a[:, 1] * d[:, 0])
        passes = (length > 0) & (cross <= self.fov_radius_mm * length)
        if self.coincident is None:
            return passes
        groups = self._tables.like(crystals, self.groups)
        rule = self._tables.like(crystals, self.coincident)
        return passes & rule[groups[crystals[:, 0]], groups[crystals[:, 1]]]

    @property
    def rule_is_even(self) -> bool:
        return self.coincident is None

    def index_of(self, keys: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the crystal with each key.

        Parameters
        ----------
        keys
            (n, 3) ring, place and layer

        Returns
        -------
        (n,) number of the crystal; −1 if the map has no such key
        """
        flat = self._flat(keys)
        order = self._sorted_keys
        at = np.searchsorted(self._flat(self.keys)[order], flat)
        # searchsorted returns n for keys above the last one.
        at = np.minimum(at, self.n_crystals - 1)
        found = self._flat(self.keys)[order][at] == flat
        return np.where(found, order[at], -1).astype(np.int32)

    @staticmethod
    def _flat(keys: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        k = np.asarray(keys, np.int64)
        # One integer for each key, so that a sorted search finds it. Layer and place have 16 and 24
        # bits.
        return (k[:, 0] << 40) | (k[:, 1] << 16) | k[:, 2]

    @cached_property
    def _sorted_keys(self) -> NDArray[np.int64]:
        return np.argsort(self._flat(self.keys), kind="stable")

    @cached_property
    def groups(self) -> NDArray[np.int32]:
        return np.unique(self.keys[:, 0], return_inverse=True)[1].astype(np.int32)

    @cached_property
    def bore_radius_mm(self) -> float:
        return float(np.hypot(self._positions[:, 0], self._positions[:, 1]).min())

    @property
    def default_voxel_mm(self) -> Point:
        return self._voxel_mm

    @property
    def default_fov_mm(self) -> tuple[float, float]:
        return self._fov_mm

    def fingerprint(self) -> Plain:
        # A table of positions is too long for a cache key or provenance.
        digest = hashlib.sha256(self._positions.tobytes() + self.keys.tobytes()).hexdigest()
        tof = [self.tof.fwhm_ps, self.tof.bin_ps, self.tof.n_bins] if self.tof else None
        found: Plain = {
            "kind": "crystal-map",
            "name": self.name,
            "n_crystals": self.n_crystals,
            "positions_sha256": digest,
            "fov_radius_mm": self.fov_radius_mm,
            "tof": tof,
        }
        # Added only if present: keys of caches without a rule stay valid.
        if self.coincident is not None:
            found["coincident_sha256"] = hashlib.sha256(self.coincident.tobytes()).hexdigest()
        return found

    def describe(self) -> str:
        low, high = self.axial_range_mm
        tof = f"TOF {self.tof.fwhm_ps:g} ps" if self.tof else "no TOF"
        return f"{self.n_crystals} crystals, bore {2 * self.bore_radius_mm:.0f} mm, " + (
            f"length {high - low:.0f} mm, {tof}"
        )

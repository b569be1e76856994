"""Scanners given crystal by crystal: any arrangement a table of positions can hold.

A pair is a line of response when it passes the axis at a distance of at most the field of view's
radius, and where its groups are in coincidence. Pairs i < j are numbered row by row of the
triangle: k = i (2n − i − 1)/2 + j − i − 1.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.geometry.grid import Point
from engine.geometry.scanner import Scanner
from engine.geometry.tof import TofBins


class CrystalMap(Scanner):
    """Crystals at listed positions.

    Parameters
    ----------
    name : shown to the user
    keys : (n, 3) ring, place and layer of each crystal, as the file names it
    positions_mm : (n, 3) centres of detection (x, y, z) [mm, LPS]
    fov_radius_mm : lines of response further from the axis do not count [mm]

    voxel_mm : (x, y, z) voxel of a first image [mm]
    fov_mm : its diameter and length [mm]
    tof : time-of-flight bins, None without
    coincident : (n_groups, n_groups) bool, symmetric: which groups are in coincidence with each
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
        if len(keys) != len(positions_mm) or len(keys) < 2:
            raise GeometryError(
                f"crystal map {name!r}: {len(keys)} keys and {len(positions_mm)} positions; "
                "a scanner needs at least 2 crystals, each with a position."
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
        n_groups = int(self.groups.max()) + 1
        if coincident.shape != (n_groups, n_groups):
            raise GeometryError(
                f"crystal map {name!r}: a rule of coincidence for {coincident.shape} groups, and "
                f"{n_groups} groups; give a row and a column for each."
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
        starts = self._tables.beside(numbers, self._row_starts)
        i = xp.searchsorted(starts, numbers, side="right") - 1
        j = numbers - starts[i] + i + 1
        return xp.stack([i, j], -1).astype(np.int32)

    def in_coincidence(self, crystals: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        xp = module_of(crystals)
        positions = self._tables.beside(crystals, self._positions)
        a, b = (positions[crystals[:, k], :2] for k in (0, 1))
        d = b - a
        length = xp.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])  # every device rounds it alike
        cross = xp.abs(a[:, 0] * d[:, 1] - a[:, 1] * d[:, 0])
        passes = (length > 0) & (cross <= self.fov_radius_mm * length)
        if self.coincident is None:
            return passes
        groups = self._tables.beside(crystals, self.groups)
        rule = self._tables.beside(crystals, self.coincident)
        return passes & rule[groups[crystals[:, 0]], groups[crystals[:, 1]]]

    @property
    def rule_is_even(self) -> bool:
        return self.coincident is None

    def index_of(self, keys: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """(n,) crystal of each (ring, place, layer) row, −1 where the map has none."""
        flat = self._flat(keys)
        order = self._sorted_keys
        at = np.searchsorted(self._flat(self.keys)[order], flat)
        at = np.minimum(at, self.n_crystals - 1)
        found = self._flat(self.keys)[order][at] == flat
        return np.where(found, order[at], -1).astype(np.int32)

    @staticmethod
    def _flat(keys: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        k = np.asarray(keys, np.int64)
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
        if self.coincident is not None:
            found["coincident_sha256"] = hashlib.sha256(self.coincident.tobytes()).hexdigest()
        return found

    def describe(self) -> str:
        low, high = self.axial_range_mm
        tof = f"TOF {self.tof.fwhm_ps:g} ps" if self.tof else "no TOF"
        return f"{self.n_crystals} crystals, bore {2 * self.bore_radius_mm:.0f} mm, " + (
            f"length {high - low:.0f} mm, {tof}"
        )

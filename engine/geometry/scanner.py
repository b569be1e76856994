"""Interface of all PET scanners: positions of the crystals and pairs in coincidence.

Lines and pairs can be NumPy or GPU arrays, and results have the same type. The tables of the
crystals are NumPy arrays.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, Tables, module_of
from engine.core.interactive import Described
from engine.core.json_types import Plain
from engine.geometry.energy import EnergyWindow
from engine.geometry.grid import Point
from engine.geometry.line_efficiency import LSO, CrystalDepth, pair_efficiency
from engine.geometry.tof import TofBins

MAX_COMPARED = 100
"""Number of crystals whose nearest neighbour is searched, to estimate the pitch."""
ROUND = 0.15
"""Tolerance of a round scanner: deviation from the mean radius, relative to it."""


class Scanner(Described):
    """Crystals in space, and the rule that makes a pair of them a line of response.

    Lines of response are numbered 0 ... n_lors - 1. `lors` converts numbers to crystal pairs.
    `in_coincidence` selects the valid pairs: no gaps, and within the rule.
    """

    name: str
    tof: TofBins | None

    @property
    def blurred_axis(self) -> int | None:
        """Axis (0, 1, 2 or None) without lines of response, along which images are blurred."""
        return None

    @property
    def caution(self) -> str:
        """Warning about the images of this scanner; empty if there is none."""
        return ""

    @property
    @abstractmethod
    def n_crystals(self) -> int:
        """Number of crystal places, including gaps."""

    @property
    @abstractmethod
    def positions_mm(self) -> NDArray[np.float64]:
        """Mean points of detection (x, y, z), (n_crystals, 3) [mm, LPS]."""

    @property
    @abstractmethod
    def alive(self) -> NDArray[np.bool_]:
        """False for gaps, (n_crystals,)."""

    @cached_property
    def crystal_normals(self) -> NDArray[np.float64]:
        """Unit vectors from face to back, (n_crystals, 3); away from the axis by default."""
        across = self.positions_mm * (1.0, 1.0, 0.0)
        return across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)

    @property
    def crystal_depth(self) -> CrystalDepth:
        """Depth and material of the crystals; by default 20 mm of LSO."""
        return LSO

    @cached_property
    def crystal_pitch_mm(self) -> tuple[float, float]:
        """Crystal pitch across and along the axis; by default the distance of neighbours."""
        # Gaps have positions too, and would halve the pitch of sparse rings.
        live = self.positions_mm[self.alive]
        some = live[:: -(-len(live) // MAX_COMPARED)]
        distances = np.stack([np.sort(np.linalg.norm(live - point, axis=1))[1] for point in some])
        # The median ignores crystals at block edges, whose neighbours are farther away.
        nearest = float(np.median(distances))
        return nearest, nearest

    @property
    def block_mm(self) -> tuple[float, float] | None:
        """Size of the blocks that sum energies, across and along the axis [mm]; None: not known."""
        return None

    @property
    def energy(self) -> EnergyWindow | None:
        """Energy window; None: not known."""
        return None

    @cached_property
    def is_round(self) -> bool:
        """True if the crystals are on all sides of a cylinder about the axis."""
        # Eight sectors must contain crystals: two panels have a constant radius only by chance.
        x, y = self.positions_mm[self.alive, :2].T
        radii, sides = np.hypot(x, y), np.arctan2(y, x) // (np.pi / 4)
        near = np.ptp(radii) <= 2 * ROUND * radii.mean()
        return bool(near and np.isin(np.arange(-4, 4), sides).all())

    def geometric_factor(self, crystals: Array) -> Array:
        """Return the geometric efficiency of crystal pairs.

        Parameters
        ----------
        crystals
            (n, 2), NumPy or GPU array

        Returns
        -------
        (n,) float32, same type; 1 for crystals that face each other across the bore
        """
        positions, normals = (
            self._tables.like(crystals, table)
            for table in (self.positions_mm, self.crystal_normals)
        )
        first, second = crystals[:, 0], crystals[:, 1]
        return pair_efficiency(
            positions[first],
            positions[second],
            (normals[first], normals[second]),
            self.crystal_depth,
            2 * self.bore_radius_mm,
        )

    @property
    @abstractmethod
    def n_lors(self) -> int:
        """Number of numbered pairs, including pairs with a gap."""

    @abstractmethod
    def lors(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the crystals of numbered lines of response.

        Parameters
        ----------
        numbers
            (n,), NumPy or GPU array

        Returns
        -------
        (n, 2) int32, same type
        """

    @abstractmethod
    def in_coincidence(self, crystals: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return a mask of the pairs that are lines of response between live crystals.

        Parameters
        ----------
        crystals
            (n, 2), NumPy or GPU array

        Returns
        -------
        (n,) bool, same type
        """

    @property
    def rule_is_even(self) -> bool:
        """True if `in_coincidence` has all symmetries of the crystals."""
        return True

    @property
    @abstractmethod
    def groups(self) -> NDArray[np.int32]:
        """Number of the detector block of each crystal, (n_crystals,)."""

    @property
    @abstractmethod
    def bore_radius_mm(self) -> float:
        """Distance from the axis to the nearest crystal [mm]."""

    def from_middle_mm(self, x: Array, y: Array) -> Array:
        """Return the distance that the bore radius limits: from the axis, or across panels [mm].

        Parameters
        ----------
        x
            coordinates, number or array
        y
            coordinates, number or array
        """
        return module_of(x).hypot(x, y)

    @property
    @abstractmethod
    def default_voxel_mm(self) -> Point:
        """Default voxel size (x, y, z) [mm]."""

    @property
    @abstractmethod
    def default_fov_mm(self) -> tuple[float, float]:
        """Default transaxial diameter and axial length of an image [mm]."""

    @property
    def default_size_mm(self) -> Point:
        """Default edge lengths of an image (x, y, z) [mm]."""
        diameter, length = self.default_fov_mm
        return diameter, diameter, length

    @abstractmethod
    def fingerprint(self) -> Plain:
        """JSON values that define the geometry, for provenance and cache keys."""

    def facts(self) -> Mapping[str, str]:
        return {"name": self.name, "detector": self.describe()}

    def _content(self) -> Any:
        # the tables of a scanner are derived from these
        return self.name, self.tof, self.fingerprint()

    @abstractmethod
    def describe(self) -> str:
        """Crystals, rings and time of flight as text."""

    @cached_property
    def _tables(self) -> Tables:
        """Cache of our tables on the devices of the arrays in use."""
        return Tables()

    @property
    def axial_range_mm(self) -> tuple[float, float]:
        """Lowest and highest crystal centre along z [mm]."""
        z = self.positions_mm[:, 2]
        return float(z.min()), float(z.max())


def pair_product(values: Array, crystals: NDArray[np.integer[Any]]) -> Array:
    """Return the product of the values of both crystals of each pair.

    Parameters
    ----------
    values
        value of each crystal
    crystals
        (n, 2)

    Returns
    -------
    (n,)
    """
    return values[crystals[:, 0]] * values[crystals[:, 1]]

"""What every PET scanner can say: where its crystals are and which pairs are in coincidence.

Lines and pairs may be arrays of numpy or of a GPU, and so is what is said of them; the tables of
the crystals are numpy's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, Tables, module_of
from engine.core.json_types import Plain
from engine.geometry.energy import EnergyWindow
from engine.geometry.grid import Point
from engine.geometry.line_efficiency import LSO, CrystalDepth, pair_efficiency
from engine.geometry.tof import TofBins

MOST_COMPARED = 100
"""Crystals whose nearest neighbour is looked for where nothing states how far apart they are."""
ROUND = 0.15
"""Crystals may lie off their mean distance from the axis by this part of it."""


class Scanner(ABC):
    """A set of crystals in space and the rule that makes a pair of them a line of response.

    Lines of response are numbered 0 ... n_lors - 1; `lors` turns numbers into crystal pairs and
    `in_coincidence` says which pairs count (never a gap, never outside the rule).
    """

    name: str
    tof: TofBins | None

    @property
    def blurred_axis(self) -> int | None:
        """Axis (0, 1, 2 for x, y, z) along which it sees no lines, so that images are blurred."""
        return None

    @property
    def caution(self) -> str:
        """What to keep in mind when one looks at its images, empty if nothing."""
        return ""

    @property
    @abstractmethod
    def n_crystals(self) -> int:
        """Number of crystal places, gaps included."""

    @property
    @abstractmethod
    def positions_mm(self) -> NDArray[np.float64]:
        """(n_crystals, 3) centres of detection (x, y, z) [mm, LPS]."""

    @property
    @abstractmethod
    def alive(self) -> NDArray[np.bool_]:
        """(n_crystals,) False where the place is a gap."""

    @cached_property
    def crystal_normals(self) -> NDArray[np.float64]:
        """(n_crystals, 3) unit vectors from face to back; away from the axis unless known."""
        across = self.positions_mm * (1.0, 1.0, 0.0)
        return across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)

    @property
    def crystal_depth(self) -> CrystalDepth:
        """Depth and material of the crystals; 20 mm of LSO unless known."""
        return LSO

    @cached_property
    def crystal_pitch_mm(self) -> tuple[float, float]:
        """From one crystal to the next, across and along the axis; to the nearest unless known."""
        live = self.positions_mm[self.alive]
        some = live[:: -(-len(live) // MOST_COMPARED)]
        apart = np.stack([np.sort(np.linalg.norm(live - point, axis=1))[1] for point in some])
        nearest = float(np.median(apart))
        return nearest, nearest

    @property
    def block_mm(self) -> tuple[float, float] | None:
        """Size of what adds up energies, across and along the axis [mm]; None: nobody says."""
        return None

    @property
    def energy(self) -> EnergyWindow | None:
        """Energies that are counted; None where nobody says."""
        return None

    @cached_property
    def is_round(self) -> bool:
        """Whether the crystals lie about a cylinder round the axis, on all of its sides."""
        x, y = self.positions_mm[self.alive, :2].T
        radii, sides = np.hypot(x, y), np.arctan2(y, x) // (np.pi / 4)
        near = np.ptp(radii) <= 2 * ROUND * radii.mean()
        return bool(near and np.isin(np.arange(-4, 4), sides).all())

    def geometric_factor(self, crystals: Array) -> Array:
        """(n,) float32 how well the pairs `crystals` (n, 2) see each other.

        1 for crystals that face each other across the bore; where `crystals` are.
        """
        positions, normals = (
            self._tables.beside(crystals, table)
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
        """Number of numbered pairs, those with a gap included."""

    @abstractmethod
    def lors(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """(n, 2) crystals of the lines of response with these numbers."""

    @abstractmethod
    def in_coincidence(self, crystals: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """(n,) whether each pair of `crystals` (n, 2) is a line of response of live crystals."""

    @property
    def rule_is_even(self) -> bool:
        """Whether `in_coincidence` keeps every symmetry of the crystals."""
        return True

    @property
    @abstractmethod
    def groups(self) -> NDArray[np.int32]:
        """(n_crystals,) number of the detector block each crystal belongs to."""

    @property
    @abstractmethod
    def bore_radius_mm(self) -> float:
        """Distance from the axis to the nearest crystal [mm]."""

    def from_middle_mm(self, x: Array, y: Array) -> Array:
        """Distance that the bore's radius bounds [mm]: from the axis; of panels, across them."""
        return module_of(x).hypot(x, y)

    @property
    @abstractmethod
    def default_voxel_mm(self) -> Point:
        """(x, y, z) voxel size of a sound first picture [mm]."""

    @property
    @abstractmethod
    def default_fov_mm(self) -> tuple[float, float]:
        """(transaxial diameter, axial length) of a sound first picture [mm]."""

    @property
    def default_size_mm(self) -> Point:
        """(x, y, z) edge lengths of a sound first picture [mm]."""
        diameter, length = self.default_fov_mm
        return diameter, diameter, length

    @abstractmethod
    def fingerprint(self) -> Plain:
        """Everything that fixes the geometry, JSON-able, for provenance and cache keys."""

    @abstractmethod
    def describe(self) -> str:
        """Plain words: crystals, rings, time of flight."""

    @cached_property
    def _tables(self) -> Tables:
        """Gives our tables where the lines and pairs are that are asked for."""
        return Tables()

    @property
    def axial_range_mm(self) -> tuple[float, float]:
        """Lowest and highest crystal centre along z [mm]."""
        z = self.positions_mm[:, 2]
        return float(z.min()), float(z.max())


def pair_product(values: Array, crystals: NDArray[np.integer[Any]]) -> Array:
    """Return the product of a value of both crystals, (n,), for the pairs `crystals` (n, 2)."""
    return values[crystals[:, 0]] * values[crystals[:, 1]]

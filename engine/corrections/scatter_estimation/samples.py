"""Sampling points of the scatter simulation: detectors on a cylinder, points in the object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.data.volume import Volume
from engine.geometry.sampling import lattice
from engine.geometry.scanner import Scanner

N_ANGLES = 60
"""Number of samples around the axis; one step at one end moves a line by 1/20 of the radius."""
RING_STEP = 0.1
"""Distance between rings of samples as a fraction of the radius, up to `MAX_RINGS`."""
MAX_RINGS = 18
N_PROBED = 200_000
"""Number of lines that are examined for the smallest angle between their ends."""
MIN_ATTENUATION = 0.1
"""Voxels below this fraction of the densest scatter almost nothing."""
DENSE = 99.0
"""Percentile of the object's voxels that represents the densest."""


@dataclass(frozen=True, eq=False)
class DetectorSamples:
    """Rings of samples on the cylinder of the crystals, number = ring · n_angles + angle.

    Attributes
    ----------
    radius_mm : radius of the cylinder [mm]
    rings_mm : (n_rings,) positions along z [mm]
    n_angles : samples of each ring
    nearest : smallest difference in angle between the two ends of a line, in samples
    """

    radius_mm: float
    rings_mm: NDArray[np.float64]
    n_angles: int
    nearest: int

    @classmethod
    def of(cls, scanner: Scanner, fewer: int = 1, *, nearest: int | None = None) -> DetectorSamples:
        """Return samples that cover the crystals of a scanner.

        Parameters
        ----------
        scanner
            ring scanner
        fewer
            factor by which samples are sparser than the default
        nearest
            smallest difference between the ends of a line, in samples; None derives it from the
            lines
        """
        radius = _radius_mm(scanner)
        low, high = scanner.axial_range_mm
        n_rings, n_angles = _counts(scanner, radius, fewer)
        if nearest is None:
            least = _min_turn(scanner) * n_angles
            # Interpolation reads the neighbours of a sample, hence the two extra samples.
            nearest = max(int(least) - 2, n_angles // 8)
        return cls(radius, np.linspace(low, high, n_rings), n_angles, nearest)

    @property
    def n_rings(self) -> int:
        """Rings of samples."""
        return len(self.rings_mm)

    @cached_property
    def normals(self) -> NDArray[np.float64]:
        """(n, 3) unit vectors away from the axis."""
        angles = 2 * np.pi * np.arange(self.n_angles) / self.n_angles
        ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
        return np.tile(ring, (self.n_rings, 1))

    @cached_property
    def places_mm(self) -> NDArray[np.float64]:
        """(n, 3) places [mm]."""
        places = self.radius_mm * self.normals
        places[:, 2] = np.repeat(self.rings_mm, self.n_angles)
        return places

    def of_crystals(self, positions_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rings and angles of crystals in units of samples.

        Parameters
        ----------
        positions_mm
            (m, 3) positions of crystals

        Returns
        -------
        crystals
            (n, 2). Rings are clipped to the outermost samples.
        """
        turn = np.arctan2(positions_mm[:, 1], positions_mm[:, 0]) / (2 * np.pi) % 1.0
        step = self.rings_mm[1] - self.rings_mm[0] if self.n_rings > 1 else 1.0
        ring = np.clip((positions_mm[:, 2] - self.rings_mm[0]) / step, 0, self.n_rings - 1)
        # Rounding could give exactly n_angles, which is outside the table.
        angle = np.minimum(turn * self.n_angles, np.nextafter(self.n_angles, 0))
        return np.stack([ring, angle], axis=1)

    @cached_property
    def partners(self) -> NDArray[np.bool_]:
        """(n, n) True if two samples represent lines of the scanner."""
        angle = np.arange(len(self.places_mm)) % self.n_angles
        difference = np.abs(angle[:, None] - angle[None, :])
        return np.minimum(difference, self.n_angles - difference) >= self.nearest


def n_samples(scanner: Scanner) -> int:
    """Return the number of detector samples in a simulation of a scanner.

    Parameters
    ----------
    scanner
        ring scanner
    """
    n_rings, n_angles = _counts(scanner, _radius_mm(scanner), 1)
    return n_rings * n_angles


def _radius_mm(scanner: Scanner) -> float:
    positions = scanner.positions_mm
    return float(np.hypot(positions[:, 0], positions[:, 1]).mean())


def _counts(scanner: Scanner, radius_mm: float, fewer: int) -> tuple[int, int]:
    """Return the number of rings of samples and the number of samples in each."""
    low, high = scanner.axial_range_mm
    n_rings = int(np.ceil((high - low) / (RING_STEP * radius_mm * fewer))) + 1
    return min(n_rings, MAX_RINGS), N_ANGLES // fewer


def _min_turn(scanner: Scanner) -> float:
    """Return the smallest angle between the ends of a line, as a fraction of a turn."""
    lines, positions = sampled_lines(scanner, N_PROBED), scanner.positions_mm
    angles = np.arctan2(positions[:, 1], positions[:, 0]) / (2 * np.pi)
    difference = np.abs(angles[lines[:, 0]] - angles[lines[:, 1]]) % 1.0
    return float(np.minimum(difference, 1 - difference).min(initial=0.5))


@lru_cache(maxsize=1)  # the sampled lines of list mode are those that are examined here
def sampled_lines(scanner: Scanner, n_samples: int) -> NDArray[np.int32]:
    """Return lines of response that represent all, sampled evenly.

    Long scanners have too many lines to use all.

    Parameters
    ----------
    scanner
        scanner with its lines
    n_samples
        number of samples; those that are no lines of response are left out

    Returns
    -------
    sampled_lines
        (n, 2) crystals
    """
    # A regular lattice of lines covers all ring pairs.
    lines = scanner.lors(lattice(scanner.n_lors, n_samples, shift=0.5))
    return lines[scanner.in_coincidence(lines)]


@dataclass(frozen=True)
class ScatterPoints:
    """Scatter points that represent the object.

    Attributes
    ----------
    places_mm : (n, 3) [mm]
    weights_mm2 : (n,) volume times attenuation that each represents [mm²]
    """

    places_mm: NDArray[np.float64]
    weights_mm2: NDArray[np.float64]

    @classmethod
    def of(cls, mu_map: Volume, n_points: int, seed: int) -> ScatterPoints:
        """Draw one voxel from each cell of the object.

        Its probability is proportional to its attenuation. Cells are cubes, about `n_points` in
        total. The random choice within a cell prevents planes of points (Watson et al. 1996).

        Parameters
        ----------
        mu_map
            attenuation coefficients [1/mm]
        n_points
            approximate number of points
        seed
            seed of the choice
        """
        mu, grid = mu_map.values.astype(np.float64), mu_map.grid
        where = np.nonzero(mu > MIN_ATTENUATION * dense_mu(mu_map))
        values = mu[where]
        if not len(values):
            return cls(np.empty((0, 3)), np.empty(0))
        voxel = np.array(grid.voxel_mm)
        # Cells never get smaller than a voxel, or some of them would have no voxel to draw.
        edge = max((len(values) * voxel.prod() / n_points) ** (1 / 3), float(voxel.max()))
        cell, n_cells = np.zeros(len(values), np.int64), 1
        for axis, at in enumerate(where[::-1]):
            centres = grid.centres_mm(axis)
            cells = np.floor((centres - centres[at.min()]) / edge).astype(np.int64)
            cell += n_cells * cells[at]
            n_cells *= int(cells[at.max()]) + 1
        rng = np.random.default_rng(seed)
        # The largest u^(1 / weight) selects each voxel with a probability proportional to its
        # weight.
        keys = np.log(rng.random(len(values))) / values
        # NumPy sorts numbers of 16 bits by their digits, in less than half of the time.
        order = np.lexsort((-keys, cell.astype(np.min_scalar_type(n_cells))))
        first = np.flatnonzero(np.diff(cell[order], prepend=-1))
        weights = np.add.reduceat(values[order], first) * voxel.prod()
        drawn = np.stack([at[order[first]] for at in where[::-1]], axis=1)
        # Jitter within the voxel avoids a regular pattern of points in uniform objects.
        jitter = (rng.random((len(first), 3)) - 0.5) * voxel
        return cls(grid.lower_mm + (drawn + 0.5) * voxel + jitter, weights)


def dense_mu(mu_map: Volume) -> float:
    """Return the attenuation of the densest tissue of the object [1/mm].

    Parameters
    ----------
    mu_map
        attenuation coefficients [1/mm]

    Returns
    -------
    dense_mu
        99th percentile, so that implants and artefacts do not count; 0 for an empty map
    """
    inside = mu_map.values[mu_map.values > MIN_ATTENUATION * mu_map.values.max(initial=0.0)]
    return float(np.percentile(inside, DENSE)) if inside.size else 0.0

"""Relative expected counts of the lines of a scanner for a phantom, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.simulate.phantom import Phantom, distances_mm

_SCATTER_WIDTH = 0.35
"""σ of the scatter-like background as a fraction of the bore's radius."""
_MU_VOXELS = 150
"""Voxels of the attenuation map across the bore."""
_MU_VOXEL_MM = (0.5, 4.0)


@dataclass(frozen=True)
class Camera:
    """A phantom in a scanner.

    Attributes
    ----------
    efficiencies : (n_crystals,) detection efficiency ε, 0 in gaps
    singles : (n_crystals,) relative rate S of single photons, 0 where ε is
    attenuation : True if photons are absorbed on their way
    """

    phantom: Phantom
    scanner: Scanner
    efficiencies: NDArray[np.float64]
    singles: NDArray[np.float64]
    attenuation: bool

    @classmethod
    def of(
        cls,
        phantom: Phantom,
        scanner: Scanner,
        *,
        attenuation: bool = True,
        efficiencies: Array | None = None,
        singles: Array | None = None,
    ) -> Camera:
        """Return the camera; efficiencies are 1 and singles follow them where not given."""
        live = _per_crystal("efficiencies", efficiencies, scanner) * scanner.alive
        rates = live if singles is None else _per_crystal("singles", singles, scanner) * (live > 0)
        return cls(phantom, scanner, live, rates, attenuation)

    def ends(self, crystals: NDArray[np.int32]) -> tuple[Array, Array]:
        """First and second ends (n, 3) of the lines [mm]."""
        positions_mm = self.scanner.positions_mm
        return positions_mm[crystals[:, 0]], positions_mm[crystals[:, 1]]

    def true_rate(self, crystals: NDArray[np.int32]) -> Array:
        """ε1 ε2 w exp(−∫ μ dl) ∫ activity dl, (n,) [mm, relative], w the geometry of the line."""
        rate = self.efficiencies[crystals].prod(axis=1)
        rate *= self.scanner.geometric_factor(crystals)
        seen = np.flatnonzero(rate)
        rate[seen] *= self.phantom.activity_integral(*self.ends(crystals[seen]))
        if self.attenuation:
            seen = np.flatnonzero(rate)
            rate[seen] *= np.exp(-self.phantom.mu_integral(*self.ends(crystals[seen])))
        return np.asarray(rate)

    def random_rate(self, crystals: NDArray[np.int32]) -> Array:
        """S1 S2, (n,)."""
        return np.asarray(self.singles[crystals].prod(axis=1))

    def scatter_rate(self, crystals: NDArray[np.int32]) -> Array:
        """ε1 ε2 exp(−d² / 2σ²), d the distance from the axis, (n,)."""
        distance = distances_mm((0.0, 0.0), *self.ends(crystals))
        sigma = _SCATTER_WIDTH * self.scanner.bore_radius_mm
        shape = np.exp(-0.5 * (distance / sigma) ** 2)
        return np.asarray(self.efficiencies[crystals].prod(axis=1) * shape)

    def mu_map(self) -> Volume | None:
        """Return the attenuation map over the bore [1/mm]; None where nothing attenuates."""
        if not self.attenuation:
            return None
        diameter = 2 * self.scanner.bore_radius_mm
        low, high = self.scanner.axial_range_mm
        voxel = float(np.clip(diameter / _MU_VOXELS, *_MU_VOXEL_MM))
        across, along = (int(np.ceil(size / voxel)) for size in (diameter, high - low + voxel))
        centre = (0.0, 0.0, (low + high) / 2)
        grid = ImageGrid((along, across, across), (voxel, voxel, voxel), centre)
        volume = self.phantom.rasterise(grid, "mu")
        return volume if volume.values.any() else None


def _per_crystal(what: str, values: Array | None, scanner: Scanner) -> NDArray[np.float64]:
    if values is None:
        return np.ones(scanner.n_crystals)
    if np.shape(values) != (scanner.n_crystals,):
        raise GeometryError(
            f"simulate: {what} have shape {np.shape(values)}, but {scanner.name!r} has "
            f"{scanner.n_crystals} crystals; give one number for each crystal."
        )
    if not (np.isfinite(values).all() and np.min(values) >= 0 and np.max(values) > 0):
        raise DataError(
            f"simulate: {what} must be finite, not negative and not all 0; correct the file."
        )
    return np.asarray(values, np.float64)

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

# A fraction of the bore suits scanners of every size.
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
    singles : (n_crystals,) relative rate S of single photons, 0 where ε is 0
    attenuation : True if the object attenuates photons
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
        """Return the camera of a phantom in a scanner.

        Parameters
        ----------
        phantom, scanner
            object and scanner
        attenuation
            True if the object attenuates photons
        efficiencies
            (n_crystals,) detection efficiencies; None: all 1. Gaps always have 0
        singles
            (n_crystals,) relative rates of single photons; None: like the efficiencies

        Raises
        ------
        GeometryError
            if an array does not have one number for each crystal
        DataError
            if an array has values that are negative, not finite, or all 0
        """
        live = _per_crystal("efficiencies", efficiencies, scanner) * scanner.alive
        rates = live if singles is None else _per_crystal("singles", singles, scanner) * (live > 0)
        return cls(phantom, scanner, live, rates, attenuation)

    def ends(self, crystals: NDArray[np.int32]) -> tuple[Array, Array]:
        """Return the first and second ends (n, 3) of lines [mm]."""
        positions_mm = self.scanner.positions_mm
        return positions_mm[crystals[:, 0]], positions_mm[crystals[:, 1]]

    def true_rate(self, crystals: NDArray[np.int32]) -> Array:
        """Return relative rates of true coincidences: ε1 ε2 w exp(−∫ μ dl) ∫ activity dl.

        Parameters
        ----------
        crystals
            (n, 2) crystals of the lines

        Returns
        -------
        Array
            (n,) rates [mm, relative]; w is the geometric factor of the line
        """
        rate = self.efficiencies[crystals].prod(axis=1)
        rate *= self.scanner.geometric_factor(crystals)
        # Line integrals are the slow part, so lines with a rate of 0 are left out twice.
        seen = np.flatnonzero(rate)
        rate[seen] *= self.phantom.activity_integral(*self.ends(crystals[seen]))
        if self.attenuation:
            seen = np.flatnonzero(rate)
            rate[seen] *= np.exp(-self.phantom.mu_integral(*self.ends(crystals[seen])))
        return np.asarray(rate)

    def random_rate(self, crystals: NDArray[np.int32]) -> Array:
        """Return relative rates of randoms (n,): S1 S2."""
        return np.asarray(self.singles[crystals].prod(axis=1))

    def scatter_rate(self, crystals: NDArray[np.int32]) -> Array:
        """Return relative rates of scatter (n,): ε1 ε2 exp(−d² / 2σ²), d from the axis."""
        # A smooth bell across the bore resembles measured scatter, and costs no transport
        # simulation.
        distance = distances_mm((0.0, 0.0), *self.ends(crystals))
        sigma = _SCATTER_WIDTH * self.scanner.bore_radius_mm
        shape = np.exp(-0.5 * (distance / sigma) ** 2)
        return np.asarray(self.efficiencies[crystals].prod(axis=1) * shape)

    def mu_map(self) -> Volume | None:
        """Return the attenuation map over the bore [1/mm]; None if nothing attenuates."""
        if not self.attenuation:
            return None
        diameter = 2 * self.scanner.bore_radius_mm
        low, high = self.scanner.axial_range_mm
        # The map has about 150 voxels across any bore, from small-animal to whole-body scanners.
        voxel = float(np.clip(diameter / _MU_VOXELS, *_MU_VOXEL_MM))
        across, along = (int(np.ceil(size / voxel)) for size in (diameter, high - low + voxel))
        centre = (0.0, 0.0, (low + high) / 2)
        grid = ImageGrid((along, across, across), (voxel, voxel, voxel), centre)
        volume = self.phantom.rasterise(grid, "mu")
        return volume if volume.values.any() else None


# Arrays come from the user's files, so their shape and values are checked here, once.
def _per_crystal(what: str, values: Array | None, scanner: Scanner) -> NDArray[np.float64]:
    if values is None:
        return np.ones(scanner.n_crystals)
    if np.shape(values) != (scanner.n_crystals,):
        raise GeometryError(
            f"simulate: {what!r} has the shape {np.shape(values)}, but {scanner.name!r} has "
            f"{scanner.n_crystals} crystals; give one number for each crystal."
        )
    if not (np.isfinite(values).all() and np.min(values) >= 0 and np.max(values) > 0):
        raise DataError(
            f"simulate: {what!r} has values from {np.min(values):g} to {np.max(values):g}, "
            "expected finite numbers of at least 0, not all 0; correct the file."
        )
    return np.asarray(values, np.float64)

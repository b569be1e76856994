"""Lines of response that stand for all: what they count, and which of them miss the object.

A sum over all lines is (n_lors / m) Σ over m evenly spread ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.corrections.attenuation import AttenuationFactor
from engine.data.line_factors import LineFactor
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.sampling import lattice
from engine.geometry.scanner import Scanner
from engine.modalities.listmode_pet.scatter_effort import N_LINES
from engine.operators.rays import RayProjector, Rays
from engine.scatter.samples import LEAST_ATTENUATION, dense_mu

MARGIN = 0.03
"""Lines that miss the object pass it at this part of the scanner's radius, or further off."""


@dataclass(frozen=True, eq=False)
class SampledLines:
    """Live lines of response of a scan.

    Attributes
    ----------
    crystals : (n, 2)
    efficiency : (n,) what each counts of the photons that reach it
    attenuation : (n,) share of the photons that the object lets pass
    misses : (n,) whether it misses the object
    stands_for : lines that each stands for
    """

    crystals: NDArray[np.int32]
    efficiency: NDArray[np.float32]
    attenuation: NDArray[np.float32]
    misses: NDArray[np.bool_]
    stands_for: float

    @classmethod
    def of(
        cls, prompts: ListMode, mask: Volume, *, on: Backend, reproducible: bool
    ) -> SampledLines:
        """Draw lines of the scanner of corrected prompts; mask : 1 in the object, 0 outside."""
        scanner = prompts.scanner
        numbers = lattice(scanner.n_lors, N_LINES, shift=0.5)
        crystals = scanner.lors(numbers)
        crystals = crystals[scanner.in_coincidence(crystals)]
        efficiency = own_efficiency(prompts, crystals, on=on, reproducible=reproducible)
        attenuation = attenuation_of(prompts, crystals, on=on, reproducible=reproducible)
        live = efficiency > 0
        crystals = np.ascontiguousarray(crystals[live])
        misses = path_lengths(mask, scanner, crystals, on=on, reproducible=reproducible) == 0
        return cls(
            crystals,
            efficiency[live],
            attenuation[live],
            misses,
            scanner.n_lors / len(numbers),
        )

    def total(self, values: NDArray[np.floating], which: NDArray[np.bool_] | None = None) -> float:
        """Sum of values over all lines of the scanner, or those of a kind."""
        seen = values if which is None else values[which]
        return float(np.sum(seen, dtype=np.float64)) * self.stands_for


def own_efficiency(
    prompts: ListMode, crystals: NDArray[np.int32], *, on: Backend, reproducible: bool
) -> NDArray[np.float32]:
    """Return what lines count of the photons that reach them, (n,): no factor of the object."""
    own = [f for f in prompts.line_factors if not isinstance(f, AttenuationFactor)]
    return _product(own, prompts.scanner, crystals, on, reproducible)


def attenuation_of(
    prompts: ListMode, crystals: NDArray[np.int32], *, on: Backend, reproducible: bool
) -> NDArray[np.float32]:
    """Return what the object lets pass along lines, (n,)."""
    of_object = [f for f in prompts.line_factors if isinstance(f, AttenuationFactor)]
    return _product(of_object, prompts.scanner, crystals, on, reproducible)


def _product(
    factors: Sequence[LineFactor],
    scanner: Scanner,
    crystals: NDArray[np.int32],
    on: Backend,
    reproducible: bool,
) -> NDArray[np.float32]:
    product = np.ones(len(crystals), np.float32)
    for factor in factors:
        product *= factor.of_lines(crystals, scanner, on=on, reproducible=reproducible)
    return product


def path_lengths(
    volume: Volume,
    scanner: Scanner,
    crystals: NDArray[np.int32],
    *,
    on: Backend,
    reproducible: bool,
) -> NDArray[np.float32]:
    """Integrals of a volume along lines, (n,)."""
    rays = Rays(scanner.positions_mm, crystals)
    projector = RayProjector(rays, volume.grid, on=on, reproducible=reproducible)
    lengths: NDArray[np.float32] = on.to_host(projector(on.to_device(volume.values)))
    return lengths


def object_mask(mu_map: Volume, radius_mm: float) -> Volume:
    """Return 1 where the object is, or nearer to it than the margin, and 0 elsewhere."""
    from scipy import ndimage

    inside = mu_map.values > LEAST_ATTENUATION * dense_mu(mu_map)
    if inside.any():
        sampling = mu_map.grid.voxel_mm[::-1]
        inside = ndimage.distance_transform_edt(~inside, sampling) <= MARGIN * radius_mm
    return Volume(inside.astype(np.float32), mu_map.grid, "")

"""Attenuation along each line of response: a_i = exp(−Σ l_in μ_n), over the whole line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.core.errors import DataError
from engine.corrections.base import Multiplicative
from engine.corrections.roles import ATTENUATION_MAP as ATTENUATION_MAP
from engine.data.input_role import InputRole
from engine.data.line_factors import LineFactor
from engine.data.listmode import ListMode
from engine.data.storage.columns import pieces
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner

BATCH = 4_000_000
"""Lines traced at a time."""


def attenuation_factors(
    mu_map: Volume,
    positions_mm: NDArray[np.float64],
    crystals: Array,
    *,
    on: Backend,
    reproducible: bool = True,
) -> Array:
    """Return the attenuation factor of each line, (n,) float32.

    The result is on the device on which `crystals` are.

    Parameters
    ----------
    mu_map
        linear attenuation coefficients [1/mm]
    positions_mm
        (m, 3) ends of the lines
    crystals
        (n, 2) numbers of the two ends of each line, on the host or the device
    on
        device that traces the lines
    reproducible
        True: the CPU computes the exponential, because GPU and CPU round it differently
    """
    # A scan without a map needs neither.
    from engine.data.cropping import cropped
    from engine.operators.rays import RayProjector, Rays

    xp = module_of(crystals)
    # A body is a small part of its map, and rays through empty voxels take as long as others.
    mu_map = cropped(mu_map)
    mu = on.to_device(mu_map.values)
    factors = xp.empty(len(crystals), np.float32)
    # Batches limit device memory: each line needs its ray and its integral at once.
    for start in range(0, len(crystals), BATCH):
        rows = slice(start, start + BATCH)
        rays = Rays(positions_mm, on.to_device(crystals[rows]))
        integrals = RayProjector(rays, mu_map.grid, on=on, reproducible=reproducible)(mu)
        if reproducible or xp is np:
            integrals = on.to_host(integrals)
        # exp() of float32 differs in the last bit between CUDA and the host library.
        factors[rows] = xp.asarray(module_of(integrals).exp(-integrals))
    return factors


@dataclass(frozen=True, eq=False)
class AttenuationFactor(LineFactor):
    """Transmission of photon pairs along a line, exp(−Σ l_in μ_n).

    Attributes
    ----------
    mu_map : linear attenuation coefficients [1/mm]
    """

    mu_map: Volume

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        return attenuation_factors(
            self.mu_map, scanner.positions_mm, crystals, on=on, reproducible=reproducible
        )

    def fingerprint(self) -> Iterator[bytes]:
        # The key depends on values and grid, not on the file, so a copied map reuses the
        # sensitivity.
        grid = self.mu_map.grid
        yield repr((grid.shape, grid.voxel_mm, grid.centre_mm)).encode()
        yield np.ascontiguousarray(self.mu_map.values).tobytes()

    def on_device(self, on: Backend) -> Self:
        return replace(self, mu_map=replace(self.mu_map, values=on.to_device(self.mu_map.values)))


class Attenuation(Multiplicative[ListMode]):
    """Attenuation in the object, from a map of linear attenuation coefficients."""

    title: ClassVar[str] = "Attenuation"
    kind: ClassVar[str] = "attenuation"
    inputs: ClassVar[tuple[InputRole, ...]] = (ATTENUATION_MAP,)
    since: ClassVar[int | None] = 1

    def obstacle(self, data: ListMode) -> str | None:
        return None if data.mu_map is not None else "there is no attenuation map; load a μ-map"

    def factor(self, data: ListMode, *, on: Backend) -> LineFactor:
        """Return the transmission of the μ-map.

        Returns
        -------
        factor
            a factor that is evaluated on lines when it is needed, not a table

        Raises
        ------
        DataError
            if there is no μ-map
        """
        if data.mu_map is None:
            raise DataError("there is no attenuation map; load a μ-map.")
        return AttenuationFactor(data.mu_map)

    def summary(self, before: ListMode, after: ListMode) -> str:
        if after.factors is None or not after.n_events:
            return "no events"
        # Long lists are in files, so the mean is accumulated in pieces.
        total, low = 0.0, np.inf
        for rows in pieces(after.n_events):
            # Dividing the factors after and before gives attenuation alone, without storing it
            # separately. The floor avoids 0 / 0 in dead crystals.
            earlier = 1.0 if before.factors is None else np.maximum(before.factors[rows], 1e-30)
            a = after.factors[rows] / earlier
            total, low = total + float(a.sum(dtype=np.float64)), min(low, float(a.min()))
        mean, least = 100 * total / after.n_events, 100 * low
        return (
            f"mean transmission along the lines of the events {mean:.0f} %, minimum {least:.1f} %"
        )

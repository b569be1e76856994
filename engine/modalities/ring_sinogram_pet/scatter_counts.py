"""Even subsample of live sinogram bins for the scatter estimate.

Bins are selected, not counts: selected bins keep all of their counts, and the sensitivity of the
coarse image is that of their lines alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import to_host
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.data.sinogram import Sinogram
from engine.geometry.sampling import lattice
from engine.modalities.count_demand import ring_demand
from engine.modalities.ring_scatter.counts import CountedLines, Values
from engine.modalities.ring_scatter.effort import N_LINES, coarse_grid, part_bins, updates_of
from engine.modalities.ring_scatter.lines import SampledLines
from engine.modalities.ring_sinogram_pet.model import build_of, rows_of, start_from
from engine.operators.rays import RayProjector, Rays
from engine.recon.algorithms import Osem, solve


class CountedBins(CountedLines):
    """A subsample of the live bins of usable counts, with a known order of TOF bins."""

    def __init__(self, data: Sinogram, *, on: Backend) -> None:
        scanner = data.scanner
        if data.mu_map is None or scanner.energy is None:
            raise DataError(
                "scatter cannot be simulated without a μ-map and the energy window of the "
                "scanner; load a μ-map and a scanner file with an energy window."
            )
        self.scanner, self.window, self.mu_map = scanner, scanner.energy, data.mu_map
        self.on, self.grid = on, coarse_grid(scanner)
        live = rows_of(data)
        # Another shift of the lattice than for the sampled lines, so that both samples differ.
        self._part = live[lattice(len(live), part_bins(len(live), data.n_prompts), shift=0.25)]
        self.share = len(self._part) / len(live)
        self.lines = _sampled_lines(data, live)
        data, bins, times = _counted(data, self._part)
        self.rays = Rays(data.layout.points_mm, data.layout.ends_of(bins), times)
        self.efficiency = own_efficiency(data, bins)
        # With TOF the rows are timed counts, which have their own background.
        if data.timed is None:
            self.counts = data.prompts[bins]
            background = None if data.background is None else data.background[bins]
        else:
            self.counts, background = data.timed.counts, data.timed.background
        self.randoms = np.zeros(len(bins), np.float32) if background is None else background
        self._data, self._bins = data, bins

    def updated(self, number: int, scatter: Values) -> Iterator[tuple[int, int]]:
        """Improve the image of a round by OSEM on the selected bins.

        Returns
        -------
        updated
            yields the updates done and in total
        """
        algorithm = self._algorithm(number)
        data = self._expecting(self.randoms + scatter)
        n_subsets = algorithm.n_subsets
        model = build_of(data, self._part, self.grid, n_subsets=n_subsets, on=self.on)
        # Later rounds continue from the previous image, which saves most of the updates.
        start = self._image
        if start is None:
            counts, randoms = (float(np.sum(v, dtype=float)) for v in (self.counts, self.randoms))
            start = start_from(counts, randoms, self.grid, model)
        n_updates = algorithm.n_iterations * n_subsets
        for step in solve(algorithm, model, start):
            # Only the last image of a round is needed; copying each would stall a GPU.
            if step.update == n_updates:
                self._image = step.image
            yield step.update, n_updates

    def _algorithm(self, number: int) -> Osem:
        tof = self.scanner.tof if self.is_timed else None
        n_counts = float(np.sum(self.counts, dtype=float))
        return updates_of(number, ring_demand(n_counts, self.grid, tof))

    def _expecting(self, background: Values) -> Sinogram:
        """Return the counts with this background in their rows, and none elsewhere."""
        data = self._data
        if data.timed is not None:
            return replace(data, timed=replace(data.timed, background=background))
        # Bins without counts have no row here; their background has no effect on the image.
        expected = np.zeros(data.layout.n_bins, np.float32)
        expected[self._bins] = background
        return replace(data, background=expected)

    def spread_mm(self, reach_mm: float) -> float:
        """Return the largest distance of a bin's lines from its central line.

        Returns
        -------
        spread_mm
            [mm], from axial compression, mashing and the width of arc-corrected bins
        """
        layout, s = self._data.layout, self._data.scanner.settings
        rings = max((each.max_difference - each.min_difference) / 2 for each in layout.segments)
        along = rings / 2 * s.ring_pitch_mm * reach_mm / s.radius_mm
        views = self._data.scanner.n_views / layout.n_views
        across = (views - 1) / 2 * 2 * np.pi / s.n_crystals_per_ring * reach_mm
        return float(along + max(across, 0.0) + (layout.bin_mm or 0.0))

    def trues(self) -> Values:
        tof = self.scanner.tof if self.is_timed else None
        projector = RayProjector(self.rays, self.grid, on=self.on, tof=tof)
        found: Values = to_host(projector(self.on.to_device(self.image)))
        factors = self._data.factors
        return found if factors is None else found * factors[self._bins]


def own_efficiency(data: Sinogram, bins: NDArray[np.integer]) -> Values:
    """Return the fraction of arriving photons that bins count, (n,).

    Parameters
    ----------
    data
        sinogram with factors and attenuation
    bins
        (n,) numbers of bins

    Returns
    -------
    own_efficiency
        the factors without attenuation, which the simulation applies itself
    """
    if data.factors is None:
        return np.ones(len(bins), np.float32)
    factors = data.factors[bins]
    if data.attenuation is None:
        return factors
    passing = data.attenuation[bins]
    # A transmission of 0 means a dead bin.
    return np.divide(factors, passing, out=np.zeros_like(factors), where=passing > 0)


def _counted(
    data: Sinogram, part: NDArray[np.int64]
) -> tuple[Sinogram, NDArray[np.int64], NDArray[np.int16] | None]:
    """Return the counts of selected bins, and the bins and TOF bins that have counts."""
    if data.timed is None:
        return data, part[data.prompts[part] > 0], None
    chosen = np.zeros(data.layout.n_bins, bool)
    chosen[part] = True
    timed = data.timed.where(chosen[data.timed.bins])
    return replace(data, timed=timed), timed.bins.astype(np.int64), timed.times


def _sampled_lines(data: Sinogram, live: NDArray[np.int64]) -> SampledLines:
    bins = live[lattice(len(live), N_LINES, shift=0.5)]
    passing = np.ones(len(bins), np.float32)
    if data.attenuation is not None:
        passing = data.attenuation[bins]
    rays = Rays(data.layout.points_mm, data.layout.ends_of(bins))
    return SampledLines(rays, own_efficiency(data, bins), passing, len(live) / len(bins))

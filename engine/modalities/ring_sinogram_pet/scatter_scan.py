"""Sinograms for the scatter estimate: usable counts with all other corrections."""

from __future__ import annotations

import numpy as np

from engine.core.backend import Backend
from engine.corrections.attenuation import BATCH
from engine.corrections.scatter_estimation.profiles import distance_from_axis
from engine.corrections.scatter_estimation.simulation import ScatterTable
from engine.corrections.sinogram import BinScatter
from engine.data.sinogram import Sinogram
from engine.modalities.ring_scatter.size import MAX_LINES, size_in, width_of
from engine.modalities.ring_scatter.stage import ScatteringScan
from engine.modalities.ring_sinogram_pet.scatter_counts import CountedBins, own_efficiency


class ScatteringBins(ScatteringScan[Sinogram]):
    """Usable counts with a known order of TOF bins."""

    def __init__(self, data: Sinogram) -> None:
        self.data, self.scanner = data, data.scanner
        self.attenuates = data.attenuation is not None
        # Simulated data without scatter, and vendor-corrected data, have no bias to report.
        self.is_clean = data.info.get("source") == "simulated" or data.has_applied("scatt")

    @property
    def n_counts(self) -> int:
        return round(self.data.n_prompts)

    def counted(self, *, on: Backend) -> CountedBins:
        return CountedBins(self.data, on=on)

    def with_scatter(self, table: ScatterTable, *, on: Backend) -> Sinogram:
        return with_scatter(self.data, table, threads=on.threads)

    def size_mm(self) -> tuple[float, float]:
        layout, counts = self.data.layout, self.data.prompts
        bins = np.flatnonzero(counts > 0)
        # A sample of bins is enough for a median.
        bins = bins[:: max(1, len(bins) // MAX_LINES)]
        distance = distance_from_axis(layout.points_mm, layout.ends_of(bins))
        low, high = self.scanner.axial_range_mm
        return size_in(self.data.mu_map) or (width_of(distance, counts[bins]), high - low)


def with_scatter(data: Sinogram, table: ScatterTable, *, threads: int = 1) -> Sinogram:
    """Return counts with the scatter of a table in their bins and TOF bins.

    Parameters
    ----------
    data
        sinogram with its factors
    table
        scatter per unit of line efficiency
    threads
        number of threads
    """
    layout, timed = data.layout, data.timed
    # In batches, because the ends of all lines would exceed the counts themselves.
    expected = np.empty(layout.n_bins, np.float32)
    for start in range(0, layout.n_bins, BATCH):
        bins = np.arange(start, min(start + BATCH, layout.n_bins))
        found = table.of_lines(layout.points_mm, layout.ends_of(bins), threads=threads)
        expected[bins] = found * own_efficiency(data, bins)
    # All TOF bins together are still needed: the sensitivity of a line has no time.
    if timed is None:
        return data.with_background(expected)
    in_time = np.empty(len(timed.bins), np.float32)
    for start in range(0, len(in_time), BATCH):
        rows = slice(start, start + BATCH)
        bins = timed.bins[rows].astype(np.int64)
        ends, times = layout.ends_of(bins), timed.times[rows]
        found = table.of_lines(layout.points_mm, ends, times, threads=threads)
        in_time[rows] = found * own_efficiency(data, bins)
    return data.with_background(expected, in_time)


def is_supplied(scatter: BinScatter, data: Sinogram) -> bool:
    """Return True if the estimate of the scan is used, which needs no image.

    Parameters
    ----------
    scatter
        settings of the correction
    data
        counts with their auxiliary files
    """
    return scatter.use != "off" and not scatter.simulates(data) and not scatter.obstacle(data)

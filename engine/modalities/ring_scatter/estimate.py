"""Iterative scatter estimate from images of the scan.

Each round reconstructs a coarse image from part of the counts, with the scatter of the previous
round. It then simulates single scatter (`engine.corrections.scatter_estimation.simulation`) and
double scatter (`engine.corrections.scatter_estimation.double_scatter`) of this image. Higher orders
have the distribution of double scatter, so that

    S = α · (S₁ + (1 + 2/3 ΣS₂ / ΣS₁) S₂),    Σ over all lines,

where the lines that miss the object determine the scale α. The image of the first round still
contains scatter, so it is assumed too high by the ratio of scatter to trues. An overestimate in one
round causes an underestimate in the next of about `ANSWER` ρ times its size, with ρ = scatter over
trues. Each round but the last therefore changes the estimate only by 1 / (1 + `ANSWER` ρ) of the
difference. Both errors then cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter import Simulation
from engine.corrections.scatter_estimation.axial import AxialScale, TailEvents, fit_along_axis
from engine.corrections.scatter_estimation.coarse_map import coarsened
from engine.corrections.scatter_estimation.double_scatter import SharedPaths, simulate_twice
from engine.corrections.scatter_estimation.multiple import over_twice
from engine.corrections.scatter_estimation.pair_sums import line_factors
from engine.corrections.scatter_estimation.profiles import distance_from_axis, profile_of
from engine.corrections.scatter_estimation.samples import (
    DetectorSamples,
    ScatterPoints,
    sampled_lines,
)
from engine.corrections.scatter_estimation.simulation import ScatterTable, simulate_scatter
from engine.corrections.scatter_estimation.tails import TailFit
from engine.data.scatter_profile import ScatterProfile
from engine.data.volume import Volume
from engine.modalities.ring_scatter.counts import CountedLines
from engine.modalities.ring_scatter.effort import map_edge_mm, n_points_of
from engine.modalities.ring_scatter.lines import MARGIN, object_mask, path_lengths, reach_of
from engine.operators.rays import Rays

ANSWER = 0.75
"""Underestimate of the next round, per overestimate and per ratio of scatter to trues.

Measured values are 0.6 to 1 in 20 and 30 cm of water.
"""
TICKS = 100
"""Number of progress steps in a round."""

OnTick = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class ScatterEstimate:
    """Scatter estimate of a scan.

    Attributes
    ----------
    table : table of lines, per unit of their own efficiency [counts]
    fit : fit to the lines that miss the object
    along : the same along the axis
    fraction : scatter as a fraction of trues and scatter
    multiple : all scatter over single scatter, before the fit
    rounds : number of images that it was simulated from
    image : the last of these images [counts/mm]
    profile : measured counts and their scatter
    """

    table: ScatterTable
    fit: TailFit
    along: AxialScale
    fraction: float
    multiple: float
    rounds: int
    image: Volume
    profile: ScatterProfile

    def describe(self) -> str:
        """Return fraction and scale as a clause with numbers."""
        return (
            f"simulated in {self.rounds} round{'s' * (self.rounds > 1)}: "
            f"{100 * self.fraction:.0f} % of trues and scatter; {self.along.describe()}"
        )


def estimate_scatter(
    counted: CountedLines, settings: Simulation, *, on_tick: OnTick | None = None
) -> ScatterEstimate:
    """Estimate the scatter of a scan from a part of its counts.

    Parameters
    ----------
    counted
        subsample of the counts, and its images
    settings
        rounds, scatter points and seed
    on_tick
        called with the work done and in total; may raise to stop
    """
    try:
        rounds = _Rounds(counted, settings)
        tick = _Ticker(on_tick, settings.rounds)
        for number in range(settings.rounds):
            rounds.improve(number, tick)
        return rounds.estimate()
    finally:
        # Only the rounds have these in common. Later stages need the memory for images.
        line_factors.cache_clear()
        sampled_lines.cache_clear()


class _Rounds:
    """State of the rounds: constant inputs, and the best image and table so far."""

    def __init__(self, counted: CountedLines, settings: Simulation) -> None:
        self.counted, self.settings, self.on = counted, settings, counted.on
        # Lines of a mashed bin spread around its centre, so the margin must include their spread.
        spread = counted.spread_mm(reach_of(counted.mu_map))
        mask = object_mask(counted.mu_map, MARGIN * counted.scanner.bore_radius_mm + spread)
        self.misses = self._paths(mask, counted.rays) == 0
        self.lines_miss = self._paths(mask, counted.lines.rays) == 0
        self.at, self.lines_at = _middles(counted.rays), _middles(counted.lines.rays)
        self.lines_order = np.argsort(self.lines_at[self.lines_miss])
        self.scatter = np.zeros(len(counted.counts), np.float32)
        # Coarse μ-map: the full one would cost path steps without any gain in accuracy.
        self.mu_map = coarsened(counted.mu_map, map_edge_mm(counted.grid))
        self.samples = DetectorSamples.of(counted.scanner)

    def improve(self, number: int, tick: _Ticker) -> None:
        """Reconstruct the image and simulate its scatter."""
        tick.begin(number)
        counted = self.counted
        for done, n_updates in counted.updated(number, self.scatter):
            tick(done, n_updates, TICKS // 2)
        volume = Volume(counted.image, counted.grid, "counts/mm")
        # Another seed in each round, so that the noise of the points does not accumulate.
        n_points, seed = n_points_of(self.settings, number), self.settings.seed + number
        points = ScatterPoints.of(self.mu_map, n_points, seed)
        shared = SharedPaths(counted.scanner, self.samples)
        table = simulate_scatter(
            volume,
            self.mu_map,
            counted.scanner,
            counted.window,
            with_tof=counted.is_timed,
            n_points=n_points,
            seed=seed,
            on=self.on,
            samples=self.samples,
            points=points,
            on_progress=lambda done, total: tick(done, total, TICKS // 2, TICKS // 2),
            on_paths=shared.add,
        )
        self._scale(
            self._with_twice(table, volume, number, points, shared),
            volume,
            holds_scatter=number == 0,
            is_last=number == self.settings.rounds - 1,
        )

    def _with_twice(
        self,
        single: ScatterTable,
        volume: Volume,
        number: int,
        points: ScatterPoints,
        shared: SharedPaths,
    ) -> ScatterTable:
        """Return the table with double and higher scatter."""
        counted = self.counted
        twice = simulate_twice(
            volume,
            self.mu_map,
            counted.scanner,
            counted.window,
            samples=single.samples,
            n_points=n_points_of(self.settings, number),
            seed=self.settings.seed + number,
            on=self.on,
            points=points,
            shared=shared,
        )
        once = self._on_lines(single)
        # Double scatter has no TOF, so it is read as a table without time bins.
        two = self._on_lines(ScatterTable(single.samples, twice[..., None].astype(np.float32), 0))
        total = counted.lines.total
        more = over_twice(total(once), total(two))
        # The ratio of multiple to single scatter is needed for the report, before any scaling.
        self.multiple = 1 + more * total(two) / total(once) if total(once) > 0 else 1.0
        return single.with_more((more * twice).astype(np.float32)).for_linear_reading()

    def _on_lines(self, table: ScatterTable) -> NDArray[np.float32]:
        lines = self.counted.lines
        read = table.of_lines(lines.rays.points_mm, lines.rays.ends, threads=self.on.threads)
        on_lines: NDArray[np.float32] = lines.efficiency * read
        return on_lines

    def _scale(
        self, table: ScatterTable, volume: Volume, *, holds_scatter: bool, is_last: bool
    ) -> None:
        """Fit the scale to the tails and update the scatter of the rows."""
        counted, lines, rays = self.counted, self.counted.lines, self.counted.rays
        paths = self._paths(volume, lines.rays)
        trues = lines.total(lines.efficiency * lines.attenuation * paths)
        simulated = self._on_lines(table)
        ratio = lines.total(simulated) / trues if trues > 0 else 0.0
        # The image of the first round contains scatter itself, which raises all of its values.
        factor = 1 / (1 + ratio) if holds_scatter else 1.0
        expected = counted.efficiency * table.of_lines(
            rays.points_mm, rays.ends, rays.tof_bins, threads=self.on.threads
        )
        expected *= np.float32(factor)
        at, lines_at = self.at, self.lines_at
        outside, lines_outside = self.misses, self.lines_miss
        # Sampled lines and a subsample of the counts must describe the same number of counts.
        weight = np.float32(factor * counted.share * lines.stands_for)
        self.along = fit_along_axis(
            TailEvents(
                at[outside],
                expected[outside],
                counted.randoms[outside],
                counted.counts[outside],
                lines_at[lines_outside],
                simulated[lines_outside] * weight,
                self.lines_order,
            )
        )
        self.scattered = simulated * (factor * self.along.at(lines_at)).astype(np.float32)
        self.table = table.scaled(factor).scaled_along(self.along)
        found = expected * self.along.at(at).astype(np.float32)
        # The last round takes the full step, because no further round follows to react to it.
        step = np.float32(1.0 if holds_scatter or is_last else 1 / (1 + ANSWER * ratio))
        self.scatter += step * (found - self.scatter)
        scattered = lines.total(self.scattered)
        trues *= factor
        # An image without trues has no meaningful fraction.
        self.fraction = scattered / (scattered + trues) if trues > 0 else 0.0
        self.volume = volume

    def _paths(self, volume: Volume, rays: Rays) -> NDArray[np.float32]:
        return path_lengths(volume, rays, on=self.on, reproducible=self.counted.reproducible)

    def estimate(self) -> ScatterEstimate:
        """Return the result of all rounds."""
        return ScatterEstimate(
            self.table,
            self.along.whole,
            self.along,
            self.fraction,
            self.multiple,
            self.settings.rounds,
            self.volume,
            self._profile(),
        )

    def _profile(self) -> ScatterProfile:
        counted, lines = self.counted, self.counted.lines
        # Trues, randoms and scatter of the model are all that is expected on a line.
        every = counted.trues() + counted.randoms + self.scatter
        randoms = np.divide(counted.randoms, every, out=np.zeros_like(every), where=every > 0)
        measured, scatter = (
            distance_from_axis(rays.points_mm, rays.ends) for rays in (counted.rays, lines.rays)
        )
        return profile_of(
            (measured, counted.counts * (1 - randoms) / counted.share),
            (scatter, self.scattered * lines.stands_for),
        )


def _middles(rays: Rays) -> NDArray[np.float64]:
    """Return the axial position of the middle of each line, (n,) [mm]."""
    z_mm = rays.points_mm[:, 2]
    found: NDArray[np.float64] = (z_mm[rays.ends[:, 0]] + z_mm[rays.ends[:, 1]]) / 2
    return found


class _Ticker:
    """Progress of the rounds."""

    def __init__(self, on_tick: OnTick | None, n_rounds: int) -> None:
        self._on_tick, self._n_rounds, self._before = on_tick, n_rounds, 0

    def begin(self, number: int) -> None:
        """Begin a round."""
        self._before = number * TICKS

    def __call__(self, done: int, total: int, n_steps: int, before: int = 0) -> None:
        """Report the progress of a part of a round, which counts `n_steps` steps after `before`."""
        if self._on_tick is not None:
            so_far = self._before + before + n_steps * done // max(total, 1)
            self._on_tick(so_far, self._n_rounds * TICKS)

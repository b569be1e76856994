"""Iterative scatter estimate from images of the scan.

Each round makes a coarse image of part of the counts, with the scatter of the round before, and
simulates what of it scatters once (`engine.corrections.scatter_estimation.simulation`) and twice
(`engine.corrections.scatter_estimation.double_scatter`). What scatters more often lies as what does
so twice, so that

    S = α · (S₁ + (1 + 2/3 ΣS₂ / ΣS₁) S₂),    Σ over all lines,

where the lines that miss the object give the scale α. The image of the first round holds scatter
too: it is taken as much too high as scatter adds to the trues. Too much scatter in one round leaves
an image that gives too little in the next, by about `ANSWER` ρ of it, ρ = scatter over trues: each
round but the last goes 1 / (1 + `ANSWER` ρ) of the way, where both errors cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter import Simulation
from engine.corrections.scatter_estimation.axial import AxialScale, TailEvents, fit_along_axis
from engine.corrections.scatter_estimation.coarse_map import coarsened
from engine.corrections.scatter_estimation.double_scatter import simulate_twice
from engine.corrections.scatter_estimation.multiple import over_twice
from engine.corrections.scatter_estimation.profiles import distance_from_axis, profile_of
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.simulation import ScatterTable, simulate_scatter
from engine.corrections.scatter_estimation.tails import TailFit
from engine.data.scatter_profile import ScatterProfile
from engine.data.volume import Volume
from engine.modalities.ring_scatter.counts import CountedLines
from engine.modalities.ring_scatter.effort import map_edge_mm, n_points_of
from engine.modalities.ring_scatter.lines import MARGIN, object_mask, path_lengths, reach_of
from engine.operators.rays import Rays

ANSWER = 0.75
"""How much too little scatter the image of a round gives, for each part that the round before found
too much, times scatter over trues: 0.6 to 1 in 20 and 30 cm of water."""
TICKS = 100
"""Progress of a round."""

OnTick = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class ScatterEstimate:
    """Scatter estimate of a scan.

    Attributes
    ----------
    table : table of lines, per unit of their own efficiency [counts]
    fit : to the lines that miss the object
    along : the same along the axis
    fraction : scatter as part of trues and scatter
    multiple : all scatter over single scatter, before the fit
    rounds : images it was simulated from
    image : the last of them [counts/mm]
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
        """Plain words with numbers."""
        return (
            f"simulated in {self.rounds} round{'s' * (self.rounds > 1)}: "
            f"{100 * self.fraction:.0f} % of trues and scatter; {self.along.describe()}"
        )


def estimate_scatter(
    counted: CountedLines, settings: Simulation, *, on_tick: OnTick | None = None
) -> ScatterEstimate:
    """Estimate the scatter of a scan from a part of its counts."""
    rounds = _Rounds(counted, settings)
    tick = _Ticker(on_tick, settings.rounds)
    for number in range(settings.rounds):
        rounds.improve(number, tick)
    return rounds.estimate()


class _Rounds:
    """State of the rounds: constant inputs, and the best image and table so far."""

    def __init__(self, counted: CountedLines, settings: Simulation) -> None:
        self.counted, self.settings, self.on = counted, settings, counted.on
        spread = counted.spread_mm(reach_of(counted.mu_map))
        mask = object_mask(counted.mu_map, MARGIN * counted.scanner.bore_radius_mm + spread)
        self.misses = self._paths(mask, counted.rays) == 0
        self.lines_miss = self._paths(mask, counted.lines.rays) == 0
        self.scatter = np.zeros(len(counted.counts), np.float32)
        self.mu_map = coarsened(counted.mu_map, map_edge_mm(counted.grid))
        self.samples = DetectorSamples.of(counted.scanner)

    def improve(self, number: int, tick: _Ticker) -> None:
        """Make the image anew and simulate its scatter."""
        tick.begin(number)
        counted = self.counted
        for done, n_updates in counted.updated(number, self.scatter):
            tick(done, n_updates, TICKS // 2)
        volume = Volume(counted.image, counted.grid, "counts/mm")
        table = simulate_scatter(
            volume,
            self.mu_map,
            counted.scanner,
            counted.window,
            with_tof=counted.is_timed,
            n_points=n_points_of(self.settings, number),
            seed=self.settings.seed + number,
            on=self.on,
            samples=self.samples,
            on_progress=lambda done, total: tick(done, total, TICKS // 2, TICKS // 2),
        )
        self._scale(
            self._with_twice(table, volume, number),
            volume,
            holds_scatter=number == 0,
            is_last=number == self.settings.rounds - 1,
        )

    def _with_twice(self, single: ScatterTable, volume: Volume, number: int) -> ScatterTable:
        """Add what scatters more than once."""
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
        )
        once = self._on_lines(single)
        two = self._on_lines(ScatterTable(single.samples, twice[..., None].astype(np.float32), 0))
        total = counted.lines.total
        more = over_twice(total(once), total(two))
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
        """Fit the tails."""
        counted, lines, rays = self.counted, self.counted.lines, self.counted.rays
        paths = self._paths(volume, lines.rays)
        trues = lines.total(lines.efficiency * lines.attenuation * paths)
        simulated = self._on_lines(table)
        ratio = lines.total(simulated) / trues if trues > 0 else 0.0
        factor = 1 / (1 + ratio) if holds_scatter else 1.0
        expected = counted.efficiency * table.of_lines(
            rays.points_mm, rays.ends, rays.tof_bins, threads=self.on.threads
        )
        expected *= np.float32(factor)
        at, lines_at = _middles(rays), _middles(lines.rays)
        outside, lines_outside = self.misses, self.lines_miss
        weight = np.float32(factor * counted.share * lines.stands_for)
        self.along = fit_along_axis(
            TailEvents(
                at[outside],
                expected[outside],
                counted.randoms[outside],
                counted.counts[outside],
                lines_at[lines_outside],
                simulated[lines_outside] * weight,
            )
        )
        self.scattered = simulated * (factor * self.along.at(lines_at)).astype(np.float32)
        self.table = table.scaled(factor).scaled_along(self.along)
        found = expected * self.along.at(at).astype(np.float32)
        step = np.float32(1.0 if holds_scatter or is_last else 1 / (1 + ANSWER * ratio))
        self.scatter += step * (found - self.scatter)
        scattered = lines.total(self.scattered)
        trues *= factor
        self.fraction = scattered / (scattered + trues) if trues > 0 else 0.0
        self.volume = volume

    def _paths(self, volume: Volume, rays: Rays) -> NDArray[np.float32]:
        return path_lengths(volume, rays, on=self.on, reproducible=self.counted.reproducible)

    def estimate(self) -> ScatterEstimate:
        """Return what the rounds came to."""
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
    """(n,) place of the middle of each line along the axis [mm]."""
    found: NDArray[np.float64] = rays.points_mm[rays.ends, 2].mean(axis=1)
    return found


class _Ticker:
    """Progress of the rounds."""

    def __init__(self, on_tick: OnTick | None, n_rounds: int) -> None:
        self._on_tick, self._n_rounds, self._before = on_tick, n_rounds, 0

    def begin(self, number: int) -> None:
        """Begin a round."""
        self._before = number * TICKS

    def __call__(self, done: int, total: int, most: int, before: int = 0) -> None:
        """Tell that so much of a part of the round is done, which counts `most` after `before`."""
        if self._on_tick is not None:
            so_far = self._before + before + most * done // max(total, 1)
            self._on_tick(so_far, self._n_rounds * TICKS)

"""Scatter in the object between two panels, from the scan's own image, in rounds.

Each round makes an image with the stored response, within the support, with the scatter of the
round before, and simulates the single scatter of that image (`engine.scatter.panels`), absolute.
With x single scatters for each true, photons scatter (eˣ − 1) / x times as often as once
(`engine.scatter.multiple`). The image of the first round holds scatter too: it is taken as much too
high as scatter adds to the trues. Lines beside the object scale nothing here, since photons that
scatter in the crystals are seen there, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.algorithms import Osem, solve
from engine.arrays import Array
from engine.backend import Backend
from engine.corrections.scatter import Simulation
from engine.data.histogram import Column, Histogram, total
from engine.data.response import ResponseMatrix
from engine.data.volume import Volume
from engine.errors import DataError
from engine.geometry.dual_head import DualHead
from engine.geometry.grid import ImageGrid
from engine.modalities.dual_head_pet import model as dual_head_pet
from engine.operators.panel_energies import relative_efficiency
from engine.scatter.multiple import over_single
from engine.scatter.panels import PanelTable, simulate_panels

SUBSETS = 8
"""Updates of the image of a round."""
FEWER_POINTS = 4
"""All rounds but the last take this part of the points."""
BATCH = 4_000_000
"""Lines whose scatter is read at a time."""

OnTick = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class PanelScatter:
    """Scatter of a scan of two panels.

    Attributes
    ----------
    expected : (n_lines,) counts
    fraction : scatter as part of trues and scatter
    rounds : images it was simulated from
    """

    expected: Column
    fraction: float
    rounds: int

    def describe(self) -> str:
        """Plain words with numbers."""
        return (
            f"simulated in {self.rounds} round{'s' * (self.rounds > 1)}: "
            f"{100 * self.fraction:.0f} % of trues and scatter"
        )


def estimate_scatter(
    data: Histogram,
    own: Column | None,
    response: ResponseMatrix,
    start: NDArray[np.float32],
    settings: Simulation,
    *,
    on: Backend,
    on_tick: OnTick | None = None,
) -> PanelScatter:
    """Estimate the scatter of corrected counts, whose attenuation is among their factors.

    Parameters
    ----------
    data
        counts with all other corrections
    own
        (n_lines,) their factors without attenuation; None: all 1
    response
        of the scanner
    start
        an even image, 0 where no activity is
    settings
        rounds and points
    on
        makes the images; its threads simulate
    on_tick
        called with work done and in all; may raise to stop
    """
    if data.mu_map is None:
        raise DataError("without a μ-map no scatter is simulated.")
    counted = data.n_prompts - (0.0 if data.background is None else total(data.background))
    weights = _weights(response, own)
    expected, scattered = np.zeros(0, np.float32), 0.0
    for number in range(settings.rounds):
        known = data.with_background(expected) if number else data
        image = _image(known, response, start, on)
        points = settings.points // (1 if number == settings.rounds - 1 else FEWER_POINTS)
        table = simulate_panels(
            _on_pitches(image, data.scanner),
            data.mu_map,
            data.scanner,
            lambda kev: relative_efficiency(data.scanner, kev),
            n_points=max(points, 1),
            seed=settings.seed + number,
            on=on,
        )
        expected = _on_lines(table, data.scanner, weights, on.threads)
        single = total(expected)
        trues = max(counted - scattered, 1e-3 * counted)
        ratio = single / trues
        factor = over_single(ratio) / (1.0 if number else 1 + over_single(ratio) * ratio)
        expected *= np.float32(factor)
        scattered = factor * single
        if on_tick is not None:
            on_tick(number + 1, settings.rounds)
    return PanelScatter(expected, scattered / counted, settings.rounds)


def _image(
    data: Histogram, response: ResponseMatrix, start: NDArray[np.float32], on: Backend
) -> Array:
    """Update an even image by each subset once."""
    n_families = len(np.unique(np.abs(data.scanner.orientations.offsets), axis=0))
    algorithm = Osem(iterations=1, subsets=min(SUBSETS, n_families))
    model = dual_head_pet.build(data, response, n_subsets=algorithm.n_subsets, on=on)
    image: Array = start
    for step in solve(algorithm, model, start):
        if step.update == algorithm.n_subsets:
            image = step.image
    return image


def _on_pitches(image: Array, scanner: DualHead) -> Volume:
    """Return the mean of an image over the voxels of each pitch: scatter needs no more."""
    s, grid = scanner.settings, scanner.grid
    n = s.voxels_per_pitch
    parts = image.reshape(s.n_rows, n, s.n_planes, s.n_columns, n)
    x, y, z = grid.voxel_mm
    coarse = ImageGrid((s.n_rows, s.n_planes, s.n_columns), (n * x, y, n * z), grid.centre_mm)
    return Volume(parts.mean(axis=(1, 4), dtype=np.float32), coarse, dual_head_pet.UNIT)


def _weights(response: ResponseMatrix, own: Column | None) -> Column:
    """(n_lines,) H / L of each line, times its own factors."""
    s, table = response.scanner.settings, response.scanner.orientations
    apart = s.separation_mm + 2 * response.scanner.depth_mm(0)
    offset = s.pitch_mm * np.hypot(*table.offsets.T)
    length = s.n_planes * s.plane_mm * np.hypot(apart, offset) / apart
    of_orientation = dual_head_pet.sums_of_rows(response) / length
    weights = np.repeat(of_orientation.astype(np.float32), table.n_shifts)
    return weights if own is None else weights * own


def _on_lines(table: PanelTable, scanner: DualHead, weights: Column, threads: int) -> Column:
    expected = np.empty(scanner.n_lors, np.float32)
    for start in range(0, scanner.n_lors, BATCH):
        stop = min(start + BATCH, scanner.n_lors)
        crystals = scanner.lors(np.arange(start, stop))
        expected[start:stop] = table.of_lines(scanner.positions_mm, crystals, threads=threads)
    expected *= weights
    return expected

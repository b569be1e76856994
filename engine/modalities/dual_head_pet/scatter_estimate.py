"""Iterative scatter estimate between two panels, from images of the scan.

Each round makes an image with the stored response, within the support, with the scatter of the
round before, and simulates the single scatter of that image
(`engine.corrections.scatter_estimation.panels`), absolute. With x single scatters for each true,
photons scatter (eˣ − 1) / x times as often as once
(`engine.corrections.scatter_estimation.multiple`). The image of the first round holds scatter too:
it is taken as much too high as scatter adds to the trues. Lines beside the object scale nothing
here, since photons that scatter in the crystals are seen there, too.

Of panels with several layers of crystals a photon of energy E is seen in layer l with the share
s_l(E) of those seen (`engine.operators.panel_energies`), so that a line of layers i and k counts

(s_i(511) s_k(E') + s_i(E') s_k(511)) / (2 s_i(511) s_k(511))

times as much of scatter to E' as its response to photons of 511 keV says. Which of both photons was
scattered matters where i ≠ k alone, and there to second order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.corrections.scatter import Simulation
from engine.corrections.scatter_estimation.multiple import over_single
from engine.corrections.scatter_estimation.panels import PanelTable, simulate_panels
from engine.data.histogram import Column, Histogram, one_layer, total
from engine.data.layered_response import StoredResponse
from engine.data.volume import Volume
from engine.geometry.dual_head import DualHead
from engine.geometry.energy import ELECTRON_KEV
from engine.geometry.grid import ImageGrid
from engine.modalities.count_demand import panel_demand
from engine.modalities.dual_head_pet import model as dual_head_pet
from engine.operators.panel_energies import layer_shares, relative_efficiency
from engine.recon.algorithms import Osem, solve
from engine.recon.algorithms.subsets import divisor_of

SUBSETS = 8
"""Updates of the image of a round."""
FEWER_POINTS = 4
"""All rounds but the last take this part of the points."""
BATCH = 4_000_000
"""Lines whose scatter is read at a time."""

OnTick = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class PanelScatter:
    """Scatter estimate of a dual-head scan.

    Attributes
    ----------
    expected : (n_lines,) counts
    fraction : scatter as part of trues and scatter
    rounds : images it was simulated from
    n_layers : number of layers of crystals that it was shared out over
    """

    expected: Column
    fraction: float
    rounds: int
    n_layers: int = 1

    def describe(self) -> str:
        """Plain words with numbers."""
        return (
            f"simulated in {self.rounds} round{'s' * (self.rounds > 1)}: "
            f"{100 * self.fraction:.0f} % of trues and scatter"
            f"{', split over the crystal layers by energy' * (self.n_layers > 1)}"
        )


def estimate_scatter(
    data: Histogram,
    own: Column | None,
    response: StoredResponse,
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
        response of the scanner
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
        raise DataError("scatter is not simulated without a μ-map.")
    counted = data.n_prompts - (0.0 if data.background is None else total(data.background))
    weights = _weights(response, own)
    expected, scattered = np.zeros(0, np.float32), 0.0
    for number in range(settings.rounds):
        known = data.with_background(expected) if number else data
        image = _image(known, response, start, on)
        points = settings.points // (1 if number == settings.rounds - 1 else FEWER_POINTS)
        scene = _Scene(
            _on_pitches(image, data.scanner), data.mu_map, max(points, 1), settings.seed + number
        )
        expected = _expected(scene, data.scanner, weights, on)
        single = total(expected)
        trues = max(counted - scattered, 1e-3 * counted)
        ratio = single / trues
        factor = over_single(ratio) / (1.0 if number else 1 + over_single(ratio) * ratio)
        expected *= np.float32(factor)
        scattered = factor * single
        if on_tick is not None:
            on_tick(number + 1, settings.rounds)
    layers = data.scanner.settings.n_layers
    return PanelScatter(expected, scattered / counted, settings.rounds, layers)


def _image(
    data: Histogram, response: StoredResponse, start: NDArray[np.float32], on: Backend
) -> Array:
    """Update an even image by each subset once, or as often with fewer subsets of few counts."""
    n_families = len(np.unique(np.abs(data.scanner.orientations.offsets), axis=0))
    most = min(SUBSETS, n_families, panel_demand(data.n_prompts, data.scanner).most_subsets)
    subsets = divisor_of(SUBSETS, most)
    algorithm = Osem(iterations=SUBSETS // subsets, subsets=subsets)
    model = dual_head_pet.build(data, response, n_subsets=algorithm.n_subsets, on=on)
    image: Array = start
    for step in solve(algorithm, model, start):
        if step.update == algorithm.n_iterations * algorithm.n_subsets:
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


def _weights(response: StoredResponse, own: Column | None) -> Column:
    """(n_lines,) H / L of each line, times its own factors."""
    s, table = response.scanner.settings, response.scanner.orientations
    depths = [response.scanner.depth_mm(layer) for layer in range(s.n_layers)]
    separation = s.separation_mm + np.add.outer(depths, depths).reshape(-1, 1)
    offset = s.pitch_mm * np.hypot(*table.offsets.T)
    length = (s.n_planes * s.plane_mm * np.hypot(separation, offset) / separation).ravel()
    of_orientation = dual_head_pet.sums_of_rows(response) / length
    n_lines = np.tile(table.n_shifts, s.n_layers**2)
    weights = np.repeat(of_orientation.astype(np.float32), n_lines)
    return weights if own is None else weights * own


class _Scene(NamedTuple):
    """The scattering object, and the resolution of its simulation."""

    image: Volume
    mu_map: Volume
    n_points: int
    seed: int


def _expected(scene: _Scene, scanner: DualHead, weights: Column, on: Backend) -> Column:
    """(n_lines,) single scatter, pair of layers by pair."""
    panels, n_layers = one_layer(scanner), scanner.settings.n_layers
    n = scanner.orientations.n_pairs
    tables: dict[tuple[int, int], PanelTable] = {}
    expected = np.empty(scanner.n_lors, np.float32)
    for i, k in np.ndindex(n_layers, n_layers):
        layers = min(i, k), max(i, k)
        if layers not in tables:
            counted = partial(_counted, scanner, *layers)
            tables[layers] = simulate_panels(
                scene.image, scene.mu_map, panels, counted,
                n_points=scene.n_points, seed=scene.seed, on=on,
            )  # fmt: skip
        first = (i * n_layers + k) * n
        lines = slice(first, first + n)
        expected[lines] = _on_lines(tables[layers], panels, weights[lines], on.threads)
    return expected


def _counted(scanner: DualHead, i: int, k: int, kev: NDArray[np.float64]) -> NDArray[np.float64]:
    """Photons of energies (n,) that lines of two layers count, relative to those of 511 keV."""
    counted = relative_efficiency(scanner, kev)
    if scanner.settings.n_layers == 1:
        return counted
    own, of_energy = layer_shares(scanner, np.array([ELECTRON_KEV])), layer_shares(scanner, kev)
    return counted * (of_energy[i] / own[i] + of_energy[k] / own[k]) / 2


def _on_lines(table: PanelTable, scanner: DualHead, weights: Column, threads: int) -> Column:
    expected = np.empty(scanner.n_lors, np.float32)
    for start in range(0, scanner.n_lors, BATCH):
        stop = min(start + BATCH, scanner.n_lors)
        crystals = scanner.lors(np.arange(start, stop))
        expected[start:stop] = table.of_lines(scanner.positions_mm, crystals, threads=threads)
    expected *= weights
    return expected

"""Iterative scatter estimate between two panels, from images of the scan.

Each round reconstructs an image with the stored response, within the support, with the scatter of
the previous round. It then simulates the absolute single scatter of that image
(`engine.corrections.scatter_estimation.panels`). With x single scatters per true, all scatter is
(eˣ − 1) / x times as much (`engine.corrections.scatter_estimation.multiple`). The image of the
first round still contains scatter, so it is assumed too high by the ratio of scatter to trues.
Lines that miss the object cannot scale the result, because they also contain photons that scatter
in the crystals.

In panels with several layers, a photon of energy E is detected in layer l with the fraction s_l(E)
(`engine.operators.panel_energies`). A line of layers i and k therefore counts

(s_i(511) s_k(E') + s_i(E') s_k(511)) / (2 s_i(511) s_k(511))

times as much scatter to E' as its response for 511 keV states. Which of the two photons was
scattered matters only for i ≠ k, and only to second order.
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
"""Number of updates for the image of a round."""
FEWER_POINTS = 4
"""Divisor of the number of scatter points in all rounds but the last."""
BATCH = 4_000_000
"""Number of lines whose scatter is read at once."""

OnTick = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class PanelScatter:
    """Scatter estimate of a dual-head scan.

    Attributes
    ----------
    expected : (n_lines,) counts
    fraction : scatter as a fraction of trues and scatter
    rounds : number of images that it was simulated from
    n_layers : number of crystal layers
    """

    expected: Column
    fraction: float
    rounds: int
    n_layers: int = 1

    def describe(self) -> str:
        """Return the fraction as a clause with numbers."""
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
    """Estimate the scatter of corrected counts, with attenuation among their factors.

    Parameters
    ----------
    data
        counts with all other corrections
    own
        (n_lines,) factors without attenuation; None if all are 1
    response
        response of the scanner
    start
        uniform image, 0 where no activity is possible
    settings
        rounds and points
    on
        device of the images and the simulation
    on_tick
        called with the number of rounds done and in total; may raise to stop

    Raises
    ------
    DataError
        if there is no μ-map
    """
    if data.mu_map is None:
        raise DataError("scatter cannot be simulated without a μ-map; load a μ-map.")
    counted = data.n_prompts - (0.0 if data.background is None else total(data.background))
    # Factors of lines do not change between rounds, so they are computed once.
    weights = _weights(response, own)
    expected, scattered = np.zeros(0, np.float32), 0.0
    for number in range(settings.rounds):
        # The image of the first round has no scatter background yet.
        known = data.with_background(expected) if number else data
        image = _image(known, response, start, on)
        # Early rounds only correct the image roughly, so fewer points suffice.
        points = settings.points // (1 if number == settings.rounds - 1 else FEWER_POINTS)
        # Another seed in each round, so that the noise of the points does not accumulate.
        scene = _Scene(
            _on_pitches(image, data.scanner), data.mu_map, max(points, 1), settings.seed + number
        )
        expected = _expected(scene, data.scanner, weights, on)
        single = total(expected)
        # The floor avoids a division by zero if the estimate exceeds the counts.
        trues = max(counted - scattered, 1e-3 * counted)
        ratio = single / trues
        factor = over_single(ratio) / (1.0 if number else 1 + over_single(ratio) * ratio)
        # Multiple scatter has the distribution of single scatter between panels, to a good
        # approximation.
        expected *= np.float32(factor)
        scattered = factor * single
        if on_tick is not None:
            on_tick(number + 1, settings.rounds)
    layers = data.scanner.settings.n_layers
    return PanelScatter(expected, scattered / counted, settings.rounds, layers)


def _image(
    data: Histogram, response: StoredResponse, start: NDArray[np.float32], on: Backend
) -> Array:
    """Update a uniform image by each subset once, or as often with fewer subsets for few counts."""
    n_families = len(np.unique(np.abs(data.scanner.orientations.offsets), axis=0))
    most = min(SUBSETS, n_families, panel_demand(data.n_prompts, data.scanner).max_subsets)
    subsets = divisor_of(SUBSETS, most)
    algorithm = Osem(iterations=SUBSETS // subsets, subsets=subsets)
    model = dual_head_pet.build(data, response, n_subsets=algorithm.n_subsets, on=on)
    image: Array = start
    for step in solve(algorithm, model, start):
        # Only the last image of a round is needed; copying each would stall a GPU.
        if step.update == algorithm.n_iterations * algorithm.n_subsets:
            image = step.image
    return image


def _on_pitches(image: Array, scanner: DualHead) -> Volume:
    """Return the mean of an image over the voxels of each pitch: scatter is smooth."""
    s, grid = scanner.settings, scanner.grid
    n = s.voxels_per_pitch
    parts = image.reshape(s.n_rows, n, s.n_planes, s.n_columns, n)
    x, y, z = grid.voxel_mm
    coarse = ImageGrid((s.n_rows, s.n_planes, s.n_columns), (n * x, y, n * z), grid.centre_mm)
    return Volume(parts.mean(axis=(1, 4), dtype=np.float32), coarse, dual_head_pet.UNIT)


def _weights(response: StoredResponse, own: Column | None) -> Column:
    """Return H / L of each line, times its own factors, (n_lines,)."""
    s, table = response.scanner.settings, response.scanner.orientations
    depths = [response.scanner.depth_mm(layer) for layer in range(s.n_layers)]
    # The mean detection depth lengthens the line by both layers.
    separation = s.separation_mm + np.add.outer(depths, depths).reshape(-1, 1)
    offset = s.pitch_mm * np.hypot(*table.offsets.T)
    length = (s.n_planes * s.plane_mm * np.hypot(separation, offset) / separation).ravel()
    of_orientation = dual_head_pet.sums_of_rows(response) / length
    # All pairs of layers have the same shifts, one after the other.
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
    """Return the single scatter of each line, one pair of layers after the other."""
    panels, n_layers = one_layer(scanner), scanner.settings.n_layers
    n = scanner.orientations.n_pairs
    tables: dict[tuple[int, int], PanelTable] = {}
    expected = np.empty(scanner.n_lors, np.float32)
    for i, k in np.ndindex(n_layers, n_layers):
        # Pairs (i, k) and (k, i) are mirror images and share one table.
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
    """Return photons of energies (n,) that lines of two layers count, relative to 511 keV."""
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

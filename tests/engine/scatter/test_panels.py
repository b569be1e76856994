"""Scatter between two panels: its formula for one point, and the grid that it is read from."""

from __future__ import annotations

import numpy as np
import pytest

from engine.backend import cpu
from engine.data.volume import Volume
from engine.geometry.energy import ELECTRON_KEV
from engine.geometry.grid import ImageGrid
from engine.geometry.line_efficiency import CrystalDepth
from engine.scatter.klein_nishina import differential, energy_ratio, total
from engine.scatter.panels import PanelSamples, simulate_panels
from engine.scatter.samples import ScatterPoints
from tests.engine.geometry.panels import panels

SCANNER = panels(n_rows=12, n_columns=8, pitch_mm=4.0, crystal_mm=4.0, separation_mm=40.0)
MU = 1e-5
SEED = 4


def halved(kev: np.ndarray) -> np.ndarray:
    """An efficiency that falls to a half where half of the energy is left."""
    return kev / ELECTRON_KEV


def test_one_point_sends_what_the_formula_says() -> None:
    """Nearly nothing attenuates, and activity is even in a box around the point."""
    speck = Volume(np.full((1, 1, 1), MU, np.float32), ImageGrid((1, 1, 1), (1.0, 1.0, 1.0)), "")
    grid = ImageGrid((48, 32, 32), (1.0, 1.0, 1.0))
    image = Volume(np.full(grid.shape, 3.0, np.float32), grid, "decays")
    table = simulate_panels(image, speck, SCANNER, halved, n_points=1, seed=SEED, on=cpu(1))
    points = ScatterPoints.of(speck, 1, SEED)
    point, weight = points.places_mm[0], points.weights_mm2[0]
    crystals = np.array([[3, 96 + 60], [40, 96 + 41], [90, 96 + 12]], np.int32)
    found = table.of_lines(SCANNER.positions_mm, crystals)

    s, samples = SCANNER.settings, PanelSamples.of(SCANNER)
    depth = CrystalDepth(
        s.thickness_mm, s.attenuation_per_mm, s.photo_fraction, s.energy_window_kev[0]
    )
    n, half = samples.n_of_panel, np.array(grid.size_mm) / 2
    sums = np.zeros((n, n))
    for a in range(n):
        for b in range(n):
            ends = samples.places_mm[[a, n + b]]
            ways = ends - point
            far = np.linalg.norm(ways, axis=1)
            to = ways / far[:, None]
            cosine = -to[0] @ to[1]
            reach = [np.min((half - np.sign(d) * point) / np.abs(d)) for d in to]
            line = ends[1] - ends[0]
            apart = np.linalg.norm(line)
            seen = [depth.efficiency(np.abs(d[1])) / r**2 for d, r in zip(to, far, strict=True)]
            own = depth.efficiency(np.array(line[1] / apart)) ** 2 / apart**2
            chance = differential(np.array(cosine)) / total(np.array(ELECTRON_KEV))
            chance *= energy_ratio(np.array(cosine))
            sums[a, b] = weight * seen[0] * seen[1] * chance * 3.0 * sum(reach) / own
    places = samples.of_crystals(SCANNER.positions_mm)
    shape = (len(samples.z_mm), len(samples.x_mm)) * 2
    wanted = [_between(sums.reshape(shape), places[pair]) for pair in crystals]
    assert np.allclose(found, wanted, rtol=0.03)


def _between(values: np.ndarray, places: np.ndarray) -> float:
    """Read a table between its samples."""
    at = places.ravel()
    low = np.minimum(at.astype(int), np.array(values.shape) - 2)
    result = 0.0
    for corner in np.ndindex(2, 2, 2, 2):
        share = np.where(corner, at - low, 1 - at + low).prod()
        result += share * values[tuple(low + corner)]
    return result


@pytest.mark.parametrize("shape", [(12, 8), (1, 5), (60, 2)])
def test_samples_reach_from_the_first_crystal_to_the_last(shape: tuple[int, int]) -> None:
    scanner = panels(n_rows=shape[0], n_columns=shape[1])
    samples = PanelSamples.of(scanner)
    at = samples.of_crystals(scanner.positions_mm)
    last = np.array([len(samples.z_mm), len(samples.x_mm)]) - 1
    for axis, n in enumerate(shape):
        assert (at[:, axis] >= 0).all() and (at[:, axis] <= last[axis]).all()
        if n > 1:
            assert (at[:, axis].min(), at[:, axis].max()) == (0, last[axis])
    y = scanner.positions_mm[:, 1]
    assert np.allclose(np.unique(samples.places_mm[:, 1]), [y.min(), y.max()])
    assert samples.partners.sum() == 2 * samples.n_of_panel**2

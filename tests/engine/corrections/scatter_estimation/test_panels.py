"""Scatter between two panels: the formula for one point, and the sampling grid."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.scatter_estimation.detection import attenuation_of
from engine.corrections.scatter_estimation.klein_nishina import differential, energy_ratio, total
from engine.corrections.scatter_estimation.pair_sums import line_factors
from engine.corrections.scatter_estimation.panel_depths import TANGENT, PanelDepths
from engine.corrections.scatter_estimation.panels import PanelSamples, simulate_panels
from engine.corrections.scatter_estimation.samples import ScatterPoints
from engine.data.volume import Volume
from engine.geometry.energy import ELECTRON_KEV
from engine.geometry.grid import ImageGrid
from tests.engine.geometry.panels import panels

SCANNER = panels(n_rows=12, n_columns=8, pitch_mm=4.0, crystal_mm=4.0, separation_mm=40.0)
MU = 1e-5
SEED = 4


def halved(kev: np.ndarray) -> np.ndarray:
    """Return an efficiency that is proportional to the energy."""
    return kev / ELECTRON_KEV


def test_one_point_scatters_by_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attenuation is negligible, and activity is uniform in a box around the point."""
    monkeypatch.setattr(
        "engine.corrections.scatter_estimation.panels.STEP", 0.1
    )  # a point is no smooth object
    speck = Volume(np.full((1, 1, 1), MU, np.float32), ImageGrid((1, 1, 1), (1.0, 1.0, 1.0)), "")
    grid = ImageGrid((48, 32, 32), (1.0, 1.0, 1.0))
    image = Volume(np.full(grid.shape, 3.0, np.float32), grid, "decays")
    table = simulate_panels(image, speck, SCANNER, halved, n_points=1, seed=SEED, on=cpu(1))
    assert line_factors.cache_info().currsize == 0, "each sample must have its own factors"
    points = ScatterPoints.of(speck, 1, SEED)
    point, weight = points.places_mm[0], points.weights_mm2[0]
    crystals = np.array([[3, 96 + 60], [40, 96 + 41], [90, 96 + 12]], np.int32)
    found = table.of_lines(SCANNER.positions_mm, crystals)

    depths, half = PanelDepths.of(SCANNER), np.array(grid.size_mm) / 2
    depth, own = depths.depth, depths.shares(np.array([ELECTRON_KEV]))[:, 0]
    s = SCANNER.settings
    assert depth.attenuation_per_mm == s.attenuation_per_mm  # crystals without gaps
    for (first, second), scatter in zip(crystals, found, strict=True):
        sums, normalisation = 0.0, 0.0
        for i, j in np.ndindex(2, 2):
            ends = SCANNER.positions_mm[[first, second]]
            ends[:, 1] = np.array([-1, 1]) * (s.separation_mm / 2 + depths.places_mm[[i, j]])
            directions = ends - point
            far = np.linalg.norm(directions, axis=1)
            to = directions / far[:, None]
            cosine = np.array(-to[0] @ to[1])
            reach = [np.min((half - np.sign(d) * point) / np.abs(d)) for d in to]
            line = ends[1] - ends[0]
            distance = np.linalg.norm(line)
            each = [depth.efficiency(np.abs(d[1])) / r**2 for d, r in zip(to, far, strict=True)]
            chance = differential(cosine) / total(np.array(ELECTRON_KEV)) * energy_ratio(cosine)
            others = depths.shares(ELECTRON_KEV * np.atleast_1d(energy_ratio(cosine)))[:, 0]
            chance *= (own[i] * others[j] + others[i] * own[j]) / 2
            sums += weight * each[0] * each[1] * chance * 3.0 * sum(reach)
            normalisation += (
                own[i] * own[j] * depth.efficiency(np.array(line[1] / distance)) ** 2 / distance**2
            )
        assert scatter == pytest.approx(sums / normalisation, rel=0.02)


def test_depths_have_the_moments_of_the_detections() -> None:
    """Three depths represent an exponential for 511 keV; the mean is correct for other energies."""
    depths = PanelDepths.of(panels(thickness_mm=20.0))
    thickness = depths.depth.depth_mm
    at = (np.arange(20_000) + 0.5) / 20_000 * thickness
    for kev, moments in ((ELECTRON_KEV, (1, 2, 3)), (350.0, (1,))):
        mu = attenuation_of(np.array([kev]), depths.depth)[0] * np.hypot(1, TANGENT)
        law = np.exp(-mu * at) / np.exp(-mu * at).sum()
        shares = depths.shares(np.array([kev]))[:, 0]
        for k in moments:
            assert (shares * depths.places_mm**k).sum() == pytest.approx((law * at**k).sum())


@pytest.mark.parametrize("shape", [(12, 8), (1, 5), (60, 2)])
def test_samples_extend_from_the_first_crystal_to_the_last(shape: tuple[int, int]) -> None:
    scanner = panels(n_rows=shape[0], n_columns=shape[1])
    samples = PanelSamples.of(scanner, (1.0, 2.0))
    at = samples.of_crystals(scanner.positions_mm)
    last = np.array([len(samples.z_mm), len(samples.x_mm)]) - 1
    for axis, n in enumerate(shape):
        assert (at[:, axis] >= 0).all() and (at[:, axis] <= last[axis]).all()
        if n > 1:
            assert (at[:, axis].min(), at[:, axis].max()) == (0, last[axis])
    half = scanner.settings.separation_mm / 2
    assert np.allclose(np.unique(samples.places_mm[:, 1]), [-half - 1, half + 2])
    assert samples.partners.sum() == 2 * samples.n_of_panel**2

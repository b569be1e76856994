"""Tests of files of the judge's photons: positions, times and counts arrive unchanged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.geometry.tof import TofSettings
from tests.judge.coincidences import coincidences
from tests.judge.materials import LEAD, WATER
from tests.judge.pairs import simulate_pairs
from tests.judge.phantoms import Phantom, Region
from tests.judge.readout import Physics
from tests.judge.singles import simulate_singles
from tests.judge.solids import box, cylinder
from tests.judge.studies import PANELS, points, round_ring, safir_cylinder
from tests.judge_scans import (
    cached_pairs,
    listmode_of,
    mean_depth_mm,
    mu_map_of,
    panel_crystals,
    panels_of,
    ring_of,
)
from tests.tolerances import FLOAT64_SUMS

RING = round_ring(60.0, 40.0, n_crystals=120, row_mm=4.0)
TOF = TofSettings(fwhm_ps=100.0, bin_ps=50.0, n_bins=41)


def ring(tof: TofSettings | None = None) -> engine.RingScanner:
    return ring_of(RING, diameter_mm=60.0, voxel_mm=(2.0, 2.0, 2.0), tof=tof)


def test_crystals_of_a_ring_are_at_their_mean_depth() -> None:
    depth = mean_depth_mm(RING)
    assert 7.0 < depth < 7.6  # 20 mm of LSO
    centres = RING.places_mm(depth)
    assert ring().positions_mm == pytest.approx(centres, abs=FLOAT64_SUMS)


def test_crystals_of_panels_have_the_products_numbers() -> None:
    panels = panels_of(PANELS)
    numbers = panel_crystals(PANELS, np.arange(PANELS.n_crystals, dtype=np.int32))
    assert sorted(numbers) == [*range(PANELS.n_crystals)]
    centres = PANELS.places_mm(0.0)
    theirs = panels.positions_mm[numbers]
    assert theirs[:, [0, 2]] == pytest.approx(centres[:, [0, 2]], abs=FLOAT64_SUMS)
    assert (np.sign(theirs[:, 1]) == np.sign(centres[:, 1])).all()


def test_layers_of_panels_have_the_products_numbers() -> None:
    judged = replace(PANELS, n_layers=2)
    panels = panels_of(judged)
    numbers = panel_crystals(judged, np.arange(judged.n_crystals, dtype=np.int32))
    assert sorted(numbers) == [*range(panels.n_crystals)]
    near, far = np.split(np.abs(panels.positions_mm[numbers, 1]), 2)
    assert (near < panels.settings.separation_mm / 2 + 10).all() and (far > near.max()).all()
    front = panel_crystals(PANELS, np.arange(PANELS.n_crystals, dtype=np.int32))
    theirs = panels_of(PANELS).positions_mm[front][:, [0, 2]]
    centres = panels.positions_mm[numbers][:, [0, 2]]
    np.testing.assert_allclose(centres, np.tile(theirs, (2, 1)))


def test_demo_panels_equal_those_of_the_product() -> None:
    demo = engine.read_scanner("demo-panels")
    ours = panels_of(PANELS, voxels_per_pitch=4, n_planes=119, plane_mm=0.5)
    # the judge's panels state the mean depth of interaction to a tenth of a millimetre
    assert ours.positions_mm == pytest.approx(demo.positions_mm, abs=0.2)


def test_time_of_flight_points_at_the_decay() -> None:
    at = np.array([12.0, -9.0, 4.0])
    physics = Physics(tof_fwhm_ps=100.0, follows_scatter=False)
    pairs = simulate_pairs(points(tuple(at)), RING, physics, seed=3, n_pairs=5_000)
    scanner = ring(TOF)
    scan = listmode_of(pairs, scanner, pairs.crystals)
    ends = scanner.positions_mm[scan.crystals]
    along = ends[:, 1] - ends[:, 0]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    s = np.einsum("nk,nk->n", at - ends.mean(axis=1), along)
    edges = scanner.tof.edges_mm
    measured = (edges[scan.tof_bins] + edges[scan.tof_bins + 1]) / 2
    assert np.corrcoef(s, measured)[0, 1] > 0.8
    # 5,000 pairs of 15 mm resolution give a slope to 2 % (one standard error)
    assert np.polyfit(s, measured, 1)[0] == pytest.approx(1.0, abs=0.05)


def test_mu_map_is_at_the_position_of_the_phantom() -> None:
    grid = engine.ImageGrid((20, 30, 40), (2.0, 2.0, 2.0))
    block = box(20, 12, 8, at=(10, -6, 4))
    phantom = Phantom(
        "block", (Region(cylinder(12, 40, at=(-20, 0, 0)), WATER), Region(block, LEAD))
    )
    values = mu_map_of(phantom, grid).values
    assert values[12, 12, 25] == pytest.approx(LEAD.total(511))
    assert values[10, 15, 10] == pytest.approx(WATER.total(511))
    assert values[12, 18, 25] == values[5, 12, 25] == 0
    volume = values.sum(dtype=float) * 8
    expected = block.volume_mm3 * LEAD.total(511) + np.pi * 144 * 40 * WATER.total(511)
    # the circle's edge crosses voxels of 2 mm, which are sampled
    assert volume == pytest.approx(expected, rel=0.01)


def test_file_contains_prompts_and_delayeds(tmp_path: Path) -> None:
    singles = simulate_singles(
        points((0.0, 0.0, 0.0)), RING, Physics(), activity_bq=3e6, duration_s=0.1, seed=4
    )
    prompts = coincidences(singles, RING, window_s=4e-9)
    delayeds = coincidences(singles, RING, window_s=4e-9, delay_s=1e-7)
    crystals = np.concatenate([prompts.crystals, delayeds.crystals])
    scan = listmode_of(prompts, ring(), crystals, delayeds=delayeds, duration_s=0.1)
    engine.save(scan, tmp_path / "scan.h5")
    again = engine.read(tmp_path / "scan.h5")
    assert isinstance(again, engine.ListMode)
    assert 0 < again.n_delayed == scan.n_delayed <= len(delayeds)
    assert again.n_prompts == scan.n_prompts <= len(prompts)
    assert np.array_equal(again.crystals, scan.crystals)


def test_study_is_simulated_once() -> None:
    first = cached_pairs(safir_cylinder(), 1_000)
    again = cached_pairs(safir_cylinder(), 1_000)
    fresh = safir_cylinder().pairs(1_000, n_threads=1)
    for pairs in (again, fresh):
        assert np.array_equal(pairs.crystals, first.crystals)
        assert np.array_equal(pairs.kev, first.kev)
        assert pairs.n_decays == first.n_decays

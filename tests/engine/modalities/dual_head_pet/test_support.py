"""Tests of activity regions between two panels: masks, and their use in a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.core.errors import SettingsError
from engine.data.histogram import with_settings as on_panels
from engine.data.runs.events import Corrected, Finished, Warned
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet.flow import PRIOR, SUPPORT, UNBOUNDED
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.dual_head_pet.support import Support
from engine.protocols.study.assignments import with_settings

ON = engine.cpu(2)
GRID = engine.ImageGrid((20, 30, 40), (1.0, 0.5, 2.0), (3.0, 0.0, -1.0))
SETTINGS = ("response.n_points=256", "algorithm.iterations=2", "algorithm.subsets=2")


def block(size_mm: tuple[float, float, float], mu: float = 0.0096) -> engine.Volume:
    """Return a μ-map of a box in the centre of a larger grid."""
    grid = engine.ImageGrid((40, 40, 40), (1.0, 1.0, 1.0))
    inside = Support(kind="box", size_mm=size_mm).mask(grid, None)
    return engine.Volume(np.where(inside, np.float32(mu), np.float32(0)), grid, unit="1/mm")


@pytest.mark.parametrize("kind", ["box", "ellipsoid"])
def test_shapes_have_their_volume_and_centre(kind: str) -> None:
    found = Support(kind=kind, size_mm=(16, 8, 12), centre_mm=(2, 1, 3)).mask(GRID, None)
    volume = found.sum() * np.prod(GRID.voxel_mm)
    expected = 16 * 8 * 12 * (1 if kind == "box" else np.pi / 6)
    assert volume == pytest.approx(expected, rel=0.05)
    z, y, x = (
        (found.sum(axis=others) @ GRID.centres_mm(axis)) / found.sum()
        for axis, others in ((2, (1, 2)), (1, (0, 2)), (0, (0, 1)))
    )
    assert (x, y, z) == pytest.approx((2, 1, 3), abs=0.3)


@pytest.mark.parametrize("margin_mm", [0.0, 2.0])
def test_object_mask_is_the_matter_of_the_map_plus_a_margin(margin_mm: float) -> None:
    grid = engine.ImageGrid((60, 60, 60), (0.5, 0.5, 0.5))
    found = Support(margin_mm=margin_mm).mask(grid, block((10, 6, 14)))
    edges = [np.flatnonzero(found.any(axis=others)) for others in ((1, 2), (0, 2), (0, 1))]
    sizes = [0.5 * (places[-1] - places[0] + 1) for places in edges]
    assert sizes == pytest.approx([14 + 2 * margin_mm, 6 + 2 * margin_mm, 10 + 2 * margin_mm])


def test_lungs_belong_to_the_object_and_air_does_not() -> None:
    lung, air = block((10, 6, 14), 0.0026), block((10, 6, 14), 1e-5)
    assert Support().mask(GRID, lung).any()
    with pytest.raises(SettingsError, match=r"does not contain any voxel of the image .*; check"):
        Support().mask(GRID, air)


def test_unknown_object_gives_no_mask() -> None:
    assert Support().mask(GRID, None) is None
    assert Support(kind="everywhere").mask(GRID, block((10, 6, 14))) is None


def test_shape_needs_a_size() -> None:
    for size in (None, (3, 0, 3)):
        with pytest.raises(SettingsError, match="needs three lengths above 0"):
            Support(kind="box", size_mm=size)


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    panels = engine.read_scanner("test-panels")
    counts = np.random.default_rng(1).poisson(3.0, panels.n_lors).astype(np.float32)
    engine.save(engine.Histogram(panels, counts), tmp_path / "scan.h5")
    return tmp_path / "scan.h5"


def events_of(path: Path, *settings: str, **inputs: Path) -> list[Any]:
    protocol = with_settings(DualHeadProtocol(), (*SETTINGS, *settings))
    return list(run(engine.Study(data=path, protocol=protocol, inputs=inputs), on=ON))


def test_image_stays_within_the_support_despite_filters(scan: Path) -> None:
    box = ("support.kind='box'", "support.size_mm=[6, 6, 8]")
    images = []
    for between in ([], ['between=[{kind="gaussian", fwhm_mm=2.0}]']):
        events = events_of(scan, *box, *between)
        assert isinstance(events[-1], Finished)
        images.append(events[-1].volume)
        assert [e.text for e in events if isinstance(e, Corrected) and e.kind == SUPPORT]
    inside = Support(kind="box", size_mm=(6, 6, 8)).mask(images[0].grid, None)
    for image in images:
        assert not image.values[~inside].any()
    unfiltered, smooth = (image.values[inside].astype(float) for image in images)
    assert smooth.std() < unfiltered.std()
    # The counts stay the same, except at edges of blocks, which A omits and filters change.
    A = engine.MatrixProjector(
        build_analytic(engine.read_scanner("test-panels"), AnalyticResponse(n_points=256)), on=ON
    )
    counts = [float(A(image.values).sum(dtype=float)) for image in images]
    assert counts[1] == pytest.approx(counts[0], rel=0.02)


def test_neighbour_prior_is_reported_and_smooths_within_the_support(scan: Path) -> None:
    box = ("support.kind='box'", "support.size_mm=[6, 6, 8]")
    runs = [events_of(scan, *box, f"prior.strength={strength}") for strength in (0, 0.05)]
    text = [
        [e.text for e in events if isinstance(e, Corrected) and e.kind == PRIOR] for events in runs
    ]
    assert text == [[], ["edge-preserving smoothing, strength 0.05"]]
    inside = Support(kind="box", size_mm=(6, 6, 8)).mask(runs[0][-1].volume.grid, None)
    unfiltered, flat = (events[-1].volume.values for events in runs)
    assert flat[inside].std() < 0.9 * unfiltered[inside].std()
    assert not flat[~inside].any()


def test_run_without_support_states_its_cost(scan: Path) -> None:
    def warnings(*settings: str) -> list[str]:
        return [e.text for e in events_of(scan, *settings) if isinstance(e, Warned)]

    assert warnings() == [UNBOUNDED]
    assert warnings("support.kind='everywhere'") == []


def test_attenuation_map_is_corrected_and_limits_the_image(scan: Path, tmp_path: Path) -> None:
    """In a slab of thickness d between the panels, the factor is e^(−μ d / cosine)."""
    panels = engine.read_scanner("test-panels")
    mu, d = 0.02, 8.0
    grid = engine.ImageGrid((60, 8, 60), (1.0, 1.0, 1.0))
    slab = engine.Volume(np.full(grid.shape, mu, np.float32), grid, unit="1/mm")
    engine.save(slab, tmp_path / "mu.h5")
    data = replace(engine.read(scan), mu_map=slab)
    factors = DualHeadProtocol().corrections.attenuation.factor(data, on=ON)
    ends = panels.positions_mm[panels.lors(np.arange(panels.n_lors))]
    along = ends[:, 1] - ends[:, 0]
    cosine = np.abs(along[:, 1]) / np.linalg.norm(along, axis=1)
    np.testing.assert_allclose(factors, np.exp(-mu * d / cosine), rtol=1e-4)
    events = events_of(scan, attenuation=tmp_path / "mu.h5")
    applied = {e.kind: e.text for e in events if isinstance(e, Corrected) and e.state == "applied"}
    assert "mean transmission along the lines" in applied["attenuation"]
    assert "object in the μ-map" in applied[SUPPORT]
    assert not events[-1].volume.values[:, [0, -1]].any()


def test_lines_of_several_batches_are_attenuated_alike(
    scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = replace(engine.read(scan), mu_map=block((10, 6, 14)))
    correction = DualHeadProtocol().corrections.attenuation
    whole = correction.factor(data, on=ON)
    monkeypatch.setattr("engine.corrections.histogram.BATCH", 100)
    np.testing.assert_array_equal(correction.factor(data, on=ON), whole)
    assert on_panels(data.scanner).n_lors > 500

"""Tests of quality phantoms with known truth: position and figures."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage, special

from engine.analysis.quality.discs import disc, rod
from engine.analysis.quality.locating import Layout, locate
from engine.analysis.quality.phantoms import QUALITY_PHANTOMS, PhantomFacts, nema_nu4
from engine.analysis.quality.phantoms.nema_nu2 import (
    DIAMETERS_MM,
    EDGE_MM,
    LARGEST_MM,
    background_places_mm,
    body_layout,
    from_outside,
    sphere_places_mm,
)
from engine.analysis.quality.quality_report import Placement, QualityFigure
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError, SettingsError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save

KINDS = {phantom.kind: phantom for phantom in QUALITY_PHANTOMS}
BODY = ImageGrid((17, 90, 100), (3.5, 3.5, 5.0))
MOUSE = ImageGrid((60, 44, 44), (0.8, 0.8, 1.0))


def sampled(layout: Layout, grid: ImageGrid, at: Placement, unit: str = "Bq/mL") -> Volume:
    z, y, x = (grid.centres_mm(axis) for axis in (2, 1, 0))
    points = at.to_phantom(x[None, None, :], y[None, :, None], z[:, None, None])
    values = np.broadcast_to(layout(*points, min(grid.voxel_mm)), grid.shape)
    return Volume(values.astype(np.float32), grid, unit)


def test_placement_and_its_inverse_cancel(rng: np.random.Generator) -> None:
    points = rng.normal(size=(20, 3))
    for flipped in (False, True):
        at = Placement((3.0, -2.0, 7.0), 33.0, flipped)
        back = np.stack(at.to_phantom(*at.to_image(points).T), axis=-1)
        np.testing.assert_allclose(back, points, atol=1e-12)


@pytest.mark.parametrize(
    ("layout", "grid", "at", "near_mm"),
    [
        (body_layout(PhantomFacts()), BODY, Placement((8.0, -6.0, 3.0), 47.0, True), 1.5),
        (nema_nu4.layout, MOUSE, Placement((1.5, -1.0, 2.0), 205.0, False), 0.4),
    ],
)
def test_phantom_is_found_in_noise(
    layout: Layout, grid: ImageGrid, at: Placement, near_mm: float, rng: np.random.Generator
) -> None:
    clean = sampled(layout, grid, at).values
    noise = 0.5 * rng.standard_normal(grid.shape) * np.sqrt(clean + 0.05)
    volume = Volume(ndimage.gaussian_filter(clean + noise, 1.0).astype(np.float32), grid, "")
    turns = [at.turn_deg + off for off in (-95, -55, -5, 5, 65, 125)]
    found = locate(volume, layout, turns_deg=turns)
    assert np.linalg.norm(np.subtract(found.centre_mm, at.centre_mm)) < near_mm
    assert found.turn_deg == pytest.approx(at.turn_deg, abs=2.0)
    assert found.flipped == at.flipped


def test_background_discs_avoid_spheres_and_edges() -> None:
    places = background_places_mm()
    assert len(places) == 60
    x, y, _ = places.T
    assert np.all(from_outside(x, y) <= -(EDGE_MM + LARGEST_MM / 2) + 0.2)
    for place, d in zip(sphere_places_mm(), DIAMETERS_MM, strict=True):
        assert np.min(np.hypot(x - place[0], y - place[1])) >= (d + LARGEST_MM) / 2 - 1e-6


AT = Placement((8.0, -6.0, 0.0), 30.0)


def test_true_phantom_has_full_contrast_recovery() -> None:
    """The rasterised phantom has 100 % for any voxels, hot and cold, and no spread."""
    facts = PhantomFacts(cold=(28.0, 37.0), contrast=8.0)
    truth = sampled(body_layout(facts), BODY, AT)
    report = KINDS["nema-nu2"].measure(truth, PhantomFacts(truth=truth, at=AT))
    for figure in report.figures:
        expected = {"Contrast recovery": 100.0, "Background": 1.0}.get(figure.group, 0.0)
        assert figure.value == pytest.approx(expected, abs=1e-3), figure


def test_fine_voxels_recover_the_stated_contrast() -> None:
    """With voxels of half a millimetre, only the pixels at a disc's border reduce the recovery."""
    grid = ImageGrid((1, 480, 480), (0.5, 0.5, 0.5))
    volume = sampled(body_layout(PhantomFacts()), grid, Placement((0.0, 0.0, 0.0)))
    for place, d in zip(sphere_places_mm(), DIAMETERS_MM, strict=True):
        assert disc(volume, place, d).mean == pytest.approx(4, rel=0.6 / d)


def test_noise_gives_variability_with_the_error_of_sixty_discs(
    rng: np.random.Generator,
) -> None:
    values = 10 + rng.standard_normal(BODY.shape)
    volume = Volume(values.astype(np.float32), BODY, "Bq/mL")
    report = KINDS["nema-nu2"].measure(volume, PhantomFacts(at=AT))
    for d in DIAMETERS_MM[2:]:
        found = report.figure("Background variability", f"{d:g} mm")
        n_pixels = np.pi * d**2 / 4 / (3.5 * 3.5)
        assert found.value == pytest.approx(10 / np.sqrt(n_pixels), rel=0.35)
        assert found.error == pytest.approx(found.value / np.sqrt(118))
        recovery = report.figure("Contrast recovery", f"{d:g} mm")
        assert abs(recovery.value) < 4 * (recovery.error or 0)


def test_invalid_sphere_and_missing_contrast_are_refused() -> None:
    volume = Volume(np.ones(BODY.shape, np.float32), BODY, "")
    for facts, fault in (
        (PhantomFacts(cold=(12.0,), at=AT), "a diameter of 12 mm, expected 10, 13"),
        (PhantomFacts(contrast=1.0, at=AT), "the contrast of the hot spheres is 1"),
        (PhantomFacts(contrast=-5.0, at=AT), "is -5, expected a positive number"),
        (PhantomFacts(contrast=0.0, at=AT), "is 0, expected a positive number"),
        (PhantomFacts(contrast=math.nan, at=AT), "is nan, expected a positive number"),
    ):
        with pytest.raises(SettingsError, match=fault):
            KINDS["nema-nu2"].measure(volume, facts)
    with pytest.raises(DataError, match="values of the image are equal"):
        KINDS["nema-nu2"].measure(volume, PhantomFacts())
    with pytest.raises(DataError, match="is outside the image"):
        KINDS["nema-nu2"].measure(volume, PhantomFacts(at=Placement((900.0, 0.0, 0.0))))


def test_true_mouse_phantom_has_full_rod_recovery_and_no_spill_over() -> None:
    at = Placement((1.0, -0.5, 2.0), 40.0)
    volume = sampled(nema_nu4.layout, ImageGrid((60, 140, 140), (0.25, 0.25, 1.0)), at)
    report = KINDS["nema-nu4"].measure(volume, PhantomFacts(at=at))
    for figure in report.figures:
        expected = {"Recovery": 1.0, "Spill-over": 0.0}.get(figure.group)
        if expected is not None:
            assert figure.value == pytest.approx(expected, abs=1e-6), figure
    assert report.figure("Uniformity", "Standard deviation").value < 1e-4


def test_blurred_mouse_phantom_loses_the_expected_recovery() -> None:
    """At the centre of a rod of radius a, a Gaussian blur leaves 1 − exp(−a² / 2σ²)."""
    at, sigma, edge = Placement((0.0, 0.0, 0.0)), 1.0, 0.25
    sharp = sampled(nema_nu4.layout, ImageGrid((60, 140, 140), (edge, edge, 1.0)), at)
    blurred = ndimage.gaussian_filter(sharp.values, (0, sigma / edge, sigma / edge))
    volume = Volume(blurred, sharp.grid, sharp.unit)
    report = KINDS["nema-nu4"].measure(volume, PhantomFacts(at=at))
    for d in (1.0, 2.0, 3.0):
        expected = 1 - np.exp(-((d / 2) ** 2) / (2 * sigma**2))
        assert report.figure("Recovery", f"{d:g} mm").value == pytest.approx(expected, rel=0.05)


def test_point_sources_have_the_widths_of_their_blur() -> None:
    grid, sigmas = ImageGrid((40, 60, 120), (1.0, 1.0, 1.0)), (1.8, 2.2, 2.5)
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    values = np.zeros(grid.shape)
    for middle in ((-40.2, 0.1, 0.3), (10.4, 0.2, -5.1)):
        away = [((a - b) / s) ** 2 for a, b, s in zip((x, y, z), middle, sigmas, strict=True)]
        values += np.exp(-sum(away) / 2)
    volume = Volume(values.astype(np.float32), grid, "counts/mm")
    report = KINDS["nema-points"].measure(volume, PhantomFacts())
    groups = {f.group for f in report.figures}
    assert len(groups) == 2
    for group in groups:
        for axis, sigma in zip(("radial (x)", "tangential (y)", "axial (z)"), sigmas, strict=True):
            fitted = report.figure(group, f"FWHM, fitted {axis}").value
            assert fitted == pytest.approx(2.35482 * sigma, rel=1e-3)
            assert report.figure(group, f"FWHM {axis}").value == pytest.approx(fitted, rel=0.02)
    with pytest.raises(DataError, match="look like point sources"):
        empty = Volume(np.zeros(grid.shape, np.float32), grid, "")
        KINDS["nema-points"].measure(empty, PhantomFacts())


def test_slope_of_a_cylinder_is_reported(rng: np.random.Generator) -> None:
    grid = ImageGrid((40, 50, 50), (4.0, 4.0, 4.0))
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    values = (np.hypot(x, y) < 80) * (np.abs(z) < 70) * (1 + 0.1 * z / 70)
    volume = Volume(values.astype(np.float32), grid, "Bq/mL")
    report = KINDS["pet-cylinder"].measure(volume, PhantomFacts(expected=0.9))
    assert report.figure("Along the axis", "Lowest slice").value == pytest.approx(92, abs=1)
    assert report.figure("Along the axis", "Highest slice").value == pytest.approx(108, abs=1)
    assert report.figure("Across", "Outermost ring").value == pytest.approx(100, abs=0.1)
    assert report.figure("Level", "Deviation from the true value").value == pytest.approx(
        100 / 9, abs=0.3
    )


@pytest.fixture(scope="module")
def water() -> Volume:
    """Return water of 120 mm with white noise of 5 HU and 12 HU at its rim, blurred by 1.1 mm."""
    grid, rng = ImageGrid((12, 150, 150), (1.0, 1.0, 2.0)), np.random.default_rng(3)
    _, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    r = np.hypot(x - 3.3, y + 2.2)
    values = 500 * special.erfc((r - 60) / (np.sqrt(2) * 1.1)) - 1000 + 12 * (r > 32) * (r < 59)
    values += 5 * rng.standard_normal(grid.shape)
    return Volume(values.astype(np.float32), grid, "HU")


def test_water_report_has_ct_number_noise_and_cupping(water: Volume) -> None:
    report = KINDS["ct-water"].measure(water, PhantomFacts())
    off = report.figure("CT number", "Deviation from the true value")
    assert abs(off.value) < 5 * (off.error or 0) and off.value == pytest.approx(0, abs=0.3)
    assert report.figure("Noise").value == pytest.approx(5, rel=0.03)
    for side in ("+x", "+y", "−x", "−y"):
        rim = report.figure("Uniformity", f"{side} minus centre")
        assert rim.value == pytest.approx(12, abs=1.5)


def test_edge_and_noise_figures_equal_blur_and_noise_power(
    water: Volume, rng: np.random.Generator
) -> None:
    grid = water.grid
    r = np.hypot(grid.centres_mm(0)[None, :] - 3.3, grid.centres_mm(1)[:, None] + 2.2)
    values = 500 * special.erfc((r - 60) / (np.sqrt(2) * 1.1)) - 1000
    noisy = Volume((values + 5 * rng.standard_normal(grid.shape)).astype(np.float32), grid, "HU")
    (power,) = KINDS["ct-water"].measure(noisy, PhantomFacts()).curves
    assert np.mean(power.y[2:]) == pytest.approx(25.0, rel=0.03)
    report = KINDS["ct-edge"].measure(noisy, PhantomFacts())
    half, tenth = (report.figure("Modulation transfer", f"Frequency of {p} %") for p in (50, 10))
    assert half.value == pytest.approx(np.sqrt(np.log(2) / 2) / (np.pi * 1.1), rel=0.01)
    assert tenth.value == pytest.approx(np.sqrt(np.log(10) / 2) / (np.pi * 1.1), rel=0.02)


def test_wire_is_found_and_measured() -> None:
    grid = ImageGrid((6, 80, 80), (0.5, 0.5, 1.0))
    r2 = (grid.centres_mm(0)[None, :] - 3.1) ** 2 + (grid.centres_mm(1)[:, None] + 4.3) ** 2
    values = np.broadcast_to(800 * np.exp(-r2 / (2 * 0.6**2)) - 1000, grid.shape)
    volume = Volume(values.astype(np.float32), grid, "HU")
    report = KINDS["ct-wire"].measure(volume, PhantomFacts())
    half = report.figure("Modulation transfer", "Frequency of 50 %")
    assert half.value == pytest.approx(np.sqrt(np.log(2) / 2) / (np.pi * 0.6), rel=0.01)


def test_regions_weight_the_voxels_at_their_border() -> None:
    x = BODY.centres_mm(0)
    ramp = Volume(np.broadcast_to(x, BODY.shape).astype(np.float32), BODY, "mm")
    assert disc(ramp, (11.3, 4.0, 0.0), 17.0).mean == pytest.approx(11.3, abs=0.05)
    assert rod(ramp, (-20.2, 4.0, 0.0), 22.0, 15.0).mean == pytest.approx(-20.2, abs=0.05)


@pytest.mark.parametrize(
    ("value", "error", "unit", "text"),
    [
        (41.334, 2.14, "%", "41.3 ± 2.1 %"),
        (0.4213, 0.0123, "", "0.421 ± 0.012"),
        (1234.5, 120.0, "HU", "1234 ± 120 HU"),
        (5.0, None, "mm", "5 mm"),
        (4.05e-5, 1.2e-7, "1/mm", "40.50 ± 0.12 ×10⁻⁶ 1/mm"),
        (0.0199166, 1.2e-9, "1/mm", "0.0199166 ± < 0.0000001 1/mm"),
        (0.0199166, 7.7e-6, "1/mm", "0.0199166 ± 0.0000077 1/mm"),
        (4.05e-5, None, "1/mm", "0.00004050 1/mm"),
    ],
)
def test_figure_is_written_with_its_error(
    value: float, error: float | None, unit: str, text: str
) -> None:
    assert QualityFigure("name", value, error, unit).text() == text


class TestCommandLine:
    def test_report_is_written_as_pdf_and_json(
        self, tmp_path: Path, water: Volume, capsys: pytest.CaptureFixture[str]
    ) -> None:
        save(water, tmp_path / "water.h5")
        out = tmp_path / "report.pdf"
        command = ["quality", str(tmp_path / "water.h5"), "--phantom", "ct-water", "-o", str(out)]
        assert main(command) == DONE
        assert out.read_bytes().startswith(b"%PDF")
        record = json.loads((tmp_path / "report.json").read_text())
        names = {(f["group"], f["name"]) for f in record["figures"]}
        assert ("CT number", "Deviation from the true value") in names
        assert record["format"] == "isocenter-quality-1" and record["source"]["Voxels"]
        assert "water.h5" not in out.read_bytes().decode("latin-1")
        assert "Spread of voxels" in capsys.readouterr().out
        assert main(command) == USER_FAULT  # neither file is replaced

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (["--phantom", "ct-water", "-o", "report.txt"], "must end with .pdf, .json or .csv"),
            (["--phantom", "nema-nu2", "--place", "1,2"], "expected X,Y,Z in mm"),
            (["--phantom", "nema-nu2", "--cold", "big"], "expected numbers separated by commas"),
            (["--phantom", "nema-nu2", "--place", "0,0,900"], "water.h5: a region at"),
        ],
    )
    def test_invalid_arguments_give_one_sentence(
        self,
        tmp_path: Path,
        water: Volume,
        capsys: pytest.CaptureFixture[str],
        options: list[str],
        reason: str,
    ) -> None:
        save(water, tmp_path / "water.h5")
        assert main(["quality", str(tmp_path / "water.h5"), *options]) == USER_FAULT
        assert reason in capsys.readouterr().err

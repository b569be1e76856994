"""Tests of reports of images with an error map, which state the error of each value."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.quality.phantoms import PetCylinder, PhantomFacts
from engine.analysis.regions import Region, RegionSet, SphereRegion, marks_of
from engine.analysis.regions.measuring import MeasuredRegion, measure
from engine.analysis.regions.pairs import MAX_REGIONS, compared, limit_of
from engine.core import paths
from engine.data.error_map import ErrorMap
from engine.data.error_volume import deviations_of
from engine.data.formatting import interval_text, with_error
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.raster.png import centroid_mm, snapshot
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results
from engine.results.reports.building import report_of
from engine.results.reports.printed import set_pages
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.web_page import to_html
from tests.engine.results.reports.test_report import Words

GRID = ImageGrid((30, 24, 24), (2.0, 2.0, 2.0))
N, SD = 20, 400.0
BIAS_LINE = "0.8 % in regions of 5 mL, because no voxel is below 0"


def image(rng: np.random.Generator) -> Volume:
    """Return a cylinder of 8 kBq/mL with a warm half, and replicates with white noise."""
    x, y, z = (GRID.centres_mm(axis) for axis in range(3))
    inside = (np.hypot(x, y[:, None])[None] < 18) & (abs(z) < 24)[:, None, None]
    values = (8000.0 * inside * (1 + 0.25 * (x > 0))).astype(np.float32)
    draws = [values + rng.normal(0, SD, GRID.shape).astype(np.float32) for _ in range(N)]
    return Volume(values, GRID, "Bq/mL", {"axes": "LPS"}, error=ErrorMap.of(values, draws, seed=4))


@pytest.fixture
def volume(rng: np.random.Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Volume:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    return image(rng)


def subject_of(volume: Volume, path: Path, *names: str) -> ReportSubject:
    provenance = {
        "format": "isocenter-provenance-1",
        "corrections": [{"kind": "bias", "state": "applied", "text": BIAS_LINE}],
    }
    study = Study(data=path / "scan.l", protocol=ListModeProtocol())
    result = Results().keep(NewResult(study, volume, provenance))
    subject = ReportSubject.read(result, Site())
    shapes = [
        SphereRegion(centre_mm=(8 - 16 * (k % 2), 0, 2 * k), diameter_mm=16) for k in range(9)
    ]
    regions = tuple(
        Region(name=name, shape=shape) for name, shape in zip(names, shapes, strict=False)
    )
    return replace(subject, regions=RegionSet(regions=regions, scans=marks_of(subject.volume)))


def measured_in(subject: ReportSubject) -> list[MeasuredRegion]:
    assert subject.regions is not None
    return [measure(region, subject.volume) for region in subject.regions.regions]


@pytest.mark.parametrize("full", [False, True])
def test_report_states_method_errors_and_differences(
    volume: Volume, tmp_path: Path, full: bool
) -> None:
    subject = subject_of(volume, tmp_path, "Warm", "Cool")
    warm, cool = measured_in(subject)
    assert warm.figures and warm.errors and warm.errors.peak and warm.figures.peak
    pair = compared([warm, cool])[0]

    page = Words(to_html(report_of(subject, full=full))).text

    for text in (
        f"{N} bootstrap replicates (seed 4)",
        "Region (kBq/mL)",
        with_error(warm.figures.mean, warm.errors.mean.sd, 3),
        interval_text(warm.figures.mean, warm.errors.mean.half_width, 3),
        with_error(warm.figures.maximum, warm.errors.maximum.sd, 3),
        with_error(warm.figures.peak.value, warm.errors.peak.sd, 3),
        "Warm − Cool",
        with_error(pair.difference.value, pair.difference.error.sd, 3),
        "significant (p < 0.001)",
        f"applied: {BIAS_LINE}",
    ):
        assert text in page, text
    bias = with_error(warm.errors.mean.bias, warm.errors.mean.sd / np.sqrt(N), 3)
    assert (bias in page) is full


def test_hessian_replicates_have_no_bias_line(volume: Volume, tmp_path: Path) -> None:
    assert volume.error is not None
    linear = replace(volume, error=replace(volume.error, method="hessian"))

    page = Words(to_html(report_of(subject_of(linear, tmp_path, "Warm"), full=True))).text

    assert f"{N} replicates from the Hessian (seed 4)" in page
    assert "Mean ± error" in page
    assert "Bias ± error" not in page


def test_equal_regions_do_not_differ_significantly(volume: Volume, tmp_path: Path) -> None:
    """Two regions in the same half have equal means, but their replicates differ."""
    subject = subject_of(volume, tmp_path, *"abc")
    one, _, third = measured_in(subject)

    (pair,) = compared([one, third])

    assert pair.difference.value == 0 < pair.difference.error.sd
    assert pair.verdict() == "not significant (p = 1)"


def test_error_image_shows_the_standard_deviation_of_the_same_slices(
    volume: Volume, tmp_path: Path
) -> None:
    subject = subject_of(volume, tmp_path)
    expected = snapshot(
        deviations_of(subject.volume), point_mm=centroid_mm(subject.volume), n_columns=4
    )

    tags = Words(to_html(report_of(subject))).tags

    sources = [attrs["src"] for tag, attrs in tags if tag == "img"]
    assert f"data:image/png;base64,{b64encode(expected).decode()}" in sources
    assert len(sources) == 2
    assert len(set_pages(report_of(subject))) == 1


def test_noisy_voxels_are_marked(volume: Volume, tmp_path: Path) -> None:
    assert volume.error is not None
    wide = [volume.values + 10 * (each - volume.values) for each in volume.error.replicates()]
    noisy = replace(volume, error=ErrorMap.of(volume.values, wide, seed=4))

    sections = [report_of(subject_of(each, tmp_path)).sections for each in (volume, noisy)]

    low_noise, high_noise = (
        next(row for section in each for row in section.rows if row.name == "Size")
        for each in sections
    )
    # 400 of 8000 to 10,000 Bq/mL are 4 to 5 %.
    assert low_noise.tone == "" and low_noise.value.startswith(("4.", "5"))
    assert high_noise.tone == "warning" and "errors are too small" in high_noise.value


def test_image_without_error_map_has_no_errors(volume: Volume, tmp_path: Path) -> None:
    subject = subject_of(replace(volume, error=None), tmp_path, "Warm", "Cool")

    report = report_of(subject, full=True)

    assert all(section.title != "Error of the image" for section in report.sections)
    grids = next(section.grids for section in report.sections if section.title == "Regions")
    assert [grid.head[1] for grid in grids] == ["Mean"]
    assert compared(measured_in(subject)) == ()


def test_only_the_first_six_regions_are_compared_in_pairs(volume: Volume, tmp_path: Path) -> None:
    subject = subject_of(volume, tmp_path, *"abcdefgh")
    measured = measured_in(subject)

    page = Words(to_html(report_of(subject))).text

    assert len(compared(measured)) == MAX_REGIONS * (MAX_REGIONS - 1) // 2
    assert "Only the first 6 of 8 regions are compared in pairs." in page
    assert limit_of(measured[:MAX_REGIONS]) == ""


def test_phantom_values_have_their_noise(volume: Volume, tmp_path: Path) -> None:
    quality = PetCylinder().measure(volume, PhantomFacts())
    subject = replace(subject_of(volume, tmp_path), quality=quality.as_dict())

    page = Words(to_html(report_of(subject, full=True))).text

    assert quality.figure("Level").noise_text() in page
    assert f"{N} bootstrap replicates (seed 4)" in page


@pytest.mark.parametrize(
    ("value", "error", "power", "text"),
    [
        (7312.0, 248.0, 3, "7.31 ± 0.25"),
        (-0.0004, 0.02, 0, "0.000 ± 0.020"),
        (-0.04, 0.02, 0, "−0.040 ± 0.020"),
        (123456.0, 1500.0, 0, "123,456 ± 1,500"),
        (5.0, 0.0, 0, "5 ± 0"),
        (7.3124567, 1.2e-6, 0, "7.31246 ± < 0.00001"),
        (7312.4567, 1.2e-6, 3, "7.31246 ± < 0.00001"),
        (0.0996, 0.0996, 0, "0.10 ± 0.10"),
        (5.0, float("nan"), 0, "5 ± not a number"),
    ],
)
def test_error_is_rounded_to_two_digits_and_sets_the_decimals(
    value: float, error: float, power: int, text: str
) -> None:
    assert with_error(value, error, power) == text

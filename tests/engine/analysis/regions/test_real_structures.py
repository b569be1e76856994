"""Tests of structures drawn by physicians on real images, against an independent centre rule.

This rule shares no code with the engine. It reads the files with pydicom. A voxel is inside if
the contour turns around its centre an odd number of times.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pydicom
import pytest

from engine.analysis.regions import marks_of, measure_all, read_any
from engine.cli.main import main
from engine.io import read_volume

pytestmark = pytest.mark.filterwarnings("ignore:The value length:UserWarning")


@pytest.fixture(params=["PET", "CT", "MR_T1"])
def folder(request: pytest.FixtureRequest, shared_data: Path) -> Path:
    """Return a series with its structure set."""
    found = shared_data / "pet-dicom-sts" / "STS_025" / request.param
    if not found.is_dir():
        pytest.skip("the clinical series of ../shared/data are not installed")
    return found


def values_inside(folder: Path) -> np.ndarray:
    """Return the values of all voxels with their centre in the only structure."""
    slices = [pydicom.dcmread(path) for path in (folder / "image").iterdir()]
    slices.sort(key=lambda each: float(each.ImagePositionPatient[2]))
    heights = np.array([float(each.ImagePositionPatient[2]) for each in slices])
    first = slices[0]
    x, y = (
        float(first.ImagePositionPatient[k]) + np.arange(n) * float(first.PixelSpacing[1 - k])
        for k, n in ((0, first.Columns), (1, first.Rows))
    )
    structures = pydicom.dcmread(folder / "mask" / "RS.dcm")
    assert len(structures.ROIContourSequence) == 1
    inside: dict[int, np.ndarray] = {}
    for contour in structures.ROIContourSequence[0].ContourSequence:
        points = np.array(contour.ContourData, float).reshape(-1, 3)
        k = int(np.abs(heights - points[0, 2]).argmin())
        assert abs(heights[k] - points[0, 2]) < 0.1, "the contour must lie in a slice"
        turned = turns(points[:, :2], x, y) % 2 == 1
        inside[k] = inside.get(k, np.zeros_like(turned)) ^ turned
    found = []
    for k, mask in inside.items():
        one = slices[k]
        slope, start = (
            float(one.get(f"Rescale{w}", d)) for w, d in (("Slope", 1), ("Intercept", 0))
        )
        found.append(start + slope * one.pixel_array[mask])
    return np.concatenate(found)


def turns(ring: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the winding number of a closed polygon around the points of a grid, (n_y, n_x)."""
    total = np.zeros((len(y), len(x)))
    for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        ax, ay = a[0] - x, (a[1] - y)[:, None]
        bx, by = b[0] - x, (b[1] - y)[:, None]
        total += np.arctan2(ax * by - ay * bx, ax * bx + ay * by)
    return np.rint(np.abs(total) / (2 * np.pi)).astype(int)


@pytest.mark.slow
def test_figures_equal_those_of_voxel_centres(folder: Path) -> None:
    volume = read_volume(folder / "image")
    regions = read_any(folder / "mask" / "RS.dcm")
    assert regions.is_of(marks_of(volume))
    inside = values_inside(folder)
    (area,) = measure_all(regions.regions, [("", volume)])
    (centre,) = measure_all(regions.regions, [("", volume)], rule="centre")
    assert area.figures is not None and centre.figures is not None
    ml = float(np.prod(volume.grid.voxel_mm)) / 1000
    for found, expected in (
        (area.figures.maximum, inside.max()),
        (area.figures.minimum, inside.min()),
        (centre.figures.maximum, inside.max()),
        (centre.figures.minimum, inside.min()),
        (centre.figures.mean, inside.mean()),
        (centre.figures.sd, inside.std()),
        (centre.figures.total, inside.sum() * ml),
        (centre.figures.volume_ml, len(inside) * ml),
        (centre.figures.percentiles[2], np.percentile(inside, 50, method="inverted_cdf")),
    ):
        assert found == pytest.approx(
            expected, rel=1e-6
        )  # the stated limit; float32 rounds to 6e-8
    assert centre.figures.n_voxels == len(inside)
    # Parts of voxels at the border: within 3 % in 51 PET series.
    assert area.figures.volume_ml == pytest.approx(centre.figures.volume_ml, rel=0.05)


def test_every_report_of_a_command_names_the_rule(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "pet-dicom-sts" / "STS_025" / "PET"
    if not folder.is_dir():
        pytest.skip("the clinical series of ../shared/data are not installed")
    image, structures = folder / "image" / "000001.dcm", folder / "mask" / "RS.dcm"
    for rule, words in (
        ("area", "mean and volume by area, minimum and maximum by voxel centres"),
        ("centre", "all figures by voxel centres"),
    ):
        table = tmp_path / f"{rule}.csv"
        command = ["regions", str(image), "--regions", str(structures), "--csv", str(table)]
        assert main([*command, "--rule", rule]) == 0
        assert f"Rule: {words}" in capsys.readouterr().out
        head, row = table.read_text().splitlines()
        assert head.endswith(",rule,remark") and words in row

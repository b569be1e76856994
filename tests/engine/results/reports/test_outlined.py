"""Tests of the borders of regions in report images: positions in all planes."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from engine.analysis.regions import (
    BoxRegion,
    Region,
    RegionSet,
    SphereRegion,
    axes_of,
    marks_of,
    write_regions,
)
from engine.core import paths
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.patient_planes import PLANES, orientation
from engine.io.raster.png import MARGIN_PX, PANEL_PX, snapshot
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results
from engine.results.reports.building import report_of
from engine.results.reports.illustrations import image_of
from engine.results.reports.outlined import LINE_PX, snapshot_with_regions
from engine.results.reports.page_flow import LEFT_MM, RIGHT_MM
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject

GRID = ImageGrid((20, 24, 30), (2.0, 2.0, 2.0), (1.0, 3.0, 5.0))
BOX = Region(
    name="B", colour="#e6194b", shape=BoxRegion(centre_mm=(9.0, -1.0, 13.0), size_mm=(12, 8, 16))
)
STEP = PANEL_PX + 2 * MARGIN_PX


def subject_of(tmp_path, monkeypatch, axes: str, regions=(BOX,)) -> ReportSubject:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol(name="Brain"))
    volume = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL", {"axes": axes})
    result = Results().keep(NewResult(study, volume, {"axes": axes}))
    retained = RegionSet(axes=axes_of(volume), regions=regions, scans=marks_of(result.volume()))
    write_regions(retained, tmp_path / "r.toml")
    return ReportSubject.read(result, Site(), regions=tmp_path / "r.toml")


def coloured(png: bytes) -> np.ndarray:
    """Return the mask of pixels with the colour of the box."""
    pixels = np.asarray(Image.open(BytesIO(png)).convert("RGB")).astype(int)
    return np.abs(pixels - (0xE6, 0x19, 0x4B)).max(axis=2) < 8


@pytest.mark.parametrize("axes", ["LPS", "LPI", "RPS"])
def test_box_border_is_at_its_position_in_each_plane(tmp_path, monkeypatch, axes):
    subject = subject_of(tmp_path, monkeypatch, axes)
    found = coloured(snapshot_with_regions(subject, n_columns=2))
    scale = PANEL_PX / max(GRID.size_mm)
    low, high = BOX.shape.bounds_mm
    for k, plane in enumerate((*PLANES, "coronal")):
        view = orientation(plane, axes=axes)
        rect = view.rect(GRID)
        ends = np.array([view.to_screen(low), view.to_screen(high)]) - (rect.u, rect.v)
        (left, top), (right, bottom) = np.sort(ends, axis=0) * scale
        row, column = divmod(k, 2)
        x = column * STEP + MARGIN_PX + (PANEL_PX - rect.width * scale) / 2
        y = row * STEP + MARGIN_PX + (PANEL_PX - rect.height * scale) / 2
        part = found[row * STEP : (row + 1) * STEP, column * STEP : (column + 1) * STEP]
        rows, columns = np.nonzero(part)
        # The name is to the right of the upper right corner.
        tolerance = LINE_PX + 1
        assert columns.min() + column * STEP == pytest.approx(x + left, abs=tolerance)
        assert rows.max() + row * STEP == pytest.approx(y + bottom, abs=tolerance)
        middle = round(y + (top + bottom) / 2) - row * STEP
        sides = np.flatnonzero(part[middle]) + column * STEP
        assert sides.max() == pytest.approx(x + right, abs=tolerance)


def test_slices_cross_the_first_region_and_hidden_regions_are_not_drawn(tmp_path, monkeypatch):
    subject = subject_of(tmp_path, monkeypatch, "LPS")
    without_regions = snapshot(subject.volume, point_mm=BOX.shape.centre_mm)
    one, other = (
        np.asarray(Image.open(BytesIO(each)).convert("L")).astype(int)
        for each in (without_regions, snapshot_with_regions(subject, n_columns=2))
    )
    assert 0 < (one != other).mean() < 0.05, "more than the borders differs between the two images"
    hidden = BOX.model_copy(update={"shown": False})
    subject = subject_of(tmp_path, monkeypatch, "LPS", (hidden,))
    assert snapshot_with_regions(subject, n_columns=4) == snapshot(subject.volume, n_columns=4)


def test_region_outside_the_image_does_not_stop_the_report(tmp_path, monkeypatch):
    far = Region(name="Far", shape=SphereRegion(centre_mm=(900.0, 0, 0), diameter_mm=9))
    subject = subject_of(tmp_path, monkeypatch, "LPS", (far, BOX))
    found = coloured(snapshot_with_regions(subject, n_columns=2))
    assert found[STEP : 2 * STEP, STEP:].any(), "the projection lacks the other region"
    assert report_of(subject).sections


def test_images_of_the_full_report_are_75_mm_wide(tmp_path, monkeypatch):
    """The text is 170 mm wide, and each image has margins for its letters."""
    subject = subject_of(tmp_path, monkeypatch, "LPS")
    (section,) = [each for each in report_of(subject, full=True).sections if each.title == "Image"]
    (picture,) = section.illustrations
    page_px = image_of(picture.png).width
    text_mm = RIGHT_MM - LEFT_MM
    assert picture.width * text_mm * PANEL_PX / page_px >= 75 - 1e-9

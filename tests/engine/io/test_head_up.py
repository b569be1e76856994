"""The head is on top in each picture of a volume, whatever sides its axes lead to."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import Image, ImageSequence

from engine.data.patient_position import ASSUMED, position_facts
from engine.io import save
from engine.io.raster.png import MARGIN_PX, PANEL_PX, TITLE_PX, snapshot
from engine.results.thumbnail import thumbnail
from tests.engine.io.volumes.test_orientation import glyph
from tests.engine.marked import CORNERS, ORIENTATIONS, corner_of, marked

STEP = PANEL_PX + 2 * MARGIN_PX
PLACES = {"axial": (0, 0), "coronal": (0, 1), "sagittal": (1, 0), "frontal": (1, 1)}
"""(row, column) of each picture of the page."""
LETTERS = {"axial": "RLAP", "coronal": "RLHF", "sagittal": "APHF", "frontal": "RLHF"}


def inner(page: np.ndarray, row: int, column: int) -> np.ndarray:
    """The pixels of one picture of a page, within its frame; the volume is a cube."""
    top, left = (k * STEP + MARGIN_PX for k in (row, column))
    return page[top + 2 : top + PANEL_PX - 2, left + 2 : left + PANEL_PX - 2] < 128


def letters_of(page: np.ndarray, row: int, column: int) -> str:
    """The letters at the left, right, top and bottom of one picture, told by their shapes."""
    top, left = (k * STEP + MARGIN_PX for k in (row, column))
    middle_x, middle_y = left + PANEL_PX // 2, top + PANEL_PX // 2
    spots = (
        (left - 11, middle_y),
        (left + PANEL_PX + 11, middle_y),
        (middle_x, top - 9),
        (middle_x, top + PANEL_PX + 9),
    )
    return "".join(glyph(page, *spot) for spot in spots)


def check_page(page: np.ndarray) -> None:
    """Refuse a page that shows the block in another corner, or with other letters."""
    for name, place in PLACES.items():
        assert corner_of(inner(page, *place)) == CORNERS[name], name
        assert letters_of(page, *place) == LETTERS[name], name


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_png(tmp_path: Path, axes: str) -> None:
    save(marked(axes), tmp_path / "a.png")
    check_page(np.asarray(Image.open(tmp_path / "a.png").convert("L")))


@pytest.mark.parametrize("ending", ["png", "capture.dcm"])
@pytest.mark.parametrize("sides", ["RPS", "RAI", "LAS"])
def test_a_stated_position(tmp_path: Path, sides: str, ending: str) -> None:
    """Axes of the scanner get the letters of the position that a header or the user states."""
    volume = replace(marked(sides), info={"axes": "xyz"}).positioned(sides)
    save(volume, tmp_path / f"a.{ending}")
    if ending == "png":
        check_page(np.asarray(Image.open(tmp_path / "a.png").convert("L")))
    else:
        check_page(pydicom.dcmread(tmp_path / "a.capture.dcm").pixel_array.mean(axis=2))
    ink = np.asarray(Image.open(BytesIO(thumbnail(volume)))) < 128
    assert corner_of(ink) == CORNERS["frontal"]


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_dicom_picture(tmp_path: Path, axes: str) -> None:
    save(marked(axes), tmp_path / "a.capture.dcm")
    check_page(pydicom.dcmread(tmp_path / "a.capture.dcm").pixel_array.mean(axis=2))


@pytest.mark.parametrize("axes", ORIENTATIONS)
@pytest.mark.parametrize("unit", ["counts/mm", "1/mm"])
def test_thumbnail(axes: str, unit: str) -> None:
    """Activity is shown by its frontal projection, X-ray images by their axial slice."""
    page = np.asarray(Image.open(BytesIO(thumbnail(marked(axes, unit=unit)))))
    ink = page > 128 if unit == "1/mm" else page < 128
    assert corner_of(ink) == CORNERS["axial" if unit == "1/mm" else "frontal"]


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_film(tmp_path: Path, axes: str) -> None:
    """The frames go from the feet to the head, and the line on the projection goes up."""
    save(marked(axes), tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as film:
        frames = [np.asarray(each.convert("L")) for each in ImageSequence.Iterator(film)]
    shown = [k for k, frame in enumerate(frames) if inner(frame, 0, 0).mean() > 0.01]
    assert min(shown) > len(frames) / 2
    for k in shown:
        assert corner_of(inner(frames[k], 0, 0)) == CORNERS["axial"]
        assert letters_of(frames[k], 0, 0) == LETTERS["axial"]
    block = inner(frames[0], 0, 1)
    assert corner_of(block) == CORNERS["frontal"]
    assert letters_of(frames[0], 0, 1) == LETTERS["frontal"]
    rows = np.flatnonzero(block[:, PANEL_PX // 2 :].any(axis=1))
    lines = [np.argmin(frame[:STEP, STEP + 6 : STEP + 14].mean(axis=1)) for frame in frames]
    for k, line in enumerate(lines):  # beside the block where its slice shows the block
        beside = rows[0] <= line - MARGIN_PX <= rows[-1]
        assert beside == (k in shown), k


def test_an_assumed_position_is_stated_on_the_picture() -> None:
    """The footer has another line where the scan did not state how the patient lay."""
    assert position_facts({"axes": "LPI"}) == position_facts({"patient_orientation": "HFS"}) == {}
    scan = position_facts({"isotope": "F-18"})
    assert scan == {"patient_position": ASSUMED}
    known, assumed = (
        np.asarray(Image.open(BytesIO(snapshot(each))).convert("L"))
        for each in (marked("LPS"), replace(marked("LPS"), info={"scan": scan}))
    )
    changed = np.argwhere(known != assumed)
    assert len(changed) > 500
    assert changed[:, 0].min() > len(known) - TITLE_PX - 6

"""The patient's head is at the top of each image of a volume, for all axes."""

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
"""(row, column) of each image on the page."""
LETTERS = {"axial": "RLAP", "coronal": "RLHF", "sagittal": "APHF", "frontal": "RLHF"}


def inner(page: np.ndarray, row: int, column: int) -> np.ndarray:
    """Return the pixels of one image on a page, without its frame; the volume is a cube."""
    top, left = (k * STEP + MARGIN_PX for k in (row, column))
    return page[top + 2 : top + PANEL_PX - 2, left + 2 : left + PANEL_PX - 2] < 128


def letters_of(page: np.ndarray, row: int, column: int) -> str:
    """Return the letters at the left, right, top and bottom, recognised by their shapes."""
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
    """Check the corner of the block and the letters of each image on a page."""
    for name, place in PLACES.items():
        assert corner_of(inner(page, *place)) == CORNERS[name], name
        assert letters_of(page, *place) == LETTERS[name], name


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_head_is_up_in_png(tmp_path: Path, axes: str) -> None:
    save(marked(axes), tmp_path / "a.png")
    check_page(np.asarray(Image.open(tmp_path / "a.png").convert("L")))


@pytest.mark.parametrize("ending", ["png", "capture.dcm"])
@pytest.mark.parametrize("sides", ["RPS", "RAI", "LAS"])
def test_head_is_up_for_a_stated_patient_position(tmp_path: Path, sides: str, ending: str) -> None:
    """For scanner axes, the letters follow the position in the header or the user's choice."""
    volume = replace(marked(sides), info={"axes": "xyz"}).positioned(sides)
    save(volume, tmp_path / f"a.{ending}")
    if ending == "png":
        check_page(np.asarray(Image.open(tmp_path / "a.png").convert("L")))
    else:
        check_page(pydicom.dcmread(tmp_path / "a.capture.dcm").pixel_array.mean(axis=2))
    ink = np.asarray(Image.open(BytesIO(thumbnail(volume)))) < 128
    assert corner_of(ink) == CORNERS["frontal"]


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_head_is_up_in_dicom_capture(tmp_path: Path, axes: str) -> None:
    save(marked(axes), tmp_path / "a.capture.dcm")
    check_page(pydicom.dcmread(tmp_path / "a.capture.dcm").pixel_array.mean(axis=2))


@pytest.mark.parametrize("axes", ORIENTATIONS)
@pytest.mark.parametrize("unit", ["counts/mm", "1/mm"])
def test_head_is_up_in_thumbnails(axes: str, unit: str) -> None:
    """The thumbnail of activity is a frontal projection, that of CT an axial slice."""
    page = np.asarray(Image.open(BytesIO(thumbnail(marked(axes, unit=unit)))))
    ink = page > 128 if unit == "1/mm" else page < 128
    assert corner_of(ink) == CORNERS["axial" if unit == "1/mm" else "frontal"]


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_head_is_up_in_a_film(tmp_path: Path, axes: str) -> None:
    """Frames go from the feet to the head, so the line on the projection moves up."""
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
    # the line is level with the block if the slice shows the block
    for k, line in enumerate(lines):
        is_level = rows[0] <= line - MARGIN_PX <= rows[-1]
        assert is_level == (k in shown), k


def test_assumed_patient_position_is_stated_on_the_image() -> None:
    """The footer has an additional line if the scan did not state the patient position."""
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

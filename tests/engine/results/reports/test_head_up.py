"""Tests that the head is at the top of report images, in each format and on printed pages."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import Image

from engine.core import paths
from engine.io.raster.png import FOOTER_PX, MARGIN_PX, PANEL_PX
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results
from engine.results.reports.building import report_of
from engine.results.reports.dicom_report import to_capture
from engine.results.reports.page_flow import LEFT_MM, PAGE_MM, RIGHT_MM
from engine.results.reports.printed import to_images, to_pdf
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.web_page import to_html
from tests.engine.io.test_head_up import LETTERS, letters_of
from tests.engine.marked import CORNERS, ORIENTATIONS, corner_of, marked

STEP = PANEL_PX + 2 * MARGIN_PX
WIDE, HIGH = 4 * STEP, STEP + FOOTER_PX
"""Size of the four images side by side [px]."""
PLACES = dict(zip(CORNERS, range(4), strict=True))

SOME = [
    pytest.param(axes, marks=[] if axes in ("LPI", "RAS") else [pytest.mark.slow])
    for axes in ORIENTATIONS
]
"""Only some axes for pages, which take seconds and contain the image of the web page."""


@pytest.fixture
def subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest):
    """Return a result with a volume in the axes of the test parameter."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    provenance = {"format": "isocenter-provenance-1", "axes": request.param}
    study = Study(data=tmp_path / "a.l", protocol=ListModeProtocol(name="Brain"))
    stored = Results().keep(NewResult(study, marked(request.param, provenance), provenance))
    return ReportSubject.read(stored, Site())


def images_in_pdf(document: bytes) -> list[np.ndarray]:
    """Return the lossless grey images of a PDF (ISO 32000)."""
    found = []
    image = rb"<< (/Type /XObject /Subtype /Image.*?)\nstream\r?\n(.*?)endstream"
    upwards = _heights(document)
    for head, data in re.findall(image, document, re.DOTALL):
        sizes = {key: int(value) for key, value in re.findall(rb"/(\w+) (\d+)", head)}
        flat = np.frombuffer(zlib.decompress(data), np.uint8)
        if b"/Predictor" in head:
            flat = _unfiltered(flat.reshape(sizes[b"Height"], -1), sizes.get(b"Colors", 1))
        pixels = flat.reshape(sizes[b"Height"], sizes[b"Width"], -1)[..., 0]
        palette = re.search(rb"/Indexed /DeviceRGB \d+\s\(((?:[^\\()]|\\.)*)\)", head, re.DOTALL)
        pixels = _reds(palette[1])[pixels] if palette else pixels
        found.append(pixels if upwards[len(found)] > 0 else pixels[::-1])
    return found


def _heights(document: bytes) -> list[float]:
    """Return the heights at which the pages draw images; mirrored images have negative heights."""
    found = []
    for data in re.findall(rb"stream\r?\n(.*?)endstream", document, re.DOTALL):
        with suppress(zlib.error):
            for before in re.split(rb"/I\d+ Do", zlib.decompress(data))[:-1]:
                *_, height, _x, _y, _cm = before.split()
                found.append(float(height))
    return found


def _reds(text: bytes) -> np.ndarray:
    """Return the red values of a palette that a PDF string contains."""
    escaped = {b"n": b"\n", b"r": b"\r"}
    unescaped = re.sub(
        rb"\\(.)", lambda found: escaped.get(found[1], found[1]), text, flags=re.DOTALL
    )
    return np.frombuffer(unescaped, np.uint8)[::3]


def _unfiltered(lines: np.ndarray, n_bytes: int) -> np.ndarray:
    """Undo the PNG filters with a PNG reader."""
    rows, row_bytes = lines.shape
    kind = {1: b"\x00", 3: b"\x02"}[n_bytes]
    columns = (row_bytes - 1) // n_bytes

    def chunk(name: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(name + data).to_bytes(4, "big")
        return len(data).to_bytes(4, "big") + name + data + crc

    head = columns.to_bytes(4, "big") + rows.to_bytes(4, "big") + b"\x08" + kind + b"\0\0\0"
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(lines.tobytes())))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IEND", b"")
    return np.asarray(Image.open(BytesIO(data)))


def check(image: np.ndarray) -> None:
    """Check the position of the bright block, and the letters of full-size images."""
    height, width = image.shape
    scale = width / WIDE
    assert height == pytest.approx(HIGH * scale, abs=2)
    for name, column in PLACES.items():
        left, top = (round((k * STEP + MARGIN_PX + 4) * scale) for k in (column, 0))
        edge = int((PANEL_PX - 8) * scale)
        ink = image[top : top + edge, left : left + edge] < 128
        assert corner_of(ink) == CORNERS[name], name
        if scale == 1:
            assert letters_of(image, 0, column) == LETTERS[name], name


def on_page(page: np.ndarray) -> np.ndarray:
    """Return the images on a printed page, at the width of the text."""
    mm = page.shape[1] / PAGE_MM[0]
    left, right = round(LEFT_MM * mm), round(RIGHT_MM * mm)
    column = page[:, left:right]
    black = np.flatnonzero((column < 10).sum(axis=1) > 4 * mm)  # letters are narrower than images
    scale = (right - left) / WIDE
    frame = column[:, round((MARGIN_PX + PANEL_PX / 2) * scale)]  # the frame's upper edge is grey
    top = next(k for k in range(black[0], 0, -1) if 190 < frame[k] < 225)
    begin = round(top - MARGIN_PX * scale)
    return column[begin : begin + round(HIGH * scale)]


@pytest.mark.parametrize("subject", ORIENTATIONS, indirect=True)
def test_head_is_up_on_the_web_page(subject: ReportSubject) -> None:
    (source,) = re.findall(rb'src="data:image/png;base64,([^"]+)"', to_html(report_of(subject)))
    check(np.asarray(Image.open(BytesIO(b64decode(source))).convert("L")))


@pytest.mark.essential
@pytest.mark.parametrize("subject", SOME, indirect=True)
def test_head_is_up_in_pdf_on_paper_and_in_dicom(subject: ReportSubject) -> None:
    """Check the PDF, the printed pages and the DICOM image."""
    report = report_of(subject)
    (in_pdf,) = images_in_pdf(to_pdf(report))
    assert in_pdf.shape == (HIGH, WIDE), "the PDF does not have all pixels"
    check(in_pdf)
    printed = np.asarray(Image.open(BytesIO(to_images(report)[0])).convert("L"))
    check(on_page(printed))
    captured = pydicom.dcmread(BytesIO(to_capture(report, subject))).pixel_array
    check(on_page(captured[..., 0]))

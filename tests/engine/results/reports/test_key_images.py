"""Tests of key images in reports: choice, width, layout, and damaged files."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import replace
from io import BytesIO

import numpy as np
import pydicom
import pytest
from PIL import Image

from engine.core.errors import DataError, FileFormatError
from engine.io.dicom.order import ORDER, ImagingOrder
from engine.io.dicom.values import pseudonym_for
from engine.io.safety.seal import seal_of
from engine.results import Result
from engine.results.reports import (
    MAX_IMAGES,
    KeyImage,
    ReportSubject,
    Site,
    patient_mark,
    read_key_images,
    report_of,
    write_key_images,
    write_report,
)
from engine.results.reports.key_images import FILE
from engine.results.reports.page_flow import PageFlow
from engine.results.reports.printed import set_pages, to_pdf

INCH_MM, POINTS = 25.4, 72


def picture(shade: int, size: tuple[int, int] = (200, 160)) -> bytes:
    buffer = BytesIO()
    Image.new("RGB", size, (shade, 40, 90)).save(buffer, "PNG")
    return buffer.getvalue()


def chosen(n: int, size: tuple[int, int] = (200, 160)) -> tuple[KeyImage, ...]:
    return tuple(KeyImage(picture(20 * k + 5, size), f"Axial, z = {k}.0 mm") for k in range(n))


@pytest.fixture
def stored_result(results, new):
    return results.keep(new(1))


def read(result) -> ReportSubject:
    return ReportSubject.read(result, Site())


def image_section(report):
    (found,) = [each for each in report.sections if each.title in ("Image", "Key images")]
    return found


def places_mm(pdf: bytes) -> list[list[tuple[float, float, float, float]]]:
    """Return left, bottom, width and height of each image by page [mm], as stored in the PDF."""
    found = []
    for content in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            drawing = zlib.decompress(content)
        except zlib.error:
            continue
        if b"BT" not in drawing:
            continue
        # matplotlib shifts the origin, then scales and flips the unit square of the image.
        n = rb"(-?[\d.]+)"
        moved = rb"\s+".join(
            (b"1 0 0 1", n, n, b"cm", n, b"0 0", b"-" + n, b"0", n, rb"cm /I\d+ Do")
        )
        places = [[float(v) for v in each] for each in re.findall(moved, drawing)]
        mm = INCH_MM / POINTS
        found.append([(x * mm, y * mm, w * mm, h * mm) for x, y, w, h, _ in places])
    return found


def test_key_images_are_stored_in_order_and_can_be_removed(stored_result):
    images = chosen(3)
    assert read_key_images(stored_result) == ()
    write_key_images(stored_result, images[::-1])
    assert read_key_images(stored_result) == read(stored_result).key_images == images[::-1]
    write_key_images(stored_result, ())
    assert read_key_images(stored_result) == () and not (stored_result.folder / FILE).exists()


def test_report_shows_exactly_the_chosen_images(stored_result):
    assert image_section(report_of(read(stored_result))).title == "Image", (
        "a report without key images has no automatic images"
    )
    write_key_images(stored_result, chosen(2))
    for full in (False, True):
        shown = image_section(report_of(read(stored_result), full=full))
        assert shown.title == "Key images"
        assert [(each.png, each.caption) for each in shown.illustrations] == [
            (each.png, each.caption) for each in chosen(2)
        ]


@pytest.mark.parametrize("full", [False, True], ids=["one page", "full"])
@pytest.mark.parametrize("n", [1, 2, 4, 12])
def test_key_images_are_at_least_75_mm_wide_in_the_pdf(stored_result, n, full):
    write_key_images(stored_result, chosen(n))
    pages = places_mm(to_pdf(report_of(read(stored_result), full=full)))
    assert sum(len(page) for page in pages) == n
    for x, _, width, height in (place for page in pages for place in page):
        assert width >= 83.0 - 0.01, "the view without its margins is narrower than 75 mm"
        assert width / height == pytest.approx(200 / 160, rel=1e-3), "the image is distorted"
        assert x >= 20 - 0.01 and x + width <= 190 + 0.01, "the image exceeds the page margins"
    assert len(pages[0]) >= min(n, 4), "the first images are not on the first page"


@pytest.mark.parametrize("full", [False, True], ids=["one page", "full"])
def test_images_start_on_the_first_page(stored_result, full):
    """Automatic images of the full report once started on the second page."""
    assert len(places_mm(to_pdf(report_of(read(stored_result), full=full)))[0]) == 1


def test_two_images_fit_one_page_and_eight_need_more(stored_result):
    write_key_images(stored_result, chosen(2))
    assert len(set_pages(report_of(read(stored_result)))) == 1
    tall = replace(read(stored_result), key_images=chosen(8, (200, 250)))
    pages = places_mm(to_pdf(report_of(tall)))
    assert len(pages) > 1 and sum(map(len, pages)) == 8, "eight tall images share a page"


def test_captions_are_below_their_images(stored_result):
    images = tuple(replace(each, caption=f"{each.caption} " + 30 * "words ") for each in chosen(2))
    write_key_images(stored_result, images)
    flow = PageFlow(report_of(read(stored_result)))
    (page,) = flow.pages
    left = sorted({round(t.get_position()[0], 4) for t in page.texts if "words" in t.get_text()})
    boxes = sorted(round(axes.get_position().x0, 4) for axes in page.axes)
    assert left == boxes, "a caption is not below its image"
    lowest = min(axes.get_position().y0 for axes in page.axes)
    assert all(t.get_position()[1] < lowest for t in page.texts if "words" in t.get_text())


def test_web_page_and_dicom_formats_contain_key_images(stored_result, tmp_path):
    write_key_images(stored_result, chosen(2))
    subject = read(stored_result)
    for name in ("r.html", "r.dcm", "r.capture.dcm"):
        write_report(report_of(subject), subject, tmp_path / name)
    page = (tmp_path / "r.html").read_text("utf-8")
    assert page.count("min-width: 75mm") == page.count("<figure") == 2
    assert all(each.caption.replace(" mm", "\xa0mm") in page for each in chosen(2))
    document = bytes(pydicom.dcmread(tmp_path / "r.dcm").EncapsulatedDocument)
    assert len(places_mm(document)[0]) == 2
    captured = pydicom.dcmread(tmp_path / "r.capture.dcm").pixel_array.reshape(-1, 3)
    for k in range(2):
        assert (np.abs(captured.astype(int) - (20 * k + 5, 40, 90)).max(axis=1) < 4).sum() > 1e5


def test_key_images_of_another_result_are_refused(results, new, stored_result):
    """A copied file is refused, and so is a file that names this result but has another record."""
    other = results.keep(new(2))
    write_key_images(stored_result, chosen(1))
    data = (stored_result.folder / FILE).read_bytes()
    (other.folder / FILE).write_bytes(data)
    with pytest.raises(FileFormatError, match=f"belong to the result {stored_result.id}"):
        read_key_images(other)
    report = json.loads(data) | {"result": other.id}
    report["seal"] = seal_of(**{key: value for key, value in report.items() if key != "seal"})
    (other.folder / FILE).write_text(json.dumps(report))
    with pytest.raises(FileFormatError, match="belong to the result"):
        read_key_images(other)
    subject = read(other)
    assert subject.key_images == () and "belong to another result" in subject.warnings[-1]


@pytest.mark.parametrize("full", [False, True], ids=["one page", "full"])
def test_damaged_file_is_renamed_and_named_in_the_report(stored_result, full):
    """Such reports once failed until the file was deleted."""
    write_key_images(stored_result, chosen(2))
    path = stored_result.folder / FILE
    data = path.read_bytes()[:-50]
    path.write_bytes(data)
    for _ in range(2):  # the second report also names the file
        subject = read(stored_result)
        report = report_of(subject, full=full)
        assert image_section(report).title == "Image", "the report has no automatic images"
        (section,) = [each for each in report.sections if each.title == "Signed off"]
        (words,) = [row.value for row in section.notes if FILE in row.value]
        assert f"{stored_result.id}/{FILE}: these key images are damaged" in words
        assert "the damaged file is now key-images.damaged.json" in words
        to_pdf(report)
    renamed = stored_result.folder / "key-images.damaged.json"
    assert renamed.read_bytes() == data and not path.exists()
    write_key_images(stored_result, chosen(1))
    assert read(stored_result).key_images == chosen(1) and not any(
        FILE in w for w in read(stored_result).warnings
    )
    path.write_bytes(data)
    assert "the damaged file is now key-images.damaged-2.json" in read(stored_result).warnings[-1]
    assert renamed.read_bytes() == data, "the first damaged file was replaced"


def test_changed_or_damaged_file_is_refused(stored_result):
    write_key_images(stored_result, chosen(1))
    path = stored_result.folder / FILE
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Axial", b"Later"))
    with pytest.raises(FileFormatError, match=r"checksum does not match.*choose the key images"):
        read_key_images(stored_result)
    path.write_bytes(data[:-50])
    with pytest.raises(FileFormatError, match="damaged key images"):
        read_key_images(stored_result)
    write_key_images(stored_result, (KeyImage(picture(1)[:60], "cut"),))
    with pytest.raises(FileFormatError, match="a picture cannot be read"):
        read_key_images(stored_result)


def test_more_than_the_maximum_is_refused_and_old_images_stay(stored_result):
    write_key_images(stored_result, chosen(2))
    with pytest.raises(DataError, match=f"at most {MAX_IMAGES} key images, not 13"):
        write_key_images(stored_result, 13 * chosen(1))
    assert read_key_images(stored_result) == chosen(2)


def test_picture_of_another_patient_is_omitted_after_an_order_is_assigned(stored_result):
    """The order can name the patient after the picture was chosen."""
    one, other, unknown = (replace(each, patient=mark) for each, mark in zip(
        chosen(3), (patient_mark("4711"), patient_mark("4712"), ""), strict=True
    ))  # fmt: skip
    write_key_images(stored_result, (one, other, unknown))
    assert read_key_images(stored_result) == (one, other, unknown)
    text = (stored_result.folder / FILE).read_text()
    assert "4711" not in text and "4712" not in text
    assert len(image_section(report_of(read(stored_result))).illustrations) == 3
    stored_result.assign_order(ImagingOrder(patient_name="Doe^Ida", patient_id="4711"))
    subject = read(stored_result)
    report = report_of(subject)
    assert [each.png for each in image_section(report).illustrations] == [one.png, unknown.png]
    (warning,) = subject.all_warnings
    assert warning.startswith("The report omits key images with a second image of another patient.")
    assert warning in str(report)
    only_other = replace(subject, key_images=(other,))
    assert image_section(report_of(only_other)).title == "Image"


def test_picture_with_a_patient_is_omitted_if_the_order_is_damaged(stored_result):
    write_key_images(stored_result, (replace(chosen(1)[0], patient=patient_mark("4711")),))
    stored_result.assign_order(ImagingOrder(patient_name="Doe^Ida", patient_id="4711"))
    subject = read(stored_result)
    assert len(subject.own_key_images) == 1
    (stored_result.folder / ORDER).write_text("{")
    fresh = replace(subject, result=Result.read(stored_result.folder))
    assert not fresh.own_key_images


def test_pseudonym_marks_no_patient_and_files_without_marks_stay_readable(stored_result):
    assert patient_mark(pseudonym_for("ab" * 32)) == patient_mark("") == ""
    write_key_images(stored_result, chosen(1))
    assert "patient" not in json.loads((stored_result.folder / FILE).read_text())["images"][0]

"""Tests of reports: facts of a result in every format, regions, annotations, logo."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO

import numpy as np
import pydicom
import pytest
from PIL import Image

from engine.analysis.regions import (
    Annotation,
    Region,
    RegionSet,
    SphereRegion,
    marks_of,
    write_regions,
)
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core import paths
from engine.core.errors import EngineError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.raster.png import MARGIN_PX, PANEL_PX
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.difference import changed_from
from engine.protocols.study.stored_protocol import stamped
from engine.results import NewResult, Results
from engine.results.reports.blocks import ReportRow, Section
from engine.results.reports.building import report_of
from engine.results.reports.illustrations import image_of
from engine.results.reports.page_flow import BODY_PT, PageFlow, _width_mm, broken
from engine.results.reports.printed import set_pages
from engine.results.reports.sections import digests
from engine.results.reports.signature import FILE, JUDGEMENTS, sign, signatures_of
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.web_page import to_html
from tests.engine.protocols.study.test_stored_protocol import with_iterations

GRID = ImageGrid((12, 14, 16), (2.0, 2.0, 2.0))
BASE = stamped(ListModeProtocol(name="Brain"), 3)
PROVENANCE = {
    "format": "isocenter-provenance-1",
    "axes": "LPS",
    "corrections": [
        {"kind": "attenuation", "state": "applied", "text": "37 % pass"},
        {"kind": "scatter", "state": "unavailable", "text": "no energy window"},
        {"kind": "randoms", "state": "off", "text": "switched off"},
    ],
    "warnings": ["The <b>bed</b> is not in the map."],
    "scan": {"prompts": 1234567, "duration_s": 600.0},
    "inputs": {"data": {"name": "study-0a1b2c3d.l", "bytes": 7, "sha256": "d" * 64}},
    "output": {"sha256": "ab" * 32},
    "environment": {"isocenter": "0.2.0"},
    "log_likelihoods": [-2e6, -1e6],
    "ended_utc": "2026-01-02T03:04:05+00:00",
}


@pytest.fixture
def result(tmp_path, monkeypatch):
    """Return a result of a changed protocol and a scan file with a patient's name."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    z, y, x = np.meshgrid(*(GRID.centres_mm(k) for k in (2, 1, 0)), indexing="ij")
    values = 7300.0 * (x**2 + y**2 + z**2 < 9.0**2)
    study = Study(
        data=tmp_path / "Doe-Jane.l", protocol=changed_from(BASE, with_iterations(BASE, 9))
    )
    volume = Volume(values.astype(np.float32), GRID, "Bq/mL", PROVENANCE)
    inputs = PROVENANCE["inputs"]
    return Results().keep(NewResult(study, volume, PROVENANCE, inputs=inputs))


@pytest.fixture
def subject(result):
    return ReportSubject.read(result, Site(name="Site & Sons", address="Street 1"))


class Words(HTMLParser):
    """Collect the text and the tags of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.text, self.tags = [], []
        self.feed(page.decode())

    def handle_data(self, data):
        # Quantities have no-break spaces.
        self.text.append(data.replace("\xa0", " ").strip())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def test_web_report_shows_all_facts_and_loads_no_scripts(subject):
    page = Words(to_html(report_of(subject, full=True)))
    for text in (
        *("Site & Sons", "Brain, version 3 (changed)", "iterations automatic, now 9", "7.3 kBq/mL"),
        *("not applied: no energy window", "The <b>bed</b> is not in the map.", "1,234,567"),
        *("Not signed off.", "ab" * 32, BASE.saved.sha256, "10 min"),
    ):
        assert text in page.text, text
    assert not any("Doe" in each for each in page.text), "the page contains a file name"
    assert {tag for tag, _ in page.tags} & {"script", "link", "iframe", "b"} == set()
    sources = [attrs["src"] for tag, attrs in page.tags if tag == "img"]
    assert sources and all(each.startswith("data:image/png;base64,") for each in sources)


@pytest.mark.parametrize("full", [False, True])
def test_report_names_the_plug_ins_of_a_run(subject, full):
    used = {
        "name": "acme-decay",
        "version": "1.2",
        "sha256": "cd" * 32,
        "features": ["corrections: decay", "steps: sideways"],
    }
    assert "Plug-in" not in Words(to_html(report_of(subject, full=full))).text
    found = replace(subject, provenance={**subject.provenance, "plug_ins": [used]})
    page = Words(to_html(report_of(found, full=full)))
    assert page.text.count("Plug-in") == 1
    expected = "acme-decay 1.2 (corrections: decay; steps: sideways), SHA-256 " + "cd" * 32
    assert expected in page.text


def test_short_report_fits_one_page_and_no_line_is_too_wide(subject):
    long = tuple(ReportRow(f"Warning {k}", "word " * 40, "warning") for k in range(6))
    report = report_of(subject)
    crowded = replace(report, sections=(*report.sections, Section("More", long)))
    assert len(PageFlow(crowded).pages) == 2, "the crowded report fits one page"
    assert len(set_pages(crowded)) == len(set_pages(report)) == 1
    assert len(set_pages(report_of(subject, full=True))) > 1
    for text in ("a " * 300, "f" * 500, "one", "73 × 10⁻⁶ counts/mm " * 50):
        lines = broken(text, BODY_PT, 60.0)
        assert max(_width_mm(each, BODY_PT) for each in lines) <= 60.0
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_lines_do_not_break_between_number_and_unit(subject):
    text = "the mean of 7.3 kBq/mL over 250 mm in 12 min is 73 × 10⁻⁶ counts/mm or 4 % " * 5
    for width in range(40, 120):
        for line in broken(text, BODY_PT, float(width)):
            assert not line.startswith(("kBq", "mm", "min", "×", "10⁻⁶", "counts", "%")), line
            assert "\xa0" not in line, "text copied from the page has no-break spaces"
    narrow = broken("73 × 10⁻⁶ counts/mm", BODY_PT, 18.0)
    assert narrow[-1] == "counts/mm", "the unit is broken"
    assert "7.3\xa0kBq/mL" in to_html(report_of(subject, full=True)).decode()


def test_report_shows_the_signatures_of_its_result(subject, result):
    signature = sign(result, "  A. Physicist ", "not acceptable", "Motion.")
    sign(result, "B. Physicist", JUDGEMENTS[0])
    first, last = signatures_of(result)
    assert first == signature and (first.who, last.judgement) == ("A. Physicist", "acceptable")
    assert Results().open(result.id).pinned, "a signed result is not pinned"
    signed = ReportSubject.read(Results().open(result.id), subject.site)
    page = Words(to_html(report_of(signed)))
    assert f"A. Physicist: not acceptable{signature.origin}" in page.text and "Motion." in page.text
    stored = (result.folder / FILE).read_text()
    (result.folder / FILE).write_text(stored.replace("A. Physicist", "C. Physicist"))
    with pytest.raises(EngineError, match="was changed or belongs to another result"):
        signatures_of(result)
    other = Results().keep(NewResult(result.study, result.volume(), PROVENANCE))
    (other.folder / FILE).write_text(stored)
    with pytest.raises(EngineError, match="was changed or belongs to another result"):
        signatures_of(other)


def test_regions_of_the_scan_are_measured_and_others_refused(subject, result, tmp_path):
    ball = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=8)
    marks = marks_of(subject.volume)
    regions = RegionSet(regions=(Region(name="Lesion", shape=ball),), scans=marks)
    write_regions(regions, tmp_path / "r.toml")
    with_regions = ReportSubject.read(result, subject.site, regions=tmp_path / "r.toml")
    page = Words(to_html(report_of(with_regions)))
    assert "Lesion" in page.text and page.text.count("7.3 kBq/mL") >= 2
    write_regions(regions.model_copy(update={"scans": ("another",)}), tmp_path / "other.toml")
    with pytest.raises(EngineError, match="another scan"):
        ReportSubject.read(result, subject.site, regions=tmp_path / "other.toml")


def test_annotations_are_listed_and_drawn_in_their_slices(subject, result, tmp_path):
    drawn = (
        Annotation(kind="arrow", axis=2, points_mm=((-6, -6, 1), (3, 2, 1)), text="Here"),
        Annotation(kind="distance", axis=1, points_mm=((-3, 0, -4), (0, 0, 0)), text="Across"),
        Annotation(kind="angle", axis=0, points_mm=((0, 4, 0), (0, 0, 0), (0, 0, 4))),
    )
    regions = RegionSet(annotations=drawn, scans=marks_of(subject.volume))
    write_regions(regions, tmp_path / "r.toml")
    with_regions = ReportSubject.read(result, subject.site, regions=tmp_path / "r.toml")
    page = Words(to_html(report_of(with_regions)))
    assert "Here" in page.text and "5.0 mm" in page.text and "90.0°" in page.text
    section = next(
        s for s in report_of(with_regions, full=True).sections if s.title == "Annotations"
    )
    captions = [each.caption.split("; ") for each in section.illustrations]
    titles = [[each.split(",")[0] for each in row] for row in captions]
    assert titles == [["axial", "coronal"], ["sagittal"]]
    for each in section.illustrations:
        pixels = np.asarray(image_of(each.png), int)
        red = (pixels[..., 0] - pixels[..., 2]) > 100
        assert 20 < red.sum() < 6000, "annotations are missing or cover the image"


def test_arrow_tip_is_drawn_at_its_position(subject, result, tmp_path):
    """The arrow is on the x axis: its columns are red in the middle row."""
    grid = subject.volume.grid
    half = grid.size_mm / 2
    ends = ((float(-half[0] / 2), 0.0, 0.0), (float(half[0] / 2), 0.0, 0.0))
    arrow = Annotation(kind="arrow", axis=2, points_mm=ends)
    write_regions(
        RegionSet(annotations=(arrow,), scans=marks_of(subject.volume)), tmp_path / "r.toml"
    )
    with_regions = ReportSubject.read(result, subject.site, regions=tmp_path / "r.toml")
    section = next(
        s for s in report_of(with_regions, full=True).sections if s.title == "Annotations"
    )
    pixels = np.asarray(image_of(section.illustrations[0].png), int)
    rows, columns = np.nonzero((pixels[..., 0] - pixels[..., 2]) > 100)
    side = PANEL_PX + 2 * MARGIN_PX
    width = PANEL_PX * grid.size_mm[0] / max(grid.size_mm)
    assert abs(columns.min() - (side - width / 2) / 2) < 3
    assert abs(columns.max() - (side + width / 2) / 2) < 3
    assert abs(np.median(rows) - side / 2) < 2


@pytest.mark.parametrize("ending", [".dcm", ".capture.dcm"])
def test_dicom_report_belongs_to_the_study_of_its_image(result, tmp_path, ending):
    out = tmp_path / f"a{ending}"
    assert main(["report", result.id, "-o", str(out)]) == DONE
    save(result.volume(), tmp_path / "image.dicom", PROVENANCE)
    image = pydicom.dcmread(next((tmp_path / "image.dicom").iterdir()))
    found = pydicom.dcmread(out)
    for key in ("PatientID", "PatientName", "StudyInstanceUID", "StudyDate"):
        assert found[key].value == image[key].value, key
    assert found.SeriesInstanceUID != image.SeriesInstanceUID
    assert found.PatientIdentityRemoved == "YES" and found.BurnedInAnnotation == "NO"
    assert "Doe" not in str(found)
    if ending == ".dcm":
        document = found.EncapsulatedDocument[: found.EncapsulatedDocumentLength]
        assert document.startswith(b"%PDF") and b"%%EOF\n%isocenter" in document
        assert found.SOPClassUID.name == "Encapsulated PDF Storage"
    else:
        shown = {str(e.ReferencedSOPInstanceUID) for e in found.SourceImageSequence}
        assert str(image.SOPInstanceUID) in shown
        assert found.pixel_array.min() < 50, "the page is blank"


def test_force_replaces_a_report_in_the_current_folder(result, tmp_path, monkeypatch, capsys):
    """An empty option value is not a folder of input files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pdf").write_bytes(b"older")
    assert main(["report", result.id, "-o", "a.pdf"]) == USER_FAULT
    assert "add --force to replace it" in capsys.readouterr().err
    assert main(["report", result.id, "-o", "a.pdf", "--force"]) == DONE
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_invalid_report_command_signs_nothing(result, tmp_path, capsys):
    out, nothing = tmp_path / "a.pdf", tmp_path / "a.doc"
    command = ["report", result.id, "--sign", "A", "-o"]
    assert main([*command, str(nothing)]) == USER_FAULT
    assert "must end with one of .pdf" in capsys.readouterr().err
    (tmp_path / "q.json").write_text('{"format": "other"}')
    assert main([*command, str(out), "--quality", str(tmp_path / "q.json")]) == USER_FAULT
    assert main([*command, str(tmp_path / "none" / "a.pdf")]) == USER_FAULT
    assert signatures_of(result) == () and not out.exists()
    figure = {"name": "Recovery", "value": 0.413, "error": 0.02, "unit": "", "group": "22 mm"}
    report = {"format": "isocenter-quality-1", "title": "NEMA", "figures": [figure]}
    (tmp_path / "q.json").write_text(json.dumps(report))
    full = ["--full", "--quality", str(tmp_path / "q.json")]
    assert main([*command, str(out), *full]) == DONE
    assert out.read_bytes().startswith(b"%PDF") and len(signatures_of(result)) == 1
    assert "Signed off: acceptable; A, " in capsys.readouterr().out


def test_logo_must_be_a_raster_image(subject, tmp_path):
    logo = BytesIO()
    Image.new("RGB", (30, 10), "red").save(logo, "PNG")
    (tmp_path / "logo.png").write_bytes(logo.getvalue())
    (tmp_path / "logo.svg").write_text("<svg/>")
    site = Site(name="S", logo=str(tmp_path / "logo.png"))
    site.write(tmp_path)
    assert Site.read(tmp_path) == site and site.logo_bytes() == logo.getvalue()
    with_logo = ReportSubject(subject.result, subject.volume, subject.provenance, site)
    (page,), (without_logo,) = set_pages(report_of(with_logo)), set_pages(report_of(subject))
    assert len(page.axes) == len(without_logo.axes) + 1
    for wrong in ("logo.svg", "nothing.png"):
        with pytest.raises(EngineError, match="logo"):
            Site(logo=str(tmp_path / wrong)).logo_bytes()


@pytest.mark.parametrize(
    ("commit", "expected"),
    [
        (40 * "a", f"commit {12 * 'a'}"),
        (f"{40 * 'a'}-dirty", f"commit {12 * 'a'}-dirty"),
        ("unknown", "commit unknown"),
        (None, "Isocenter 0.2.0"),
    ],
)
def test_report_states_commit_and_changes_of_the_program(subject, commit, expected):
    """The mark of changes was once cut off with the end of the hash."""
    provenance = subject.provenance | {"environment": {"isocenter": "0.2.0", "commit": commit}}
    known = ReportSubject(subject.result, subject.volume, provenance, subject.site)
    (row,) = (each for each in digests(known).rows if each.name == "Software")
    assert row.value.endswith(expected)

"""Tests of DICOM secondary capture: the pixels of the PNG, in the right study."""

from __future__ import annotations

import subprocess
from io import BytesIO
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import Image

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import FileFormatError
from engine.io import read_volume, save
from engine.io.dicom.private_block import without_log
from engine.io.raster.png import snapshot
from tests.engine.io.dicom.test_dicom_series import CHECKER, CT, INFO, SCAN, volume


def captured(path: Path, unit: str = "Bq/mL", info: dict[str, object] | None = None):
    save(volume(unit, info), path)
    return pydicom.dcmread(path)


def shown(found: pydicom.Dataset) -> list[str]:
    return [str(each.ReferencedSOPInstanceUID) for each in found.get("SourceImageSequence", [])]


@pytest.fixture(scope="module")
def series(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("series") / "a.dicom"
    save(volume(), folder)
    return folder


def test_capture_has_the_pixels_of_the_png_and_the_study_of_the_series(tmp_path, series):
    found = captured(tmp_path / "a.capture.dcm")
    page = np.asarray(Image.open(BytesIO(snapshot(volume()))).convert("RGB"))
    assert np.array_equal(found.pixel_array, page)
    slices = [pydicom.dcmread(each) for each in sorted(series.iterdir())]
    for key in ("PatientID", "PatientName", "StudyInstanceUID", "StudyDate", "StudyTime"):
        assert found[key].value == slices[0][key].value, key
    assert shown(found) == [str(each.SOPInstanceUID) for each in slices]
    (referenced,) = found.ReferencedSeriesSequence
    assert referenced.SeriesInstanceUID == slices[0].SeriesInstanceUID != found.SeriesInstanceUID
    assert found.SourceImageSequence[0].ReferencedSOPClassUID == slices[0].SOPClassUID
    assert (found.BurnedInAnnotation, found.Modality, found.ConversionType) == ("NO", "OT", "WSD")
    assert list(found.ImageType) == ["DERIVED", "SECONDARY"]


def test_same_image_gives_the_same_object_without_a_patient_name(tmp_path):
    info = {**INFO, "scan": {**SCAN, "patient_name": "Doe^Jane"}}
    one, other = (captured(tmp_path / f"{k}.capture.dcm", info=info) for k in range(2))
    assert without_log(one) == without_log(other)
    assert "Doe" not in str(one) and other.PatientIdentityRemoved == "YES"
    third = captured(tmp_path / "2.capture.dcm", "counts/mm", info)
    assert third.SOPInstanceUID != one.SOPInstanceUID
    assert third.StudyInstanceUID == one.StudyInstanceUID


def test_capture_refers_only_to_the_series_it_shows(tmp_path, series):
    """A displayed series is referenced with its instances. Another series only shares the study."""
    command = ["dicom", "capture", str(series), str(tmp_path / "a.dcm")]
    first = series / "00001.dcm"
    assert main([*command, "--like", str(first)]) == DONE
    found, slices = pydicom.dcmread(tmp_path / "a.dcm"), sorted(series.iterdir())
    assert shown(found) == [str(pydicom.dcmread(each).SOPInstanceUID) for each in slices]
    assert len(found.ReferencedSeriesSequence) == 1

    ct = tmp_path / "ct.dicom"
    save(volume("HU", CT), ct)
    referenced = pydicom.dcmread(ct / "00001.dcm")
    command[-1] = str(tmp_path / "b.dcm")
    assert main([*command, "--like", str(ct / "00001.dcm")]) == DONE
    found = pydicom.dcmread(tmp_path / "b.dcm")
    assert shown(found) == [] and found.StudyInstanceUID == referenced.StudyInstanceUID
    assert found.ReferencedSeriesSequence[0].SeriesInstanceUID == referenced.SeriesInstanceUID


def test_anonymous_series_is_not_referenced(tmp_path, series):
    """The identifiers of the series would identify the patient."""
    save(read_volume(series), tmp_path / "a.capture.dcm")
    found = pydicom.dcmread(tmp_path / "a.capture.dcm")
    assert shown(found) == [] and "ReferencedSeriesSequence" not in found


def test_capture_is_refused_as_an_input_by_name(tmp_path):
    captured(tmp_path / "a.capture.dcm")
    with pytest.raises(FileFormatError, match=r"secondary capture.*open an image series"):
        read_volume(tmp_path / "a.capture.dcm")


def test_capture_needs_a_dicom_file_name(tmp_path, series, capsys):
    assert main(["dicom", "capture", str(series), str(tmp_path / "a.png")]) == USER_FAULT
    assert "must end with .dcm" in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
@pytest.mark.parametrize(("unit", "info"), [("Bq/mL", INFO), ("HU", {})])
def test_dciodvfy_finds_no_error(tmp_path, unit, info):
    captured(tmp_path / "a.capture.dcm", unit, info)
    done = subprocess.run(
        [CHECKER or "", "-new", str(tmp_path / "a.capture.dcm")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "SCImage" in done.stderr and "Error" not in done.stderr, done.stderr

"""Tests of Enhanced CT files: values and positions equal those of the single-slice series."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pydicom
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError, FileFormatError
from engine.io import read_volume, save
from engine.io.dicom.enhanced import write_enhanced
from tests.engine.io.dicom.dicom_files import change
from tests.engine.io.dicom.test_dicom_series import CHECKER, CT, GRID, INFO, volume


@pytest.mark.parametrize("axes", ["xyz", "LPS", "LPI"])
def test_enhanced_file_equals_the_series(tmp_path, axes):
    image = volume("HU", {**CT, "axes": axes})
    write_enhanced(image, tmp_path / "a.dcm", image.info)
    save(image, tmp_path / "a.dicom")

    one, series = read_volume(tmp_path / "a.dcm"), read_volume(tmp_path / "a.dicom")
    assert np.array_equal(one.values, series.values)
    np.testing.assert_allclose(one.grid.centre_mm, GRID.centre_mm)
    assert one.grid == series.grid and (one.unit, one.axes) == ("HU", axes)
    assert one.info == image.info, "the provenance must be in the sidecar"

    found = pydicom.dcmread(tmp_path / "a.dcm")
    slices = [pydicom.dcmread(each) for each in sorted((tmp_path / "a.dicom").iterdir())]
    assert np.array_equal(found.pixel_array, [each.pixel_array for each in slices])
    for frame, each in zip(found.PerFrameFunctionalGroupsSequence, slices, strict=True):
        place = frame.PlanePositionSequence[0].ImagePositionPatient
        assert list(place) == list(each.ImagePositionPatient)
    for key in ("PatientID", "StudyInstanceUID", "FrameOfReferenceUID"):
        assert found[key].value == slices[0][key].value
    assert found.SeriesInstanceUID != slices[0].SeriesInstanceUID
    assert found.ContentQualification == "RESEARCH"


def test_changed_file_is_refused(tmp_path):
    write_enhanced(volume("HU", CT), tmp_path / "a.dcm", CT)
    change(tmp_path / "a.dcm", PatientComments="other")
    with pytest.raises(FileFormatError, match="so it has been changed"):
        read_volume(tmp_path / "a.dcm")


@pytest.mark.parametrize(
    ("unit", "info", "message"),
    [
        ("Bq/mL", INFO, r"an Enhanced PET file .* export a DICOM series"),
        ("1/mm", CT, r"the unit of the image is '1/mm', .* only store CT numbers \(HU\); export"),
    ],
)
def test_unsupported_image_is_refused_and_nothing_is_written(tmp_path, unit, info, message):
    with pytest.raises(DataError, match=rf"a\.dcm: {message}"):
        write_enhanced(volume(unit, info), tmp_path / "a.dcm", info)
    assert not list(tmp_path.iterdir())


def test_command_writes_an_enhanced_file(tmp_path, capsys):
    save(volume("HU", CT), tmp_path / "a.nii.gz")
    command = ["dicom", "write", str(tmp_path / "a.nii.gz"), str(tmp_path / "a.dcm")]
    assert main(command) == USER_FAULT
    assert "the output must end with .dicom" in capsys.readouterr().err
    assert main([*command, "--enhanced"]) == DONE
    assert "a.dcm (4 slices)" in capsys.readouterr().out
    assert main([*command, "--enhanced"]) == USER_FAULT, "it exists"


@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
@pytest.mark.parametrize("info", [CT, {}])
def test_dciodvfy_finds_no_error(tmp_path: Path, info: dict[str, object]):
    write_enhanced(volume("HU", info), tmp_path / "a.dcm", info)
    done = subprocess.run(
        [CHECKER or "", "-new", str(tmp_path / "a.dcm")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "EnhancedCTImage" in done.stderr and "Error" not in done.stderr, done.stderr

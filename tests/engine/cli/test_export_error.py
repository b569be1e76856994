"""Tests of `isocenter export --error`, which exports the standard deviation."""

from __future__ import annotations

from pathlib import Path

import nibabel
import nrrd
import numpy as np
import pydicom
import pytest
import tifffile

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.data.error_map import ErrorMap
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_frames, read_volume, save, save_frames

GRID = ImageGrid((3, 4, 5), (2.0, 2.0, 3.0))


def image(rng: np.random.Generator, *, with_error: bool = True) -> Volume:
    values = rng.uniform(1, 2, GRID.shape).astype(np.float32)
    noisy = [values + rng.normal(0, 0.1, GRID.shape).astype(np.float32) for _ in range(8)]
    error = ErrorMap.of(values, noisy, seed=1) if with_error else None
    info = {"format": "isocenter-provenance-1", "inputs": {"data": {"sha256": "a" * 64}}}
    return Volume(values, GRID, "Bq/mL", info, error=error)


def spread(volume: Volume) -> np.ndarray:
    assert volume.error is not None
    return volume.error.standard_deviation


def test_standard_deviation_is_exported_as_a_volume(rng, tmp_path: Path) -> None:
    volume = image(rng)
    save(volume, tmp_path / "image.h5")

    assert (
        main(["export", str(tmp_path / "image.h5"), str(tmp_path / "sd.nii.gz"), "--error"]) == DONE
    )

    found = read_volume(tmp_path / "sd.nii.gz")
    np.testing.assert_allclose(found.values, spread(volume), rtol=1e-6)
    assert found.unit == "Bq/mL"


def test_error_series_states_its_quantity_in_dicom(rng, tmp_path: Path) -> None:
    save(image(rng), tmp_path / "image.h5")
    for name, more in (("image.dicom", []), ("sd.dicom", ["--error"])):
        assert main(["export", str(tmp_path / "image.h5"), str(tmp_path / name), *more]) == DONE

    one, other = (
        pydicom.dcmread(next((tmp_path / name).glob("*.dcm")))
        for name in ("image.dicom", "sd.dicom")
    )
    assert one.StudyInstanceUID == other.StudyInstanceUID
    assert one.SeriesInstanceUID != other.SeriesInstanceUID
    assert one.FrameOfReferenceUID == other.FrameOfReferenceUID
    # PS3.3 C.7.6.1.1.2: the pixels are derived from other images, the replicates.
    assert (one.ImageType[0], other.ImageType[0]) == ("ORIGINAL", "DERIVED")
    assert other.DerivationDescription == "standard deviation from 8 replicates"
    assert "DerivationDescription" not in one
    assert "standard deviation" not in one.SeriesDescription
    assert "standard deviation from 8 replicates" in other.SeriesDescription


def test_error_series_gets_the_patient_of_the_image(rng, tmp_path: Path) -> None:
    """If a clinical image is given, both series belong to its patient and study."""
    save(image(rng), tmp_path / "image.h5")
    save(image(rng), tmp_path / "clinic.dicom")
    like = next((tmp_path / "clinic.dicom").glob("*.dcm"))
    named = pydicom.dcmread(like)
    named.PatientName, named.PatientID = "Test^Patient", "123"
    named.save_as(tmp_path / "like.dcm")
    command = ["dicom", "write", str(tmp_path / "image.h5")]

    for name, more in (("image.dicom", []), ("sd.dicom", ["--error"])):
        target = [str(tmp_path / name), "--like", str(tmp_path / "like.dcm"), *more]
        assert main([*command, *target]) == DONE

    one, other = (
        pydicom.dcmread(next((tmp_path / name).glob("*.dcm")))
        for name in ("image.dicom", "sd.dicom")
    )
    assert {str(each.PatientID) for each in (one, other)} == {"123"}
    assert one.StudyInstanceUID == other.StudyInstanceUID == named.StudyInstanceUID
    assert one.SeriesInstanceUID != other.SeriesInstanceUID
    assert (one.ImageType[0], other.ImageType[0]) == ("ORIGINAL", "DERIVED")


def test_frames_of_the_error_image_have_their_times(rng, tmp_path: Path) -> None:
    volumes = [image(rng) for _ in range(2)]
    frames = [
        FrameVolume(TimeFrame(1000 * k, 1000 * (k + 1)), each) for k, each in enumerate(volumes)
    ]
    save_frames(image(rng), frames, tmp_path / "frames.h5", {})

    assert (
        main(["export", str(tmp_path / "frames.h5"), str(tmp_path / "sd.nii"), "--error"]) == DONE
    )

    found = read_frames(tmp_path / "sd.nii")
    assert [each.frame for each in found] == [each.frame for each in frames]
    for each, volume in zip(found, volumes, strict=True):
        np.testing.assert_allclose(each.volume.values, spread(volume), rtol=1e-6)


TEXT = "standard deviation from 8 replicates"


def described(path: Path) -> str:
    with tifffile.TiffFile(path) as file:
        return file.pages[0].description


def test_nifti_states_an_estimate_of_the_standard_deviation(rng, tmp_path: Path) -> None:
    """NIfTI-1: intent 1001 is an estimate of the parameter in `intent_name`."""
    save(image(rng), tmp_path / "image.h5")
    for name, more in (("image.nii.gz", []), ("sd.nii.gz", ["--error"])):
        assert main(["export", str(tmp_path / "image.h5"), str(tmp_path / name), *more]) == DONE

    one, other = (nibabel.load(tmp_path / f"{name}.nii.gz").header for name in ("image", "sd"))

    assert int(other["intent_code"]) == 1001 and other.get_intent()[2] == "standard deviat"
    assert other["descrip"].item().decode() == f"unit Bq/mL; {TEXT}; not for clinical use"
    assert int(one["intent_code"]) == 0
    assert one["descrip"].item().decode() == "unit Bq/mL; Isocenter, not for clinical use"


@pytest.mark.parametrize(
    "ending", [".mha", ".nrrd", ".hv", ".tif", ".ome.tif", ".ome.zarr", ".h5", ".nii"]
)
def test_every_format_states_the_quantity_and_reads_back(rng, tmp_path: Path, ending: str) -> None:
    volume = image(rng)
    save(volume, tmp_path / "image.h5")
    path = tmp_path / f"sd{ending}"

    assert main(["export", str(tmp_path / "image.h5"), str(path), "--error"]) == DONE

    found = read_volume(path)
    # 16-bit TIFF has 65,535 steps between minimum and maximum.
    np.testing.assert_allclose(found.values, spread(volume), atol=1e-5, rtol=1e-6)
    assert (found.unit, found.quantity) == ("Bq/mL", TEXT)
    stated = {
        ".mha": lambda: path.read_bytes().decode("latin-1").partition("Comment = ")[2],
        ".nrrd": lambda: nrrd.read_header(str(path))["content"],
        ".hv": lambda: path.read_text(),
        ".tif": lambda: described(path),
        ".ome.tif": lambda: described(path),
        ".ome.zarr": lambda: (path / "zarr.json").read_text(),
        ".h5": lambda: str(found.info),
        ".nii": lambda: nibabel.load(path).header["descrip"].item().decode(),
    }[ending]()
    assert TEXT in stated


def test_foreign_quantity_text_cannot_break_a_header(rng, tmp_path: Path) -> None:
    info = {"quantity": 'noise"; x\nElementDataFile = other.raw\n' + 200 * "a"}
    volume = Volume(rng.random(GRID.shape, np.float32), GRID, "Bq/mL", info)
    assert len(volume.quantity) == 60

    for ending in (".mha", ".nrrd", ".hv", ".nii"):
        save(volume, tmp_path / f"a{ending}")
        np.testing.assert_array_equal(read_volume(tmp_path / f"a{ending}").values, volume.values)


@pytest.mark.parametrize("ending", [".nii.gz", ".mha", ".dicom", ".h5"])
def test_format_without_error_map_states_the_loss(
    rng, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    for name, with_error in (("with", True), ("plain", False)):
        save(image(rng, with_error=with_error), tmp_path / f"{name}.h5")

        assert (
            main(["export", str(tmp_path / f"{name}.h5"), str(tmp_path / f"{name}2{ending}")])
            == DONE
        )

        noted = (
            "This format stores no error map. Save the image as .h5, too."
            in capsys.readouterr().err
        )
        assert noted is (with_error and ending != ".h5")


def test_image_without_error_map_is_refused(
    rng, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(image(rng, with_error=False), tmp_path / "image.h5")

    code = main(["export", str(tmp_path / "image.h5"), str(tmp_path / "sd.nii.gz"), "--error"])

    assert code == USER_FAULT
    assert "the image has no error map" in capsys.readouterr().err
    assert not (tmp_path / "sd.nii.gz").exists()

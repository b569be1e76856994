"""`isocenter export --error`: the standard deviation as an image of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pydicom
import pytest

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


def test_the_standard_deviation_becomes_a_volume(rng, tmp_path: Path) -> None:
    made = image(rng)
    save(made, tmp_path / "image.h5")

    assert (
        main(["export", str(tmp_path / "image.h5"), str(tmp_path / "sd.nii.gz"), "--error"]) == DONE
    )

    found = read_volume(tmp_path / "sd.nii.gz")
    np.testing.assert_allclose(found.values, spread(made), rtol=1e-6)
    assert found.unit == "Bq/mL"


def test_a_second_dicom_series_says_what_it_shows(rng, tmp_path: Path) -> None:
    save(image(rng), tmp_path / "image.h5")
    for name, more in (("image.dicom", []), ("sd.dicom", ["--error"])):
        assert main(["export", str(tmp_path / "image.h5"), str(tmp_path / name), *more]) == DONE

    one, other = (
        pydicom.dcmread(next((tmp_path / name).glob("*.dcm")))
        for name in ("image.dicom", "sd.dicom")
    )
    assert one.StudyInstanceUID == other.StudyInstanceUID
    assert one.SeriesInstanceUID != other.SeriesInstanceUID
    assert "standard deviation" not in one.SeriesDescription
    assert "standard deviation from 8 replicates" in other.SeriesDescription


def test_frames_keep_their_times(rng, tmp_path: Path) -> None:
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
    for each, made in zip(found, volumes, strict=True):
        np.testing.assert_allclose(each.volume.values, spread(made), rtol=1e-6)


def test_an_image_without_error_map_is_refused(
    rng, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(image(rng, with_error=False), tmp_path / "image.h5")

    code = main(["export", str(tmp_path / "image.h5"), str(tmp_path / "sd.nii.gz"), "--error"])

    assert code == USER_FAULT
    assert "the image has no error map" in capsys.readouterr().err
    assert not (tmp_path / "sd.nii.gz").exists()

"""Real PET, CT and MR series open next to hostile files. The hostile files are named."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pydicom
import pytest

from engine.core.errors import EngineError
from engine.io import read_volume
from tests.engine.io.dicom.hostile_dicom import HOSTILE, SEEDS, Hostile

pytestmark = pytest.mark.filterwarnings("ignore:The value length:UserWarning")
BAD = "bad.dcm"
SLOW = ("endless sequence", "8 GiB sparse")
FAST = [each for each in HOSTILE if each.name not in SLOW]


@pytest.fixture
def copied(request: pytest.FixtureRequest, shared_data: Path, tmp_path: Path) -> Path:
    """Return a copy of a series, to which other files can be added."""
    found = shared_data / "pet-dicom-sts" / "STS_025" / request.param / "image"
    if not found.is_dir():
        pytest.skip("the clinical series of ../shared/data are not on this machine")
    folder = shutil.copytree(found, tmp_path / "series")
    folder.chmod(0o755)
    return folder


def positions(folder: Path) -> np.ndarray:
    """Return values of all slices, read by pydicom and sorted by position."""
    slices = [pydicom.dcmread(path) for path in folder.iterdir()]
    slices.sort(key=lambda each: float(each.ImagePositionPatient[2]))
    return np.stack([
        float(one.get("RescaleIntercept", 0)) + float(one.get("RescaleSlope", 1)) * one.pixel_array
        for one in slices
    ])  # fmt: skip


def check(folder: Path, hostile: Hostile, seed: int, expected: np.ndarray) -> None:
    """Open a series next to a hostile file, and open the hostile file itself."""
    bad, good = folder / BAD, folder / "000001.dcm"
    hostile.make(bad, folder / "000004.dcm", np.random.default_rng(seed))
    found = read_volume(good)
    np.testing.assert_allclose(found.values, expected, rtol=1e-6, atol=1e-6)
    assert any(BAD in note and note.startswith("Ignored") for note in found.notes)
    # In this case a complete copy of the slice exists.
    if hostile.name != "copy cut in the pixels":
        with pytest.raises(EngineError, match=BAD):
            read_volume(bad)
    bad.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("copied", ["PET"], indirect=True)
def test_real_series_opens_next_to_hostile_files(copied: Path) -> None:
    expected = positions(copied)
    for hostile in FAST:
        if hostile.name != "no permission" or os.geteuid() != 0:
            check(copied, hostile, SEEDS[0], expected)


@pytest.mark.slow
@pytest.mark.parametrize("copied", ["PET", "CT", "MR_T1"], indirect=True)
def test_real_series_opens_next_to_every_hostile_file_and_seed(copied: Path) -> None:
    expected, n = positions(copied), 0
    for hostile in HOSTILE:
        if hostile.name == "no permission" and os.geteuid() == 0:
            continue
        for seed in SEEDS if hostile.is_random else SEEDS[:1]:
            check(copied, hostile, seed, expected)
            n += 1
    assert n >= 26


def test_copied_slice_and_files_without_a_preamble_open(shared_data: Path) -> None:
    cases = shared_data / "cases-3"
    if not (cases / "10-copied-slice").is_dir():
        pytest.skip("the cases of ../shared/data are not on this machine")
    copied = read_volume(cases / "10-copied-slice")
    assert copied.grid.shape[0] == 16
    (note,) = copied.notes
    assert "im009 (1).dcm: this is a copy of im009.dcm" in note
    for path in (cases / "10-no-preamble", cases / "10-no-preamble" / "im000.dcm"):
        found = read_volume(path)
        assert found.grid.shape == (16, 48, 48) and found.unit == "HU" and not found.notes
        hot = np.argwhere(found.values > (found.values.min() + found.values.max()) / 2)
        z, y, x = hot.mean(axis=0)
        centre = [found.grid.centres_mm(k)[0] + v * found.grid.voxel_mm[k] for k, v in
                  ((0, x), (1, y), (2, z))]  # fmt: skip
        # The ball of this case is at (10, -15, 20) mm; the tolerance is half a voxel.
        assert centre == pytest.approx([10, -15, 20], abs=max(found.grid.voxel_mm) / 2)

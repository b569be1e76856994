"""Tests of `isocenter mu-map`: units, tissue classes, and objects around the patient."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.io.auxiliary.mu_map import TISSUES_PER_MM
from tests.engine.io.dicom.dicom_files import write_series

GRID = ImageGrid((6, 8, 10), (4.0, 4.0, 5.0), (2.0, 0.0, -10.0))
AFFINE = np.array([[3.0, 0, 0, -15], [0, 3.0, 0, -15], [0, 0, 3.0, -15], [0, 0, 0, 1]])


def water(grid: ImageGrid = GRID, value: float = 0.0096) -> Volume:
    values = np.zeros(grid.shape, np.float32)
    values[1:-1, 1:-1, 1:-1] = value
    return Volume(values, grid, "1/mm")


def test_tissue_classes_become_attenuation(tmp_path: Path) -> None:
    classes = np.arange(480, dtype=np.float32).reshape(GRID.shape) % 4
    save(Volume(classes, GRID, ""), tmp_path / "mr.nii")
    command = ["mu-map", str(tmp_path / "mr.nii"), str(tmp_path / "mu.h5")]
    assert main([*command, "--classes", "1=lung,2=0.0085,3=soft"]) == DONE
    table = np.array([0, TISSUES_PER_MM["lung"], 0.0085, TISSUES_PER_MM["soft"]], np.float32)
    found = read_volume(tmp_path / "mu.h5")
    assert np.array_equal(found.values, table[classes.astype(int)]) and found.unit == "1/mm"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--classes", "1=lung"], r"for the classes 2, 3 \(classes: 2, voxels: 240\); add"),
        (["--classes", "1=wood,2=1,3=1"], "'1=wood' is not valid"),
        (["--classes", "1=96,2=1,3=1"], "the attenuation is 96 per mm, expected 0 to 1"),
        ([], "do not look like attenuation. Give the unit"),
        (["--unit", "HU", "--kvp", "40"], "the tube voltage is 40 kV"),
    ],
)
def test_image_that_is_not_a_mu_map_is_refused(tmp_path: Path, capsys, options, message) -> None:
    classes = np.arange(480, dtype=np.float32).reshape(GRID.shape) % 4
    save(Volume(classes, GRID, ""), tmp_path / "mr.nii")
    command = ["mu-map", str(tmp_path / "mr.nii"), str(tmp_path / "mu.h5"), *options]
    assert main(command) == USER_FAULT
    error = capsys.readouterr().err
    assert not (tmp_path / "mu.h5").exists()
    assert re.search(message, error), error


def test_bed_is_added_at_its_position(tmp_path: Path) -> None:
    """The bed has larger voxels, in 1/cm, and is half outside the map: no attenuation is lost."""
    bed_grid = ImageGrid((6, 4, 10), (8.0, 8.0, 5.0), (2.0, 20.0, -10.0))
    bed = Volume(np.zeros(bed_grid.shape, np.float32), bed_grid, "1/cm")
    bed.values[1:-1, 1:3, 2:-2] = 0.05
    save(water(), tmp_path / "mu.h5")
    save(bed, tmp_path / "bed.h5")
    outputs = [str(tmp_path / name) for name in ("mu.h5", "both.h5")]
    assert main(["mu-map", *outputs, "--add", str(tmp_path / "bed.h5")]) == DONE
    both = read_volume(tmp_path / "both.h5")
    matter = [float(v.values.sum(dtype=float) * np.prod(v.grid.voxel_mm)) for v in (both, water())]
    added = float(bed.values.sum(dtype=float) / 10 * np.prod(bed_grid.voxel_mm))
    assert matter[0] == pytest.approx(matter[1] + added, rel=1e-5)
    assert both.grid.voxel_mm == GRID.voxel_mm
    assert both.values[both.grid.index_of((2.0, 0.0, -10.0))] == np.float32(0.0096)
    assert both.values[both.grid.index_of((2.0, 20.0, -10.0))] == pytest.approx(0.005)


def test_maps_of_two_patients_are_never_added(tmp_path: Path, capsys) -> None:
    def ball(p: np.ndarray) -> np.ndarray:
        return np.where(np.linalg.norm(p, axis=-1) < 12, 0.0, -1000.0)

    for prefix in ("one", "two"):
        write_series(tmp_path / prefix, affine=AFFINE, shape=(11, 11, 11), field=ball,
                     prefix=prefix, PatientID=prefix)  # fmt: skip
    command = ["mu-map", str(tmp_path / "one"), str(tmp_path / "mu.h5")]
    assert main([*command, "--add", str(tmp_path / "two")]) == USER_FAULT
    assert "different patients" in capsys.readouterr().err
    assert not (tmp_path / "mu.h5").exists()
    assert main([*command, "--add", str(tmp_path / "one"), "--kvp", "120"]) == DONE
    text = (tmp_path / "mu.h5").read_bytes()
    assert b"one" not in text.replace(b"none", b""), "the map contains a patient ID"


def test_siemens_mr_map_is_recognised_by_its_series_name(tmp_path: Path) -> None:
    write_series(
        tmp_path / "mr", affine=AFFINE, shape=(11, 11, 11), kind="MR",
        field=lambda p: np.where(np.linalg.norm(p, axis=-1) < 12, 1000.0, 0.0),
        SeriesDescription="Head_MRAC_PET_UMAP",
    )  # fmt: skip
    assert main(["mu-map", str(tmp_path / "mr"), str(tmp_path / "mu.h5")]) == DONE
    assert read_volume(tmp_path / "mu.h5").values.max() == np.float32(0.01)

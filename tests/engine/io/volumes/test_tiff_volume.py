"""Tests of volumes stored as integers: values are exact to half a step."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import tifffile

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.auxiliary.provenance_file import sidecar_path
from engine.io.tiff.volume import STEPS, scaled

SHAPE = (5, 7, 9)


def volumes() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(20240229)
    noise = rng.standard_normal(SHAPE).astype(np.float32)
    return {
        "of both signs": noise,
        "of counts": rng.poisson(5, SHAPE).astype(np.float32),
        "all zero": np.zeros(SHAPE, np.float32),
        "all the same": np.full(SHAPE, -3.25, np.float32),
        "below zero": -np.abs(noise) - 1000,
        "in Hounsfield units": (noise * 800 - 1000).astype(np.float32),
        "tiny": noise * np.float32(1e-30),
        "huge": noise * np.float32(1e37),
        "almost the same": np.float32(1) + noise * np.float32(1e-7),
        "of two values": (noise > 0).astype(np.float32),
        "with one slice of zeros": np.where(np.arange(5)[:, None, None] == 2, 0, noise),
    }


@pytest.mark.parametrize("name", volumes())
def test_values_are_exact_to_half_a_step(tmp_path: Path, name: str) -> None:
    values = volumes()[name].astype(np.float32)
    grid = ImageGrid(SHAPE, (1.0, 2.0, 3.0))
    save(Volume(values, grid, "counts/mm"), tmp_path / "a.tif")
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        report = json.loads(file.pages[0].description)
        numbers = np.stack([page.asarray() for page in file.pages])
    assert numbers.dtype == np.uint16 and numbers.shape == SHAPE
    back = report["offset"] + report["slope"] * numbers.astype(np.float64)
    half = report["slope"] / 2
    # 1e-9: the sum with numbers up to 65,535 times larger is rounded.
    assert np.abs(back - values).max() <= half * (1 + 1e-9) + 1e-15 * float(np.abs(values).max())
    if np.ptp(values):
        assert (numbers.min(), numbers.max()) == (0, STEPS), "the full range of integers is used"
    else:
        assert (back == values).all() and report["slope"] == 1


def test_smallest_and_largest_value_are_restored() -> None:
    values = volumes()["of both signs"]
    numbers, slope, offset = scaled(values)
    back = offset + slope * numbers.astype(np.float64)
    assert back.min() == values.min()
    assert back.max() == pytest.approx(values.max(), rel=1e-12)


def test_scale_is_in_the_file_and_provenance_in_the_sidecar(
    tmp_path: Path,
) -> None:
    grid = ImageGrid(SHAPE, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    save(Volume(volumes()["of counts"], grid, "Bq/mL"), tmp_path / "a.tif", {"of": "a"})
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        report = json.loads(file.pages[0].description)
    assert (report["unit"], report["axes"]) == ("Bq/mL", "z, y, x; LPS")
    assert (report["voxel_mm"], report["centre_mm"]) == ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    sidecar = json.loads(sidecar_path(tmp_path / "a.tif").read_text())
    assert sidecar["provenance"] == {"of": "a"}


@pytest.mark.parametrize("ending", [".tif", ".mha"])
def test_same_volume_gives_the_same_bytes(tmp_path: Path, phantom: Volume, ending: str) -> None:
    for name in "ab":
        save(phantom, tmp_path / f"{name}{ending}")
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()

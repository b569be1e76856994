"""Tests of MATLAB files of the Helsinki Tomography Challenge, synthetic and real."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

from engine.core.errors import EngineError, FileFormatError, UnknownFormatError
from engine.io import inspect, read_projections
from engine.io.xray import htc
from tests.engine.io.xray.xray_files import STEP, N

PIXELS = 7


def write(folder: Path, *, name: str = "CtDataFull", n: int = N, **changes: Any) -> Path:
    parameters = {
        "distanceSourceOrigin": 410.0,
        "distanceSourceDetector": 550.0,
        "pixelSizePost": 0.2,
        "numDetectorsPost": np.uint16(PIXELS),
        "angles": np.arange(n) * STEP,
        "measurers": "A. Person",
        "voltage": "45",
        **changes,
    }
    sinogram = np.arange(n * PIXELS).reshape(n, PIXELS) / 100
    path = folder / "disc.mat"
    data = {"type": "2D", "sinogram": sinogram, "parameters": parameters}
    scipy.io.savemat(path, {name: data}, do_compression=True)
    return path


@pytest.mark.parametrize("name", ["CtDataFull", "CtDataLimited"])
def test_sinogram_and_parameters_are_read(tmp_path: Path, name: str) -> None:
    data = read_projections(write(tmp_path, name=name))
    assert data.shape == (N, 1, PIXELS)
    assert np.allclose(data.values[:, 0].ravel(), np.arange(N * PIXELS) / 100)
    assert data.kind == "integrals"
    assert np.allclose(data.geometry.source_axis_mm, 410)
    assert "A. Person" not in str(data.info)


def test_repeated_last_view_is_left_out(tmp_path: Path) -> None:
    assert read_projections(write(tmp_path, n=N + 1)).n_views == N


def test_point_is_projected_as_in_the_published_image(shared_data: Path) -> None:
    """The formula in the README of the data reproduces the published image."""
    path = shared_data / "ct-fan-htc2022" / "htc2022_01a_full.mat"
    data = read_projections(path)
    assert data.shape == (720, 1, 560)
    x, y = 13.0, -7.0
    b = -np.deg2rad(np.arange(720) / 2)
    t, depth = x * np.cos(b) + y * np.sin(b), 410.66 - (-x * np.sin(b) + y * np.cos(b))
    column = 410.66 * t / depth / (0.2 * 410.66 / 553.74) + 279.5
    assert np.allclose(data.geometry.project((x, y, 0))[:, 0], column)


def test_limited_sinogram_is_the_first_part_of_the_full_one(shared_data: Path) -> None:
    folder = shared_data / "ct-fan-htc2022"
    full, limited = (read_projections(folder / f"htc2022_01a_{k}.mat") for k in ("full", "limited"))
    assert limited.n_views == 181
    assert np.allclose(limited.geometry.u_mm, full.geometry.u_mm[:181])
    assert np.allclose(limited.values, full.values[:181])


def test_reconstruction_is_not_a_scan(shared_data: Path) -> None:
    path = shared_data / "ct-fan-htc2022" / "htc2022_01a_recon_fbp.mat"
    with pytest.raises(UnknownFormatError, match="MATLAB 5 file without a voxel size"):
        read_projections(path)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"angles": np.arange(N - 1.0)}, "projections is 12, but the number of angles is 11"),
        (
            {"angles": np.deg2rad(np.arange(N) * STEP)},
            "In radians they span 330°, .* The format requires degrees",
        ),
        ({"distanceSourceOrigin": 600.0}, "the axis must be between the source"),
        ({"distanceSourceOrigin": "far"}, "'distanceSourceOrigin' contains no numbers"),
        ({"pixelSizePost": -1.0}, "'pixelSizePost' is -1"),
        ({"numDetectorsPost": 9}, "has 7 pixels, but its parameters state 9"),
    ],
)
def test_fault_gives_one_sentence(tmp_path: Path, changes: dict[str, Any], match: str) -> None:
    with pytest.raises(EngineError, match=match):
        read_projections(write(tmp_path, **changes))


def test_file_without_its_struct_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "disc.mat"
    scipy.io.savemat(path, {"CtDataFull": np.eye(3)})
    with pytest.raises(FileFormatError, match="not stored as a single struct"):
        read_projections(path)
    scipy.io.savemat(path, {"CtDataFull": {"sinogram": np.eye(3)}})
    with pytest.raises(FileFormatError, match="no field 'parameters'"):
        read_projections(path)


@pytest.mark.parametrize("keep", [130, 200, 400])
def test_truncated_file_is_a_fault(tmp_path: Path, keep: int) -> None:
    path = write(tmp_path)
    path.write_bytes(path.read_bytes()[:keep])
    assert not inspect(path).usable


def test_decompression_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    monkeypatch.setattr(htc, "MAX_BYTES", 1000)
    with pytest.raises(FileFormatError, match="decompresses to more than 1,000"):
        read_projections(path)


def test_empty_compressed_variable_is_damage(tmp_path: Path) -> None:
    path, packed = write(tmp_path), zlib.compress(b"")
    path.write_bytes(path.read_bytes()[:128] + struct.pack("<II", 15, len(packed)) + packed)
    with pytest.raises(FileFormatError, match="a compressed variable is empty"):
        read_projections(path)

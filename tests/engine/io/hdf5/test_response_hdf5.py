"""Tests of response matrix files: round trips, and refusal of damage and of other scanners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import (
    EngineError,
    FileFormatError,
    GeometryError,
    SettingsError,
    UnknownFormatError,
)
from engine.data.response import ResponseMatrix
from engine.io import inspect, read_histogram, read_listmode, read_scanner, read_volume
from engine.io.hdf5.response import COLUMNS, is_response, read_response, write_response
from engine.io.safety.open_input import open_input
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from tests.engine.geometry.panels import panels

FAST = AnalyticResponse(n_points=256)


@pytest.fixture(scope="module")
def matrix() -> ResponseMatrix:
    return build_analytic(panels(), FAST)


@pytest.fixture
def path(matrix: ResponseMatrix, tmp_path: Path) -> Path:
    write_response(matrix, tmp_path / "tiny.h5")
    return tmp_path / "tiny.h5"


def test_matrix_is_restored(matrix: ResponseMatrix, path: Path) -> None:
    found = read_response(path, panels())
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(found, name), getattr(matrix, name))
        assert getattr(found, name).dtype == getattr(matrix, name).dtype
    assert found.scanner.settings == matrix.scanner.settings
    assert found.info == matrix.info
    with open_input(path) as file:
        assert is_response(file)


def test_file_has_four_bytes_per_value(path: Path, matrix: ResponseMatrix) -> None:
    assert path.stat().st_size < 4 * matrix.n_nonzero + 100_000


@pytest.mark.parametrize(
    ("name", "place", "value", "sentence"),
    [
        ("starts", 0, 1, "the row starts run from"),
        ("starts", -1, 7, "the row starts run from"),
        ("starts", 3, 10**6, "the row starts run from"),
        ("places", 5, 60_000, "some voxel positions are outside the window"),
        ("windows", 2, 0, "some voxel positions are outside the window"),
        ("windows", 3, -1, "some voxel positions are outside the window"),
        ("values", 9, np.nan, "the dataset 'values' contains values from"),
        ("values", 9, np.inf, "the dataset 'values' contains values from"),
        ("values", 9, -0.1, "the dataset 'values' contains values from"),
        ("scales", 1, np.nan, "the dataset 'scales' contains values from"),
    ],
)
def test_invalid_matrix_of_another_program_is_refused(
    matrix: ResponseMatrix, tmp_path: Path, name: str, place: int, value: float, sentence: str
) -> None:
    column = getattr(matrix, name).copy()
    column.flat[place] = value
    write_response(replace(matrix, **{name: column}), tmp_path / "wrong.h5")
    with pytest.raises(FileFormatError, match=rf"wrong\.h5: {sentence}"):
        read_response(tmp_path / "wrong.h5")


@pytest.mark.parametrize("read", [read_listmode, read_histogram, read_volume])
def test_matrix_is_refused_as_scan_or_volume(path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(UnknownFormatError, match=r"tiny.h5: this is a dual-head response"):
        read(path)


@pytest.mark.parametrize("name", list(COLUMNS))
def test_changed_column_is_named(path: Path, name: str) -> None:
    with h5py.File(path, "r+") as file:
        item = file[f"response/{name}"]
        values = item[()]
        values.flat[-1] += 1
        item[...] = values
    with pytest.raises(FileFormatError, match=f"{name}' has changed since it was written"):
        read_response(path)


@pytest.mark.parametrize("part", [0.3, 0.9, 0.99])
def test_truncated_file_is_refused(path: Path, part: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(FileFormatError, match=r"truncated|damaged"):
        read_response(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"thickness_mm": 5.0}, "matrix is for 'tiny panels', but the scan is from"),
        ({"n_rows": 6}, "two panels of 5 × 3 crystals.*two panels of 6 × 3 crystals"),
        (
            {"voxels_per_pitch": 2},
            "grid of the matrix .0.5 × 1 × 0.5 mm.*of the scanner .1 mm",
        ),
        ({"n_planes": 5}, "12 × 7 × 20. differs from that of the scanner .*12 × 5 × 20"),
    ],
)
def test_matrix_of_another_scanner_is_refused(
    path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(GeometryError, match=message):
        read_response(path, panels(**changes))


def test_renamed_scanner_is_the_same_scanner(path: Path) -> None:
    read_response(path, panels(name="renamed"))


def test_volume_is_refused_as_a_matrix(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file.attrs["format"] = np.bytes_("isocenter-volume")
    with pytest.raises(FileFormatError, match="'isocenter-volume', expected 'isocenter-response'"):
        read_response(tmp_path / "v.h5")


class StopError(Exception):
    """Raised when a user stops the computation."""


def test_interrupted_build_continues(tmp_path: Path) -> None:
    scanner, path = read_scanner("demo-panels"), tmp_path / "demo.h5"
    progress: list[int] = []

    def stop(done: int, total: int) -> None:
        progress.append(done)
        if done > 0:
            raise StopError

    settings = AnalyticResponse(n_points=1 << 12, scatter=False)
    with pytest.raises(StopError):
        build_analytic(scanner, settings, path, on_progress=stop)
    parts = sorted((tmp_path / "demo.h5.parts").glob("*.npz"))
    assert not path.exists()
    assert 0 < len(parts) < 9
    with pytest.raises(FileFormatError, match=r"demo.h5: this matrix is incomplete"):
        read_response(path)
    assert "is incomplete" in inspect(path).faults[0]

    untouched = {part: part.stat().st_mtime_ns for part in parts[1:]}
    parts[0].write_bytes(parts[0].read_bytes()[:100])  # a damaged part is computed again
    build_analytic(scanner, settings, path, on_progress=lambda done, total: progress.append(total))
    assert not (tmp_path / "demo.h5.parts").exists()
    assert untouched.keys() <= set(parts)
    assert progress[-1] == 9
    np.testing.assert_array_equal(
        read_response(path).values, build_analytic(scanner, settings).values
    )


def test_parts_of_another_matrix_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "tiny.h5.parts"
    folder.mkdir()
    (folder / "plan.json").write_text("{}")
    with pytest.raises(SettingsError, match="parts of a matrix for another scanner or with other"):
        build_analytic(panels(), FAST, tmp_path / "tiny.h5")


def test_missing_folder_is_named_before_the_computation(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="does not exist"):
        build_analytic(panels(), FAST, tmp_path / "none" / "tiny.h5")

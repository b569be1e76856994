"""Tests of crystal efficiency files: one value per crystal, none negative, not all zero."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import DataError, EngineError, FileFormatError, GeometryError
from engine.geometry.ring import RingScanner
from engine.io import read_efficiencies


@pytest.fixture
def values(ring: RingScanner) -> np.ndarray:
    return np.linspace(0, 2, ring.n_crystals).astype(np.float32)


def listed(folder: Path, values: object) -> Path:
    path = folder / "eff.txt"
    path.write_text("# efficiencies\n" + "\n".join(str(v) for v in values) + "\n")  # type: ignore[attr-defined]
    return path


def test_list_is_read(tmp_path: Path, ring: RingScanner, values: np.ndarray) -> None:
    found = read_efficiencies(listed(tmp_path, values), ring)
    np.testing.assert_array_equal(found, values)
    assert found.dtype == np.float32


def test_numbered_rows_are_read_in_any_order(
    tmp_path: Path, ring: RingScanner, values: np.ndarray, rng: np.random.Generator
) -> None:
    order = rng.permutation(len(values))
    path = listed(tmp_path, [f"{k}, {values[k]}" for k in order])
    np.testing.assert_array_equal(read_efficiencies(path, ring), values)


def test_dataset_is_read(tmp_path: Path, ring: RingScanner, values: np.ndarray) -> None:
    with h5py.File(tmp_path / "eff.h5", "w") as file:
        file["crystal_efficiencies"] = values.astype(np.float64)
    np.testing.assert_array_equal(read_efficiencies(tmp_path / "eff.h5", ring), values)


@pytest.mark.parametrize(
    ("edit", "kind", "message"),
    [
        (lambda v: v[:-1], GeometryError, "efficiencies is 47, but 'Tiny' has 48 crystals"),
        (lambda v: [*v[:-1], np.nan], DataError, r"1 of 48 values .* \[47\]"),
        (lambda v: [*v[:-1], -0.5], DataError, "crystal 47 is -0.5"),
        (lambda v: 0 * v, DataError, "all efficiencies are 0"),
        (
            lambda v: [*v[:-1], "good"],
            FileFormatError,
            "line 49: contains 'good', expected only numbers",
        ),
        (
            lambda v: [*v[:-1], "1 2"],
            FileFormatError,
            "line 49: the number of columns is 2, expected 1",
        ),
        (lambda v: [f"{k} 1" for k in range(47)] + ["3 1"], FileFormatError, "line 49: crystal 3"),
        (lambda v: [f"{k} 1" for k in range(1, 49)], FileFormatError, "line 49: crystal 48"),
        (lambda v: [], FileFormatError, "contains no efficiencies"),
    ],
)
def test_faulty_efficiencies_are_refused_with_the_reason(
    tmp_path: Path,
    ring: RingScanner,
    values: np.ndarray,
    edit: object,
    kind: type[EngineError],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        read_efficiencies(listed(tmp_path, edit(values)), ring)  # type: ignore[operator]


def test_dataset_with_another_name_is_refused(tmp_path: Path, ring: RingScanner) -> None:
    with h5py.File(tmp_path / "eff.h5", "w") as file:
        file["other"] = np.ones(48)
    with pytest.raises(FileFormatError, match="no dataset 'crystal_efficiencies'"):
        read_efficiencies(tmp_path / "eff.h5", ring)

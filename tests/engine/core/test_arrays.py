"""Tests of array modules and of tables copied to a device."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from engine.core import arrays
from engine.core.arrays import Tables, as_supported, finite_range, module_of, release_pages, to_host
from engine.core.backend import Backend

TABLE = np.arange(5.0)


def test_module_of_each_array_is_found(device: Backend) -> None:
    assert module_of(TABLE) is np
    assert module_of(device.to_device(TABLE)) is device.xp


class Foreign:
    """A foreign array that supports only DLPack."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def __dlpack__(self, **options: object) -> object:
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._values.__dlpack_device__()


def test_foreign_arrays_are_converted_without_a_copy() -> None:
    values = np.arange(6.0).reshape(2, 3)

    found = as_supported(Foreign(values))

    assert type(found) is np.ndarray
    assert np.shares_memory(found, values)


def test_supported_arrays_are_returned_unchanged(device: Backend) -> None:
    there = device.to_device(TABLE)

    assert as_supported(TABLE) is TABLE
    assert as_supported(there) is there
    assert type(to_host(there)) is np.ndarray
    assert to_host(TABLE) is TABLE


def test_table_on_the_host_is_not_copied() -> None:
    assert Tables().like(np.arange(2), TABLE) is TABLE


def test_table_is_copied_to_a_device_once(device: Backend) -> None:
    tables, there = Tables(), device.to_device(np.arange(2))

    copy = tables.like(there, TABLE)

    np.testing.assert_array_equal(device.to_host(copy), TABLE)
    assert type(copy) is type(there)
    assert tables.like(there, TABLE) is copy
    assert tables.like(there, TABLE + 1) is not copy


def test_changes_of_a_private_memory_map_survive_release(tmp_path):
    np.zeros(5000, np.float32).tofile(tmp_path / "values")
    values = np.memmap(tmp_path / "values", np.float32, "c")
    values[:] = 5
    release_pages(np.asarray(values)[1:])
    assert (values == 5).all()


def test_finite_range_is_found_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_LOOKED_AT", 1000)
    values = np.random.default_rng(4).random((7, 30, 40), dtype=np.float32)
    values[0, 0, :3] = np.nan, np.inf, -np.inf
    values[6, 29, 39], values[3, 4, 5] = 7.0, -7.0
    assert finite_range(values) == (-7.0, 7.0)
    assert finite_range(np.array([3, 1, 2], np.uint16)) == (1.0, 3.0)
    assert np.isnan(finite_range(np.full(2500, np.nan))).all()


def test_finite_range_of_many_values_makes_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_LOOKED_AT", 1 << 12)
    values = np.ones(1 << 20, np.float32)
    tracemalloc.start()
    finite_range(values)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < values.nbytes / 50

"""Tests of HDF5 datasets with external compression filters."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import ResourceError
from engine.io import read_projections
from tests.engine.io.xray import xray_files

BITSHUFFLE, UNKNOWN = 32008, 299


def packed_by(folder: Path, number: int) -> Path:
    """Write a Data Exchange file and mark its images as compressed by this filter."""
    path = xray_files.dxchange(folder)
    images = xray_files.counts()
    with h5py.File(path, "r+") as file:
        del file["exchange/data"]
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk(images.shape)
        plan.set_filter(number, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple(images.shape)
        item = h5py.h5d.create(file["exchange"].id, b"data", h5py.h5t.STD_U16LE, space, plan)
        item.write_direct_chunk((0, 0, 0), b"packed" * 100, 0)
    return path


def test_unknown_filter_is_named(tmp_path: Path) -> None:
    path = packed_by(tmp_path, UNKNOWN)
    with pytest.raises(
        ResourceError,
        match=r"scan\.h5: .*isocenter\[filters\].* Missing filters: 299\.$",
    ):
        read_projections(path)


@pytest.mark.skipif(find_spec("hdf5plugin") is not None, reason="bitshuffle is installed")
def test_missing_bitshuffle_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"Missing filters: bitshuffle\.$"):
        read_projections(packed_by(tmp_path, BITSHUFFLE))


@pytest.mark.parametrize("name", ["Bitshuffle", "LZ4", "Blosc", "Zstd"])
def test_file_compressed_by_a_detector_is_read(tmp_path: Path, name: str) -> None:
    plugin = pytest.importorskip("hdf5plugin")
    path = xray_files.dxchange(tmp_path)
    expected = read_projections(path).values
    with h5py.File(path, "r+") as file:
        del file["exchange/data"]
        images = xray_files.counts()
        how = getattr(plugin, name)()
        file["exchange"].create_dataset("data", data=images, chunks=(1, *images.shape[1:]), **how)
    np.testing.assert_array_equal(read_projections(path).values, expected)

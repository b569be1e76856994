"""Tests of HDF5 volumes: round trips, reproducible bytes, refusal of damage."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import FileFormatError, ResourceError, UnknownFormatError
from engine.data.volume import Volume
from engine.io import read_volume, save

PROVENANCE = {"algorithm": {"kind": "osem", "iterations": 4}, "noise": float("nan")}


def test_volume_is_restored(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5", PROVENANCE)
    again = read_volume(tmp_path / "a.h5")
    np.testing.assert_array_equal(again.values, phantom.values)
    assert (again.grid, again.unit) == (phantom.grid, "counts/mm")
    assert again.info == {"algorithm": {"kind": "osem", "iterations": 4}, "noise": "nan"}


def test_every_number_has_its_unit(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        units = {name: item.attrs["units"] for name, item in file["volume"].items()}
    assert units == {"values": b"counts/mm", "voxel_mm": b"mm", "centre_mm": b"mm"}


def test_same_volume_gives_the_same_bytes(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5", PROVENANCE)
    save(phantom, tmp_path / "b.h5", PROVENANCE)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def test_changed_value_is_detected(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["volume/values"][0, 0, 0] = 1
    with pytest.raises(FileFormatError, match="checksum"):
        read_volume(tmp_path / "a.h5")


def test_flipped_bit_is_detected(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5")
    content = bytearray((tmp_path / "a.h5").read_bytes())
    content[content.index(np.float32(3).tobytes()) + 1] ^= 1
    (tmp_path / "a.h5").write_bytes(bytes(content))
    with pytest.raises(FileFormatError, match="checksum"):
        read_volume(tmp_path / "a.h5")


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.99])
def test_truncated_file_is_refused(tmp_path: Path, phantom: Volume, fraction: float) -> None:
    save(phantom, tmp_path / "a.h5")
    content = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(content[: int(fraction * len(content))])
    with pytest.raises(FileFormatError, match="truncated"):
        read_volume(tmp_path / "a.h5")


def test_other_version_is_refused(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file.attrs["version"] = 9
    with pytest.raises(FileFormatError, match=r"version 9 of the format .* expected"):
        read_volume(tmp_path / "a.h5")


def test_other_hdf5_file_is_not_a_volume(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["values"] = np.zeros((2, 2, 2))
    with pytest.raises(UnknownFormatError, match=r"unknown file type.*'volume'"):
        read_volume(tmp_path / "a.h5")


def test_full_disk_keeps_the_old_volume(tmp_path: Path, phantom: Volume) -> None:
    resource = pytest.importorskip("resource", reason="file size limits need POSIX")
    save(phantom, tmp_path / "a.h5")
    old = (tmp_path / "a.h5").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(ResourceError, match="nothing was changed"):
            save(phantom, tmp_path / "a.h5", PROVENANCE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "a.h5").read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]

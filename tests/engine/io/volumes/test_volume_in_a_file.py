"""Tests of volumes too large for memory: they are stored in a file and written piece by piece."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import DataError, ResourceError
from engine.data.storage import volume_file
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.io.hdf5.volume import read_mapped
from engine.io.safety.budget import MEMORY_VARIABLE
from engine.io.safety.gzip_blocks import gzip_pieces, gzipped
from engine.io.safety.open_input import open_input

GRID = ImageGrid((7, 5, 6), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))


@pytest.fixture
def volume(tmp_path: Path, rng: np.random.Generator) -> Volume:
    """Return a volume in a file."""
    values = volume_file.made(tmp_path / "values", GRID.shape)
    values[...] = rng.random(GRID.shape, np.float32)
    return Volume(values, GRID, "1/mm", {"axes": "LPS"})


def in_memory(volume: Volume) -> Volume:
    return Volume(np.array(volume.values), volume.grid, volume.unit, volume.info)


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz", "a.h5"])
def test_piecewise_writing_gives_the_same_file(volume: Volume, tmp_path: Path, name: str) -> None:
    for folder, each in (("pieces", volume), ("whole", in_memory(volume))):
        (tmp_path / folder).mkdir()
        save(each, tmp_path / folder / name)

    for written in (tmp_path / "whole").iterdir():
        assert (tmp_path / "pieces" / written.name).read_bytes() == written.read_bytes()
    np.testing.assert_array_equal(read_volume(tmp_path / "pieces" / name).values, volume.values)


def test_stored_volume_can_be_memory_mapped(volume: Volume, tmp_path: Path) -> None:
    save(volume, tmp_path / "a.h5")
    with open_input(tmp_path / "a.h5") as file:
        found = read_mapped(file)

    place = volume_file.place_of(found.values)
    assert place is not None
    assert place.path == tmp_path / "a.h5"
    np.testing.assert_array_equal(found.values, volume.values)
    assert (found.grid, found.unit) == (volume.grid, volume.unit)


def test_only_complete_values_of_a_named_file_have_a_file_offset(volume: Volume) -> None:
    assert volume_file.place_of(np.asarray(volume.values)) is not None
    assert volume_file.place_of(volume.values[1:]) is None
    assert volume_file.place_of(np.array(volume.values)) is None


@pytest.mark.parametrize("n_bytes", [0, 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 7])
def test_piecewise_compression_gives_the_same_bytes(
    rng: np.random.Generator, n_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.io.safety.gzip_blocks.AT_ONCE", 2)
    content = np.repeat(rng.integers(0, 9, n_bytes // 40 + 1, np.uint8), 40).tobytes()[:n_bytes]
    pieces = [content[at : at + 700_001] for at in range(0, n_bytes, 700_001)]

    packed = b"".join(gzip_pieces(pieces))

    assert packed == gzipped(content)
    assert zlib.decompress(packed, wbits=31) == content


def test_format_that_needs_memory_is_refused_with_alternatives(
    volume: Volume, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, "0.001")
    with pytest.raises(ResourceError, match=r"a\.mha: writing .* write \.h5, \.nii or"):
        save(volume, tmp_path / "a.mha")
    save(volume, tmp_path / "a.nii")


def test_nan_is_found_at_any_position(volume: Volume, tmp_path: Path) -> None:
    values = np.array(volume.values)
    values[4, 3, 2] = np.nan
    with pytest.raises(DataError, match=r"1 of 210 values .* \[4, 3, 2\]"):
        save(Volume(values, GRID, "1/mm"), tmp_path / "a.nii")


def test_lack_of_disk_space_is_reported_before_writing(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"the volume needs .* GiB on this disk"):
        volume_file.made(tmp_path / "values", (1 << 20, 1 << 20, 1 << 10))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit the address space")
def test_files_are_mapped_despite_an_address_space_limit(tmp_path: Path) -> None:
    code = """
import pathlib, psutil, resource, sys
import numpy as np
from engine.data.storage.columns import Scratch
most = psutil.Process().memory_info().vms + (64 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
values = Scratch(pathlib.Path(sys.argv[1])).empty(96 << 20, np.uint8)
values[-1] = 7
try:
    np.empty(96 << 20, np.uint8)
except MemoryError:
    sys.exit(int(values[-1]))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert done.returncode == 7

"""Files that state more bytes than the disk stores are refused.

Cases: 8 TB of holes with the names of list mode, volume, projections, DICOM and text; 4 GiB with
one stored block; holes in a file that is small, or mostly stored (accepted); a stored neighbour of
a sparse file: its time limit must not grow.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engine.core.errors import FileFormatError
from engine.io.safety.budget import ALWAYS_UNPACKED
from engine.io.safety.open_input import open_input
from engine.io.safety.stored_bytes import stored_at
from engine.jobs.loader.limits import SECONDS_PER_PART, allowed_seconds

NAMES = ("big.l", "big.clm.safir", "big.nii", "big.h5", "big.dcm", "big.mhd", "big.bin")


def sparse_file(path: Path, size: int, stored: bytes = b"") -> Path:
    """Create a file of this size with only its first bytes stored."""
    path.write_bytes(stored)
    os.truncate(path, size)
    if path.stat().st_blocks * 512 >= size:
        pytest.skip("this file system does not support sparse files")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_holes_are_refused_before_a_reader_opens_them(tmp_path: Path, name: str) -> None:
    path = sparse_file(tmp_path / name, 8 << 40)
    started = time.process_time()
    with pytest.raises(
        FileFormatError, match="8,796,093,022,208 bytes, but only 0 of them are stored on"
    ):
        open_input(path).__enter__()
    assert time.process_time() - started < 0.5


def test_sparse_file_with_one_stored_block_is_refused(tmp_path: Path) -> None:
    path = sparse_file(tmp_path / "a.l", 4 << 30, b"\1" * 4096)
    with pytest.raises(FileFormatError, match="but only 4,096 of them are stored on the disk"):
        open_input(path).__enter__()


def test_small_or_mostly_stored_files_are_read(tmp_path: Path) -> None:
    small = sparse_file(tmp_path / "small.bin", ALWAYS_UNPACKED)
    stored = sparse_file(
        tmp_path / "stored.bin", 2 * ALWAYS_UNPACKED, b"\1" * (ALWAYS_UNPACKED // 32)
    )
    for path in (small, stored):
        with open_input(path) as file:
            assert file.read(4, file.size - 4) == bytes(4)
    assert stored_at(stored) == ALWAYS_UNPACKED // 32


def test_dense_file_counts_completely(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"\1" * 100_001)
    assert stored_at(path) == 100_001
    assert stored_at(tmp_path) == stored_at(tmp_path / "missing") == 0


def test_sparse_neighbour_does_not_extend_the_time_limit(tmp_path: Path) -> None:
    sparse_file(tmp_path / "big.l", 8 << 40)
    (tmp_path / "a.h5").write_bytes(b"\1")
    assert allowed_seconds(tmp_path / "a.h5") == SECONDS_PER_PART

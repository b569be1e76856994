"""A folder opens its only scan, and so do the scan's header and data file."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import inspect, read_listmode, scan_file, write_listmode
from engine.modalities.recognise import purpose_of

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=2, n_crystals_per_ring=16, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=1, n_tangential=9, fov_mm=(60, 10), voxel_mm=(3, 3, 3),
    )
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one scan and other files."""
    folder = tmp_path / "patient"
    folder.mkdir()
    write_listmode(ListMode(RING, np.array([[1, 9], [2, 20]], np.int32)), folder / "scan.h5")
    (folder / "notes.txt").write_text("as usual\n")
    (folder / "protocol.toml").write_text('modality = "pet"\n')
    return folder


def test_folder_opens_its_only_scan(folder: Path):
    assert scan_file(folder) == folder / "scan.h5"
    assert purpose_of(folder).purpose == "scan"
    assert inspect(folder).title == "2 prompts, tiny"


def test_folder_of_two_scans_names_them(folder: Path):
    shutil.copy(folder / "scan.h5", folder / "again.h5")
    with pytest.raises(FileFormatError, match=r"patient: contains 2 scans \(again.h5, scan.h5\)"):
        scan_file(folder)


def test_folder_without_a_scan_is_returned_itself(folder: Path):
    (folder / "scan.h5").unlink()
    assert scan_file(folder) == folder


def header(folder: Path, data: str) -> None:
    (folder / "scan.l.hdr").write_text(
        "!INTERFILE:=\n%SMS-MI header name space:=PETLINK bin address\n"
        f"name of data file := {data}\n"
        "image duration (sec):=0.001\n%total listmode word counts:=3\n"
    )


def test_header_and_data_are_one_scan(folder: Path):
    (folder / "scan.h5").unlink()
    words = np.array([0x80000000, 0x40000064, 0x40000065], "<u4")
    (folder / "scan.l").write_bytes(words.tobytes())
    header(folder, "scan.l")
    assert scan_file(folder) == folder / "scan.l.hdr"
    by_folder, by_data = (read_listmode(scan_file(p)) for p in (folder, folder / "scan.l"))
    np.testing.assert_array_equal(by_folder.crystals, by_data.crystals)


def test_header_without_data_in_its_folder_is_skipped(folder: Path):
    header(folder, "elsewhere.l")
    (folder / "prompts.hs").write_text("!INTERFILE :=\nname of data file := elsewhere.s\n")
    assert scan_file(folder) == folder / "scan.h5"

"""Every reader states in one sentence why it cannot open a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.core.errors import EngineError, FileFormatError, ResourceError, UnknownFormatError
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.ring import RingScanner
from engine.io import (
    READERS,
    can_save,
    read_efficiencies,
    read_listmode,
    read_mu_map,
    read_projections,
    read_scanner,
    read_volume,
    save,
    write_listmode,
)

Opener = Callable[[Path, RingScanner], Any]
OPENERS: list[Opener] = [
    lambda path, ring: read_listmode(path),
    lambda path, ring: read_volume(path),
    lambda path, ring: read_mu_map(path, ring),
    lambda path, ring: read_efficiencies(path, ring),
    lambda path, ring: read_scanner(str(path)),
    lambda path, ring: read_projections(path),
]
each_opener = pytest.mark.parametrize(
    "opener", OPENERS, ids=["listmode", "volume", "mu_map", "efficiencies", "scanner", "xray"]
)
NAMES = ["a.l", "a.h5", "a.nii.gz", "a.txt", "a.clm.safir"]


@each_opener
@pytest.mark.parametrize("name", NAMES)
class TestEveryReader:
    def test_missing_file_is_named(
        self, tmp_path: Path, ring: RingScanner, opener: Opener, name: str
    ) -> None:
        with pytest.raises(EngineError, match=r"this file does not exist|is not a known scanner"):
            opener(tmp_path / name, ring)

    def test_folder_is_named(
        self, tmp_path: Path, ring: RingScanner, opener: Opener, name: str
    ) -> None:
        (tmp_path / name).mkdir()
        with pytest.raises(FileFormatError, match=r"this (is a )?folder"):
            opener(tmp_path / name, ring)

    def test_empty_file_is_named(
        self, tmp_path: Path, ring: RingScanner, opener: Opener, name: str
    ) -> None:
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(FileFormatError, match="empty"):
            opener(tmp_path / name, ring)

    @pytest.mark.parametrize("content", [b"x", b"\x89HDF\r\n\x1a\n", b"\x1f\x8b", b"\0" * 5000])
    def test_random_content_is_refused(
        self, tmp_path: Path, ring: RingScanner, opener: Opener, name: str, content: bytes
    ) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(EngineError) as refusal:
            opener(tmp_path / name, ring)
        text = str(refusal.value)
        assert "a." in text
        assert text.endswith(".")
        assert "\n" not in text


@each_opener
def test_file_without_permission_is_named(
    tmp_path: Path, ring: RingScanner, opener: Opener
) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        pytest.skip("this user may read every file")
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "a.txt").chmod(0)
    with pytest.raises(ResourceError, match="no permission"):
        opener(tmp_path / "a.txt", ring)


def test_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"what is this")
    with pytest.raises(UnknownFormatError, match=r"Siemens mMR.*SAFIR.*Isocenter list mode"):
        read_listmode(tmp_path / "a.bin")
    with pytest.raises(UnknownFormatError, match=r"NIfTI volume \(\.nii"):
        read_volume(tmp_path / "a.bin")


def test_volume_is_refused_as_a_scan(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5")
    with pytest.raises(
        UnknownFormatError, match=r"'Isocenter volume'. Expected type: 'list-mode scan'"
    ):
        read_listmode(tmp_path / "a.h5")


def test_scan_is_refused_as_a_volume(tmp_path: Path, scan: ListMode) -> None:
    write_listmode(scan, tmp_path / "a.h5")
    with pytest.raises(UnknownFormatError, match=r"'Isocenter list mode'. Expected type: 'volume'"):
        read_volume(tmp_path / "a.h5")


@pytest.mark.parametrize("name", ["a.dcm", "a", "a.txt"])
def test_unwritable_format_is_refused_at_once(tmp_path: Path, phantom: Volume, name: str) -> None:
    for act in (lambda: can_save(tmp_path / name), lambda: save(phantom, tmp_path / name)):
        with pytest.raises(UnknownFormatError, match=r"\.nii\.gz.*\.h5.*\.png"):
            act()


def test_unwritable_location_is_refused_at_once(tmp_path: Path) -> None:
    can_save(tmp_path / "a.nii")
    with pytest.raises(ResourceError, match="does not exist"):
        can_save(tmp_path / "none" / "a.nii")
    assert not list(tmp_path.iterdir())


def test_readers_have_names_and_file_endings_for_dialogs() -> None:
    for reader in READERS:
        assert reader.name
        assert all(suffix.startswith(".") for suffix in reader.suffixes)

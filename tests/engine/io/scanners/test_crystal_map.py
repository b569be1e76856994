"""Tests of crystal maps: valid tables, and the line of each fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.io.scanners.crystal_map import read_crystal_map

ROWS = ["0 0 60 0 -2", "0 1 -60 0 -2", "1 0 60 0 2", "1 1 -60 0 2"]


def table(folder: Path, *lines: str) -> Path:
    (folder / "map.txt").write_text("\n".join(lines) + "\n")
    return folder / "map.txt"


@pytest.mark.parametrize("separator", [" ", "\t", ",", ", ", "  \t"])
def test_columns_can_have_any_separator(tmp_path: Path, separator: str) -> None:
    rows = [row.replace(" ", separator) for row in ROWS]
    scanner = read_crystal_map(table(tmp_path, "# ring det x y z", *rows))
    assert scanner.keys.tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]
    assert scanner.positions_mm[3].tolist() == [-60, 0, 2]


def test_empty_line_ends_the_table(tmp_path: Path) -> None:
    assert read_crystal_map(table(tmp_path, "", *ROWS, "", "not a crystal")).n_crystals == 4


def test_comment_can_follow_a_crystal(tmp_path: Path) -> None:
    assert read_crystal_map(table(tmp_path, *ROWS[:3], ROWS[3] + " # last")).n_crystals == 4


def test_layers_are_read(tmp_path: Path) -> None:
    scanner = read_crystal_map(table(tmp_path, "0 0 0 60 0 0", "0 0 1 70 0 0"))
    assert scanner.keys.tolist() == [[0, 0, 0], [0, 0, 1]]


def test_sample_gets_voxels_of_1_mm(shared_data: Path) -> None:
    scanner = read_crystal_map(shared_data / "pet-listmode-safir-point" / "crystal_map_front.txt")
    assert scanner.n_crystals == 91 * 180
    assert scanner.default_voxel_mm == (1.0, 1.0, 1.0)
    assert scanner.default_fov_mm == (90.0, 201.0)
    # ±45 of 90 tangential bins: lines leave a crystal at angles up to 45°.
    assert scanner.fov_radius_mm == pytest.approx(63.019 * np.sin(np.pi / 4), abs=1e-3)


@pytest.mark.parametrize(
    ("row", "kind", "message"),
    [
        ("1 2 nan 0 0", FileFormatError, "line 5: a position is 'nan'"),
        ("1 2 inf 0 0", FileFormatError, "line 5: a position is 'inf'"),
        ("1 2 60 0", FileFormatError, "line 5: the number of columns is 4, expected 5"),
        ("1 2 0 60 0 0", FileFormatError, "line 5: the number of columns is 6, expected 5"),
        ("1 2 sixty 0 0", FileFormatError, "line 5: 'sixty' is not a number"),
        ("1 2.5 60 0 0", FileFormatError, "line 5: '2.5' is not a whole number"),
        ("-1 2 60 0 0", FileFormatError, "line 5: ring -1"),
        ("0 1 60 1 0", FileFormatError, "line 5: ring 0, det 1, layer 0 is already on line 2"),
        ("5 5 60 0 -2", FileFormatError, "line 5: the crystal on line 1 has the same position"),
        (
            "1 2 6 0 0",
            GeometryError,
            "line 5: the crystal is 6 mm from the axis, expected 20 to 1000 mm",
        ),
        ("1 2 1001 0 0", GeometryError, "line 5: the crystal is 1001 mm from the axis"),
    ],
)
def test_faulty_row_is_named(
    tmp_path: Path, row: str, kind: type[EngineError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        read_crystal_map(table(tmp_path, *ROWS, row))


def test_largest_bore_is_accepted(tmp_path: Path) -> None:
    assert read_crystal_map(table(tmp_path, *ROWS, "1 2 1000 0 0")).n_crystals == 5


def test_centimetres_are_recognised_by_the_pitch(tmp_path: Path) -> None:
    """A bore of 33.5 mm is possible, but a crystal pitch of 0.4 mm is not."""
    rows = [
        f"{ring} {det} {(-1) ** det * 33.5} 0 {ring * 0.4}" for ring in range(5) for det in (0, 1)
    ]
    with pytest.raises(GeometryError, match=r"pitch is 0.400 mm.*not cm"):
        read_crystal_map(table(tmp_path, *rows))


@pytest.mark.parametrize("text", ["", "# nothing", "0 0 60 0 0"])
def test_scanner_needs_two_crystals(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileFormatError, match="at least 2"):
        read_crystal_map(table(tmp_path, text))


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"0 0 60 0 0\n\0\0"])
def test_binary_file_is_not_a_table(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "map.txt").write_bytes(content)
    with pytest.raises(FileFormatError, match="text file"):
        read_crystal_map(tmp_path / "map.txt")

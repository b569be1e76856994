"""Tests of scanners: by name, by file, and faults of a user's own file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import (
    FileFormatError,
    ResourceError,
    ScannerMissingError,
    SettingsError,
    UnknownFormatError,
)
from engine.core.settings import to_toml
from engine.geometry.dual_head import DualHead
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import builtin_scanners, read_scanner
from engine.io.scanners.adjacent_file import stated_scanner
from engine.modalities.listmode_pet.protocol import ListModeGrid

OWN = {
    "name": "Own",
    "n_rings": 4,
    "n_crystals_per_ring": 100,
    "radius_mm": 60.0,
    "ring_pitch_mm": 4.0,
    "max_ring_difference": 3,
    "n_tangential": 40,
    "fov_mm": (60.0, 16.0),
}


def own(folder: Path, text: str = "", **changes: object) -> Path:
    path = folder / "own.toml"
    path.write_text(to_toml(RingSettings(**(OWN | changes))) + text)
    return path


def test_builtin_scanners_have_names_and_can_be_read() -> None:
    names = builtin_scanners()
    assert set(names) >= {"siemens-mmr", "safir", "total-body", "demo-ring"}
    assert set(names) >= {"dhapet", "demo-panels", "test-panels", "adac"}
    for key, name in names.items():
        scanner = read_scanner(key)
        assert scanner.name == name
        assert isinstance(scanner, RingScanner | DualHead)
        assert scanner.settings.source


@pytest.mark.parametrize(
    ("key", "shape", "voxel_mm"),
    [
        # grid of the reference image our_quick_mlem_4mm.nii.gz
        (
            "siemens-mmr",
            (64, 100, 100),
            (4, 4, 4.0625),
        ),
        ("safir", (201, 90, 90), (1, 1, 1)),
        ("total-body", (580, 133, 133), (2, 2, 2)),  # Van Gendt et al.: 133 x 86 x 580
        ("demo-ring", (51, 80, 80), (3, 3, 3)),
        ("dhapet", (416, 119, 288), (0.6, 0.5, 0.6)),  # Chou et al.: 119 x 416 x 288
    ],
)
def test_default_grid_of_a_builtin_scanner(
    key: str, shape: tuple[int, ...], voxel_mm: tuple[float, ...]
) -> None:
    grid = ListModeGrid().grid_for(read_scanner(key))
    assert (grid.shape, grid.voxel_mm) == (shape, voxel_mm)


def test_mmr_crystals_are_at_the_positions_of_stir() -> None:
    """x = R sin(2π d / 504), y = −R cos(2π d / 504), z = (ring − 31.5) · 4.0625 mm."""
    positions = read_scanner("siemens-mmr").positions_mm.reshape(64, 504, 3)
    np.testing.assert_allclose(positions[0, 0], [0, -335, -31.5 * 4.0625], atol=1e-9)
    np.testing.assert_allclose(positions[63, 126], [335, 0, 31.5 * 4.0625], atol=1e-9)


def test_demo_ring_has_few_enough_lines_for_exact_sensitivity() -> None:
    assert read_scanner("demo-ring").n_lors < 20_000_000


@pytest.mark.parametrize("key", ["demo-ring", "total-body"])
def test_tof_bins_cover_every_line_through_the_image(key: str) -> None:
    scanner = read_scanner(key)
    assert scanner.tof is not None
    diameter, length = scanner.default_fov_mm
    # the steepest line, from one end of the scanner to the other
    rise = length / (2 * scanner.bore_radius_mm)
    reach = diameter / 2 * np.hypot(1, rise)
    # Two standard deviations further: beyond the bins are 2 % of the events of the outermost voxel.
    assert scanner.tof.edges_mm[-1] > reach + 2 * scanner.tof.sigma_mm


@pytest.mark.parametrize("name", ["demo-ring", "scanner.toml"])
def test_scanner_stated_by_a_scan_is_read(tmp_path: Path, name: str) -> None:
    own(tmp_path).rename(tmp_path / "scanner.toml")
    expected = {"demo-ring": "Demo brain ring", "scanner.toml": "Own"}
    assert stated_scanner(name, tmp_path / "a.scan", "A").name == expected[name]


@pytest.mark.parametrize("name", ["", ".", "..", "sub/s.toml", "//host/s.toml", "C:\\s.toml", "{}"])
def test_scan_cannot_name_a_path(tmp_path: Path, name: str) -> None:
    (tmp_path / "sub").mkdir()
    own(tmp_path).rename(tmp_path / "sub" / "s.toml")
    name = name.format(tmp_path / "sub" / "s.toml")
    with pytest.raises(ScannerMissingError, match=r"a\.scan: the scan states the scanner"):
        stated_scanner(name, tmp_path / "a.scan", "A")


def test_scanner_without_a_name_is_refused() -> None:
    with pytest.raises(SettingsError, match="'' is not a known scanner"):
        read_scanner("")


def test_own_scanner_file_is_read(tmp_path: Path) -> None:
    scanner = read_scanner(str(own(tmp_path)))
    assert (scanner.name, scanner.n_crystals) == ("Own", 400)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"radius_mm": 19.0, "n_crystals_per_ring": 42},
            "'radius_mm' is 19, expected 20 to 1000 mm",
        ),
        (
            {"radius_mm": 33.5, "n_crystals_per_ring": 504},
            r"'n_crystals_per_ring' is 0.418 mm.*not cm",
        ),
        ({"ring_pitch_mm": 0.40625}, r"'ring_pitch_mm' is 0.406 mm.*not cm"),
    ],
)
def test_lengths_that_are_not_millimetres_are_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        read_scanner(str(own(tmp_path, **changes)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("radius_cm = 33.5\n", "unknown key 'radius_cm'"),
        ("n_rings = \n", "not a valid TOML file"),
        ("n_rings = 8\n", "not a valid TOML file"),  # the key occurs twice
    ],
)
def test_faulty_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_scanner(str(own(tmp_path, line)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("radius_mm = 60.0", "radius_mm = 6000.0", "at most 1000.*6000"),
        ("radius_mm = 60.0", "radius_mm = nan", "radius_mm"),
        ("radius_mm = 60.0\n", "", "'radius_mm' is missing"),
        ("n_crystals_per_ring = 100", "n_crystals_per_ring = 101", "must be even"),
        ("max_ring_difference = 3", "max_ring_difference = 4", "less than n_rings \\(4\\)"),
    ],
)
def test_faulty_value_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = own(tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(SettingsError, match=message):
        read_scanner(str(path))


def test_misspelt_name_suggests_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"Did you mean 'siemens-mmr'.*Choose .*demo-ring"):
        read_scanner("siemens_mmr")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="this file does not exist"):
        read_scanner(str(tmp_path / "none.toml"))


def test_empty_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("")
    with pytest.raises(FileFormatError, match="empty"):
        read_scanner(str(tmp_path / "own.toml"))


def test_other_file_is_not_a_scanner(tmp_path: Path) -> None:
    (tmp_path / "own.png").write_bytes(b"picture")
    with pytest.raises(UnknownFormatError, match="not a scanner file"):
        read_scanner(str(tmp_path / "own.png"))

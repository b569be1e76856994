"""Tests of our HDF5 list mode: round trips, and refusal of faulty files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import DataError, EngineError, FileFormatError, GeometryError, ResourceError
from engine.core.settings import to_toml
from engine.data.listmode import ListMode
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.ring import RingScanner
from engine.io import read_listmode, write_listmode
from tests.engine.io.hdf5.unsealed_files import unseal

COLUMNS = ["crystals", "delayed", "tof_bins", "time_ms", "additive", "efficiencies", "singles"]


def same(a: ListMode, b: ListMode) -> None:
    for name in COLUMNS:
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None), name
        if x is not None:
            np.testing.assert_array_equal(x, y, err_msg=name)
            assert x.dtype == y.dtype
    assert a.scanner.fingerprint() == b.scanner.fingerprint()
    assert (a.duration_s, a.info) == (b.duration_s, b.info)
    assert a.coincidence_window_ps == b.coincidence_window_ps


class TestRoundTrip:
    def test_scan_with_every_column_is_restored(self, tmp_path: Path, scan: ListMode) -> None:
        write_listmode(scan, tmp_path / "a.h5")
        again = read_listmode(tmp_path / "a.h5")
        same(again, scan)
        assert again.mu_map is not None
        assert scan.mu_map is not None
        np.testing.assert_array_equal(again.mu_map.values, scan.mu_map.values)
        assert (again.mu_map.grid, again.mu_map.unit) == (scan.mu_map.grid, "1/mm")

    def test_scan_with_only_crystals_is_restored(self, tmp_path: Path, scan: ListMode) -> None:
        bare = ListMode(scanner=scan.scanner, crystals=scan.crystals)
        write_listmode(bare, tmp_path / "a.h5")
        same(read_listmode(tmp_path / "a.h5"), bare)

    def test_scan_without_events_is_restored(self, tmp_path: Path, scan: ListMode) -> None:
        write_listmode(scan.select(slice(0)), tmp_path / "a.h5")
        assert read_listmode(tmp_path / "a.h5").n_events == 0

    def test_scan_with_a_crystal_map_is_restored(
        self, tmp_path: Path, scan: ListMode, crystal_map: CrystalMap
    ) -> None:
        mapped = replace(scan, scanner=crystal_map)
        write_listmode(mapped, tmp_path / "a.h5")
        again = read_listmode(tmp_path / "a.h5")
        same(again, mapped)
        assert again.scanner.default_voxel_mm == crystal_map.default_voxel_mm
        assert again.scanner.default_fov_mm == crystal_map.default_fov_mm

    def test_same_scan_gives_the_same_bytes(self, tmp_path: Path, scan: ListMode) -> None:
        write_listmode(scan, tmp_path / "a.h5")
        write_listmode(scan, tmp_path / "b.h5")
        assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()

    def test_checks_in_pieces_accept_a_valid_scan(
        self, tmp_path: Path, scan: ListMode, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("engine.io.hdf5.listmode.CHUNK", 7)
        write_listmode(scan, tmp_path / "a.h5")
        same(read_listmode(tmp_path / "a.h5"), scan)


def test_full_disk_keeps_the_old_scan(tmp_path: Path, scan: ListMode) -> None:
    resource = pytest.importorskip("resource", reason="file size limits need POSIX")
    (tmp_path / "a.h5").write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    try:
        with pytest.raises(ResourceError, match=r"needs [\d,]+ bytes, but [\d,]+ are free"):
            write_listmode(scan, tmp_path / "a.h5")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "a.h5").read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


def test_columns_outlive_their_file(tmp_path: Path, scan: ListMode) -> None:
    """Columns are not memory-mapped: if a mapped file were truncated, the process would end."""
    write_listmode(scan, tmp_path / "a.h5")
    data = read_listmode(tmp_path / "a.h5")
    (tmp_path / "a.h5").write_bytes(b"")
    assert np.array_equal(data.crystals, scan.crystals)


def test_file_of_another_program_is_read(tmp_path: Path, ring: RingScanner) -> None:
    """The file follows FORMATS.md, with chunked columns."""
    crystals = np.array([[1, 9], [17, 25]])
    (tmp_path / "scanner.toml").write_text(to_toml(ring.settings))
    with h5py.File(tmp_path / "scan.h5", "w") as file:
        file.attrs["format"] = np.bytes_("isocenter-listmode")
        file.attrs["version"], file.attrs["n_events"], file.attrs["duration_s"] = 1, 2, 60.0
        file["events/crystals"] = crystals.astype("<i4")
        file["scanner/ring_toml"] = np.bytes_((tmp_path / "scanner.toml").read_bytes())
        file.create_dataset("events/time_ms", data=np.array([1, 2], "<u4"), chunks=(1,))
    data = read_listmode(tmp_path / "scan.h5")
    np.testing.assert_array_equal(data.crystals, crystals)
    assert data.time_ms is not None
    assert data.time_ms.tolist() == [1, 2]
    assert data.duration_s == 60


Edit = Callable[[h5py.File], None]


def replace_column(name: str, values: np.ndarray) -> Edit:
    def edit(file: h5py.File) -> None:
        del file[name]
        file[name] = values

    return edit


def change(name: str, index: object, value: object) -> Edit:
    def edit(file: h5py.File) -> None:
        file[name].attrs.pop("sha256", None)
        file[name][index] = value

    return edit


def attribute(name: str, value: object) -> Edit:
    return lambda file: file.attrs.__setitem__(name, value)


def silently(file: h5py.File) -> None:
    file["events/crystals"][0, 0] = 1 - file["events/crystals"][0, 0] % 2


def soft_link(file: h5py.File) -> None:
    del file["events/time_ms"]
    file["events/time_ms"] = h5py.SoftLink("/events/delayed")


def external_link(file: h5py.File) -> None:
    file["more"] = h5py.ExternalLink("other.h5", "/x")


def external_data(file: h5py.File) -> None:
    del file["events/additive"]
    file.create_dataset(
        "events/additive", (500,), "<f4", external=[("/etc/hostname", 0, h5py.h5f.UNLIMITED)]
    )


def virtual_data(file: h5py.File) -> None:
    layout = h5py.VirtualLayout((500,), "<f4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (500,))
    del file["events/additive"]
    file.create_virtual_dataset("events/additive", layout)


def objects(file: h5py.File) -> None:
    file.create_dataset("more", data=["text"], dtype=h5py.string_dtype())


def huge(file: h5py.File) -> None:
    file.create_dataset("more", (2**40,), "<f4", chunks=(1024,))


def endless_group(file: h5py.File) -> None:
    file["events/again"] = file["/"]


@pytest.mark.parametrize(
    ("edit", "kind", "message"),
    [
        (change("events/crystals", (7, 1), 48), DataError, r"'crystals' of event 7 .*48.*0 to 47"),
        (change("events/crystals", (8, 0), -1), DataError, r"event 8.*-1"),
        (change("events/tof_bin", 3, 5), DataError, r"'tof_bin' of event 3 is 5, expected 0 to 4"),
        (change("events/delayed", 2, 2), DataError, "'delayed' of event 2 is 2"),
        (change("events/additive", 9, np.nan), DataError, "additive term of event 9 is nan"),
        (change("events/additive", 9, -0.5), DataError, "additive term of event 9 is -0.5"),
        (change("events/additive", 9, np.inf), DataError, "additive term of event 9 is inf"),
        (change("efficiencies", 4, np.nan), DataError, "1 of 48 values are not numbers"),
        (change("singles", 4, -1), DataError, "singles range from -1"),
        (replace_column("singles", np.ones(47, "<f4")), GeometryError, "singles for 47 crystals"),
        (attribute("coincidence_window_ps", -1.0), FileFormatError, "window_ps' is -1.0 ps"),
        (silently, FileFormatError, "crystals' has changed"),
        (attribute("n_events", 499), FileFormatError, "expected 499 × 2 for 499 events"),
        (attribute("version", 3), FileFormatError, "version 3"),
        (attribute("duration_s", -1.0), FileFormatError, "'duration_s' is -1.0 s"),
        (attribute("duration_s", np.nan), FileFormatError, "'duration_s' is nan"),
        (replace_column("events/time_ms", np.zeros(499, "<u4")), FileFormatError, "'time_ms' has"),
        (replace_column("events/crystals", np.zeros((500, 2), "<i8")), FileFormatError, "int64"),
        (replace_column("efficiencies", np.ones(47, "<f4")), GeometryError, "efficiencies is 47"),
        (replace_column("info", np.bytes_("[1]")), FileFormatError, "'info' is not valid JSON"),
        (replace_column("info", np.bytes_('{"a": NaN}')), FileFormatError, "NaN is not allowed"),
        (replace_column("scanner/ring_toml", np.bytes_("x")), FileFormatError, "not valid TOML"),
        (replace_column("scanner/ring_toml", np.bytes_("n_rings=1")), EngineError, "scanner: "),
        (lambda file: file.pop("events/crystals"), FileFormatError, "no dataset 'events/crystals'"),
        (lambda file: file.pop("scanner"), FileFormatError, "no dataset 'scanner/keys'"),
        (soft_link, FileFormatError, "time_ms: links to"),
        (external_link, FileFormatError, "more: links to"),
        (external_data, FileFormatError, "additive: the values are stored in other files"),
        (virtual_data, FileFormatError, "additive: the values are stored in other files"),
        (objects, FileFormatError, "more: contains objects"),
        (huge, FileFormatError, "more: would decompress"),
    ],
)  # fmt: skip
def test_fault_is_named(
    tmp_path: Path, scan: ListMode, edit: Edit, kind: type[EngineError], message: str
) -> None:
    write_listmode(scan, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        unseal(file)
        edit(file)
    with pytest.raises(kind, match=message):
        read_listmode(tmp_path / "a.h5")


def test_recursive_group_does_not_hang(tmp_path: Path, scan: ListMode) -> None:
    write_listmode(scan, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        unseal(file)
        endless_group(file)
    same(read_listmode(tmp_path / "a.h5"), scan)


@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.9, 0.999])
def test_truncated_file_is_refused(tmp_path: Path, scan: ListMode, fraction: float) -> None:
    write_listmode(scan, tmp_path / "a.h5")
    content = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(content[: int(fraction * len(content))])
    with pytest.raises(FileFormatError, match="truncated"):
        read_listmode(tmp_path / "a.h5")


@pytest.mark.parametrize("seed", range(40))
def test_damaged_file_is_refused_or_read_unchanged(
    tmp_path: Path, scan: ListMode, seed: int
) -> None:
    """A file with random changes gives one sentence or the same events."""
    write_listmode(scan, tmp_path / "a.h5")
    content = bytearray((tmp_path / "a.h5").read_bytes())
    rng = np.random.default_rng(seed)
    for at in rng.integers(8, len(content), 20):
        content[at] = rng.integers(0, 256)
    (tmp_path / "a.h5").write_bytes(bytes(content))
    try:
        data = read_listmode(tmp_path / "a.h5")
    except EngineError as e:
        assert len(str(e)) < 1000
    else:
        np.testing.assert_array_equal(data.crystals, scan.crystals)


class TestNamedScanner:
    def test_same_scanner_changes_nothing(
        self, tmp_path: Path, scan: ListMode, ring: RingScanner
    ) -> None:
        write_listmode(scan, tmp_path / "a.h5")
        (tmp_path / "s.toml").write_text(to_toml(ring.settings))
        data = read_listmode(tmp_path / "a.h5", scanner=str(tmp_path / "s.toml"))
        same(data, scan)
        assert not data.notes

    def test_scanner_with_another_radius_is_used_with_a_note(
        self, tmp_path: Path, scan: ListMode, ring: RingScanner
    ) -> None:
        write_listmode(scan, tmp_path / "a.h5")
        settings = ring.settings.model_copy(update={"radius_mm": 41.0})
        (tmp_path / "s.toml").write_text(to_toml(settings))
        data = read_listmode(tmp_path / "a.h5", scanner=str(tmp_path / "s.toml"))
        assert data.scanner.bore_radius_mm == 41
        assert "replaces" in data.notes[0]

    def test_scanner_with_another_number_of_crystals_is_refused(
        self, tmp_path: Path, scan: ListMode
    ) -> None:
        write_listmode(scan, tmp_path / "a.h5")
        with pytest.raises(GeometryError, match=r"scan is from 'Tiny'.*chosen scanner is 'SAFIR'"):
            read_listmode(tmp_path / "a.h5", scanner="safir")


def test_tof_bin_needs_a_scanner_with_tof(
    tmp_path: Path, scan: ListMode, ring: RingScanner
) -> None:
    without = RingScanner(ring.settings.model_copy(update={"tof": None}))
    with pytest.raises(DataError, match="'tof_bin' of event 0 is 3"):
        write_listmode(replace(scan, scanner=without), tmp_path / "a.h5")
    assert not list(tmp_path.iterdir())
